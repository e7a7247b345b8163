--- What the file tools do: their texts, and the fields beside them. Paths are what the agent gave.
local fs = require("fs")
local json = require("json")
local listing = require("listing")
local names = require("names")
local text = require("text")

local files = {}

local BLOCK = 1024 * 1024 -- bytes read at a time when lines are looked for
local RANGE_BYTES = 16 * 1024 * 1024 -- of a line range at most

local LIST = { limit = 10000 } -- entries; the text of more takes longer than a call may compute
local WALK = { depth = 5, limit = 500, skip = { ".git", "node_modules" } }

-- Scripts of earlier versions look for this form.
local ERRNO = { EACCES = 13, EPERM = 1 }

local function failure(message, code, path)
    if code == "EOUTSIDE" then return nil, message end
    local number = ERRNO[code]
    if not (number and path) then return nil, "Error: " .. message end
    local reason = message:sub(1, #path) == path and message:sub(#path + 3) or message
    return nil, ("Error: [Errno %d] %s: '%s'"):format(number, reason, names.show(path))
end

-- The absolute path of an argument, as text.
local function shown(path)
    local absolute = fs.resolve(path)
    return absolute and names.show(absolute) or path
end

-- The main text, then what is to be said about it: a text of its own, so that the first stays what it is.
local function answer(main, fields, notes)
    return { content = notes[1] and { main, table.concat(notes, "\n") } or main, structured = fields }
end

-- Clean text of bytes, and the note for what could not be shown.
local function readable(bytes, notes)
    local clean, replaced = text.clean(bytes)
    if replaced > 0 then
        notes[#notes + 1] = ("Not UTF-8: %d byte sequence(s) are shown as U+FFFD."):format(replaced)
    end
    return clean, replaced
end

--- One pass over the blocks of a file that keeps the bytes of lines first..last.
local Range = {}
Range.__index = Range

-- Takes what of `block` belongs to the range; true when the range is complete.
function Range:take(block)
    local from, before = text.skip_lines(block, 1, math.max(self.first - self.line, 0))
    self.line = self.line + before
    if self.line < self.first then return false end
    local to, inside = text.skip_lines(block, from, self.last - self.line + 1)
    self.line = self.line + inside
    self.pieces[#self.pieces + 1] = block:sub(from, to - 1)
    self.bytes = self.bytes + to - from
    self.left = #block - to + 1
    return self.line > self.last
end

local function too_long(path, range)
    return nil, ("%s: lines %d to %d hold more than %d bytes; ask for fewer"):format(
        shown(path), range.first, range.last, RANGE_BYTES), "EFBIG"
end

---@return table? range with pieces, line (the next one), more
local function read_range(path, first, last)
    local range = setmetatable({ first = first, last = last, line = 1, bytes = 0, left = 0, pieces = {} }, Range)
    local position, complete = 0
    repeat
        local block, info, code, where = fs.read(path, { offset = position, limit = BLOCK })
        if not block then return nil, info, code, where end
        position = position + #block
        complete = range:take(block)
        if range.bytes > RANGE_BYTES then return too_long(path, range) end
        range.size = info.size
    until complete or #block == 0
    range.more = complete and (range.left > 0 or position < range.size)
    return range
end

-- The last line of a range that has begun counts although no newline ended it.
local function last_line(range, bytes)
    if bytes == "" then return nil end
    return bytes:sub(-1) == "\n" and range.line - 1 or range.line
end

local function read_lines(path, first, count)
    local last = count and first + count - 1 or math.maxinteger
    local range, message, code, where = read_range(path, first, last)
    if not range then return failure(message, code, where) end
    local bytes, notes = table.concat(range.pieces), {}
    local clean, replaced = readable(bytes, notes)
    local ends = last_line(range, bytes)
    if range.more then notes[#notes + 1] = ("More lines follow: go on with offset=%d."):format(range.line) end
    if not ends then notes[#notes + 1] = ("The file ends before line %d."):format(first) end
    return answer(clean, {
        path = shown(path), size = range.size, replaced = replaced,
        first_line = ends and first, last_line = ends, more = range.more,
    }, notes)
end

--- Reads a file, or a range of its lines.
---@param path string
---@param first? integer first line, from 1
---@param count? integer number of lines
function files.read(path, first, count)
    path = names.read(path)
    if first or count then return read_lines(path, first or 1, count) end
    local bytes, info, code, where = fs.read(path)
    if code == "EFBIG" then info = info .. "; read it in parts with offset and limit" end
    if not bytes then return failure(info, code, where) end
    local notes = {}
    local clean, replaced = readable(bytes, notes)
    return answer(clean, { path = shown(path), size = info.size, replaced = replaced }, notes)
end

--- Makes a file or replaces its content.
function files.write(path, content)
    path = names.read(path)
    local written, message, code, where = fs.write(path, content)
    if not written then return failure(message, code, where) end
    local absolute = shown(path)
    return {
        content = ("Written %d bytes to %s"):format(written.bytes, absolute),
        structured = { path = absolute, bytes = written.bytes, created = written.created },
    }
end

--- Removes a file or link. One that is not there counts as removed.
function files.delete(path)
    path = names.read(path)
    local removed, message, code, where = fs.remove(path)
    if not removed and code ~= "ENOENT" then return failure(message, code, where) end
    local absolute = shown(path)
    return { content = "Deleted " .. absolute, structured = { path = absolute, existed = removed == true } }
end

--- Moves a file, link or folder.
function files.move(source, dest)
    source, dest = names.read(source), names.read(dest)
    local moved, replaced, code, where = fs.move(source, dest, { replace = true })
    if not moved then return failure(replaced, code, where) end
    local from, to = shown(source), names.show(moved)
    return { content = ("Moved %s → %s"):format(from, to), structured = { source = from, dest = to, replaced = replaced } }
end

--- Makes a folder with its parents. One that is there is fine.
function files.mkdir(path)
    path = names.read(path)
    local made, created, code, where = fs.mkdir(path, { parents = true })
    if not made then return failure(created, code, where) end
    local absolute = shown(path)
    return { content = "Created directory " .. absolute, structured = { path = absolute, created = created } }
end

local function list_failure(message, code, path)
    if code ~= "EACCES" then return failure(message, code, path) end
    return nil, ("Error: ls: cannot open directory '%s': Permission denied\n"):format(names.show(path))
end

local function list_flat(path)
    local found, message, code, where = fs.list(path, LIST)
    if not found then return list_failure(message, code, where) end
    local absolute, notes = shown(path), {}
    if found.truncated then notes[1] = ("Left out: the directory has more than these %d entries."):format(#found.entries) end
    local fields = { path = absolute, entries = #found.entries, complete = not found.truncated }
    return answer(listing.format(found, absolute), fields, notes)
end

local function walk_notes(found)
    local notes = {}
    if found.deeper then notes[#notes + 1] = ("Left out: what lies deeper than %d levels."):format(WALK.depth) end
    if found.truncated then notes[#notes + 1] = ("Left out: everything after the first %d entries."):format(WALK.limit) end
    for _, path in ipairs(found.unreadable) do notes[#notes + 1] = "Could not be read: " .. path end
    return notes
end

local function shown_all(paths)
    local list = json.array({})
    for position, path in ipairs(paths) do list[position] = names.show(path) end
    return list
end

local function list_recursive(path)
    local found, message, code, where = fs.walk(path, WALK)
    if not found then return failure(message, code, where) end
    local paths = shown_all(found.paths)
    found.unreadable = shown_all(found.unreadable)
    local notes = walk_notes(found)
    return answer(table.concat(paths, "\n") .. "\n", {
        path = shown(path), entries = #paths, complete = #notes == 0, unreadable = found.unreadable,
    }, notes)
end

--- Lists a folder as `ls -la` does, or everything below it.
function files.list(path, recursive)
    path = names.read(path)
    return (recursive and list_recursive or list_flat)(path)
end

return files
