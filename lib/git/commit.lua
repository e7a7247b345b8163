--- git_commit: stages and commits, and refuses what nobody means to commit: the marks of an open conflict.
local answer = require("git.answer")
local check = require("git.check")
local engine = require("git.engine")
local fs = require("fs")
local names = require("names")
local place = require("git.place")

local commit = {}

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

-- Of the unmerged paths those whose files still hold markers.
local function open_conflicts(call, unmerged)
    local top = top_of(call)
    if not top then return {} end
    local sizes, open = marker_sizes(call, top, unmerged), {}
    for _, path in ipairs(unmerged) do
        local size = sizes[path] or MARKER_SIZE
        if file_has_marker(top .. "/" .. path, size) then open[#open + 1] = path end
    end
    return open
end

local function refusal(call, open)
    local lines = { "error: Committing is not possible because these files still hold conflict markers:" }
    for _, path in ipairs(open) do lines[#lines + 1] = "\t" .. names.show(path) end
    lines[#lines + 1] = "Edit them until no marker is left, then commit again. Nothing was staged or committed."
    return answer.result(call, { ok = false, text = table.concat(lines, "\n"), notes = {} },
        { conflicts = place.shown(open) })
end

local function join(first, second)
    for _, name in ipairs({ "stdout", "stderr" }) do
        second[name] = first[name] .. second[name]
        second[name .. "_bytes"] = first[name .. "_bytes"] + second[name .. "_bytes"]
    end
    return second
end

-- The whole work tree, or some paths of it.
local function stage(call, paths)
    local arguments = { "add", "--all", "--" }
    if not paths[1] then arguments = { "add", "--all" } end
    table.move(paths, 1, #paths, #arguments + 1, arguments)
    return call:run_when_free(arguments)
end

-- The message comes by stdin: it may be of any length and begin with anything.
local function record(call, message, paths)
    local arguments = { "commit", "--file=-", "--" }
    table.move(paths, 1, #paths, #arguments + 1, arguments)
    return call:run_when_free(arguments, { stdin = message })
end

local function stage_and_record(call, message, paths)
    local staged, complaint = stage(call, paths)
    if not staged or staged.exit_code ~= 0 then return staged, complaint end
    local recorded
    recorded, complaint = record(call, message, paths)
    if not recorded then return nil, complaint end
    return join(staged, recorded)
end

-- "[main 1234abc] subject": the commit that this call made, whatever others did meanwhile.
local function made(call, run)
    local short = ("\n" .. run.stdout):match("\n%[[^\n]- (%x+)%] ")
    return short and place.commit(call, short) or place.head(call).commit
end

local function fields_of(call, run, resolved)
    local head = place.head(call)
    return {
        commit = place.or_null(made(call, run)), branch = place.or_null(head.branch), resolved = place.shown(resolved),
    }
end

--- Stages everything, or `paths` only, and commits it.
---@param call git.Call
---@param message string
---@param paths? string[]
function commit.run(call, message, paths)
    engine.program(call, "commit")
    if message:find("\0", 1, true) then return nil, "message: expected text, got a NUL byte, which no commit can hold" end
    paths = check.paths("paths", paths)
    local unmerged = place.unmerged(call)
    if unmerged[1] then
        local open = open_conflicts(call, unmerged)
        if open[1] then return refusal(call, open) end
    end
    local run, complaint = stage_and_record(call, message, paths)
    if not run then return nil, complaint end
    local outcome = answer.both(run, call)
    if not outcome.ok then return answer.result(call, outcome) end
    if unmerged[1] then
        outcome.notes[#outcome.notes + 1] = "Committed as resolved: " .. table.concat(place.shown(unmerged), ", ")
    end
    return answer.result(call, outcome, fields_of(call, run, unmerged))
end

return commit
