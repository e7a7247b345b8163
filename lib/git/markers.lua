--- The marks that git leaves in a file for what it could not merge.
local fs = require("fs")

local markers = {}

local BLOCK = 1024 * 1024
local MARKER_SIZE = 7 -- git's own; the attribute conflict-marker-size may change it

-- Is one of the lines of `bytes` a marker? `bytes` begins at the start of a line.
local function has_marker(bytes, marks)
    for _, mark in ipairs(marks) do
        local position = bytes:find(mark, 1, true)
        while position do
            local before, after = bytes:sub(position - 1, position - 1), bytes:sub(position + #mark, position + #mark)
            if (before == "" or before == "\n") and (after == "" or after:find("%s")) then return true end
            position = bytes:find(mark, position + 1, true)
        end
    end
    return false
end

-- Reads on from the last line that was not complete. A file that is no file, or gone, has no markers.
local function file_has_marker(path, size)
    local marks = { ("<"):rep(size), (">"):rep(size), ("|"):rep(size) }
    local offset, rest = 0, ""
    while true do
        local block = fs.read(path, { offset = offset, limit = BLOCK })
        if not block or block == "" then return has_marker(rest, marks) end
        rest = rest .. block
        local complete = rest:match("^(.*\n)") or ""
        if has_marker(complete, marks) then return true end
        rest = rest:sub(#complete + 1)
        if #rest > BLOCK then rest = "-" end -- a line that long is no marker
        offset = offset + #block
    end
end

-- Marker sizes by path, where attributes change them.
local function marker_sizes(call, top, paths)
    local arguments = { "check-attr", "-z", "--stdin", "conflict-marker-size" }
    local listing = call:ask(arguments, { cwd = top, stdin = table.concat(paths, "\0") .. "\0" })
    local sizes = {}
    for path, value in (listing or ""):gmatch("([^\0]*)\0[^\0]*\0([^\0]*)\0") do
        sizes[path] = math.tointeger(tonumber(value))
    end
    return sizes
end

local function top_of(call)
    local top = call:ask({ "rev-parse", "--show-toplevel" })
    return top and top:gsub("\n$", "")
end

--- Of the unmerged paths those whose files still hold markers.
---@param call git.Call
---@param unmerged string[] bytes, from the top of the work tree
---@return string[]
function markers.open_conflicts(call, unmerged)
    local top = top_of(call)
    if not top then return {} end
    local sizes, open = marker_sizes(call, top, unmerged), {}
    for _, path in ipairs(unmerged) do
        local size = sizes[path] or MARKER_SIZE
        if file_has_marker(top .. "/" .. path, size) then open[#open + 1] = path end
    end
    return open
end

return markers
