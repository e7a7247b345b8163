--- git_diff: what changed, as git prints it.
local answer = require("git.answer")
local check = require("git.check")
local engine = require("git.engine")
local fail = require("fail")

local changes = {}

local NONE = "(no changes)"

local function check_combination(options)
    if options.to and not options.from then fail.raise("to: expected together with from, got it alone") end
    if options.to and options.staged then
        fail.raise("to: expected without staged, got both: staged compares one commit with what is staged")
    end
end

local NEUTRAL = "--no-color" -- changes nothing: no colour is on anyway

-- Where just two words follow what begins with `-`, whatever they are, even the `--` between revisions and paths, git may
-- take them for two files to compare, outside of every repository and of the workspace: there must be more, or one.
local function arguments_for(options)
    local arguments, paths = { "diff" }, options.paths
    if options.staged then arguments[2] = "--cached" end
    if options.from and not options.to and not paths[1] then
        table.move({ options.from, NEUTRAL, "--" }, 1, 3, #arguments + 1, arguments)
        return arguments
    end
    arguments[#arguments + 1] = "--end-of-options"
    arguments[#arguments + 1] = options.from
    arguments[#arguments + 1] = options.to
    arguments[#arguments + 1] = "--"
    table.move(paths, 1, #paths, #arguments + 1, arguments)
    local short = paths[1] and not options.from and 3 - #paths or 0
    for _ = 1, short do arguments[#arguments + 1] = paths[1] end
    return arguments
end

local USAGE = 129 -- exit code of a git that was called in a wrong way

-- Outside of a repository git explains how to compare any two files. What is due is why there is no repository.
local function without_usage(call, run)
    if run.exit_code ~= USAGE then return run end
    local refused = call:run({ "rev-parse", "--git-dir" }, { reads = true })
    return refused and refused.exit_code ~= 0 and refused or run
end

---@param call git.Call
---@param options { staged?: boolean, from?: string, to?: string, paths?: string[] }
function changes.run(call, options)
    engine.program(call, "diff")
    local checked = {
        staged = options.staged,
        from = check.revision("from", options.from), to = check.revision("to", options.to),
        paths = check.paths("paths", options.paths),
    }
    check_combination(checked)
    local run, message = call:run(arguments_for(checked), { reads = true })
    if not run then return nil, message end
    local outcome = answer.shown(without_usage(call, run), call)
    if not outcome.ok then return answer.result(call, outcome) end
    local changed = outcome.text ~= ""
    if not changed then outcome.text = NONE end
    return answer.result(call, outcome, { changed = changed, complete = not run.stdout_truncated })
end

return changes
