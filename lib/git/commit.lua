--- git_commit: stages and commits, and refuses what nobody means to commit: the marks of an open conflict.
local answer = require("git.answer")
local check = require("git.check")
local engine = require("git.engine")
local markers = require("git.markers")
local names = require("names")
local place = require("git.place")

local commit = {}

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

-- "[main 1234abc] subject": the commit that this call made, whatever others did meanwhile. Hooks may print such a line of
-- another commit before it.
local function made(call, run)
    local short = ("\n" .. run.stdout):match(".*\n%[[^\n]- (%x+)%] ")
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
        local open = markers.open_conflicts(call, unmerged)
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
