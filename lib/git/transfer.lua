--- git_push and git_pull.
local answer = require("git.answer")
local check = require("git.check")
local engine = require("git.engine")
local json = require("json")
local mask = require("git.mask")
local place = require("git.place")
local remote = require("git.remote")
local text = require("text")

local transfer = {}

local ORIGIN = "origin"

local STATES = {
    [" "] = "updated", ["+"] = "forced", ["*"] = "created", ["-"] = "deleted", ["="] = "unchanged", ["!"] = "refused",
}

-- " ! [rejected]        main -> main (fetch first)": flag, summary, names and reason.
local function read_ref(line)
    local flag, summary, rest = line:match("^ ([ +*=!-]) (%[[^%]]+%]) +(.+)$")
    if not flag then flag, summary, rest = line:match("^ ([ +*=!-]) (%x+%.%.%.?%x+) +(.+)$") end
    if not flag then return nil end
    local reason
    local open = rest:sub(-1) == ")" and rest:find(" (", 1, true) -- no name has a blank
    if open then rest, reason = rest:sub(1, open - 1), rest:sub(open + 2, -2) end
    local from, to = rest:match("^(%S+) %-> (%S+)$")
    return { from = from, to = to or rest, state = STATES[flag], summary = summary, reason = reason }
end

--- The fate of each ref in what `git push` printed: below "To <URL>", for above it the hooks of this side have the word.
---@param output string
---@return table refs
function transfer.parse_refs(output)
    local refs, pushed = json.array({}), false
    for line in output:gmatch("[^\n]+") do
        pushed = pushed or line:find("^To ") ~= nil
        if pushed then refs[#refs + 1] = read_ref(line) end
    end
    return refs
end

local function run_remote(call, arguments, route)
    return call:run_when_free(arguments, { env = route.env, config = route.config, transfers = true })
end

--- Pushes to a remote. A ref that it refuses is an error.
---@param call git.Call
---@param name? string remote or URL; default origin
---@param branch? string branch or refspec
function transfer.push(call, name, branch)
    engine.program(call, "push")
    name, branch = check.source("remote", name) or ORIGIN, check.revision("branch", branch)
    local route = remote.route(call, name, true)
    local run, message = run_remote(call, { "push", "--", name, branch }, route)
    if not run then return nil, message end
    local outcome = answer.both(run, call)
    remote.explain(outcome)
    return answer.result(call, outcome, { remote = mask.url(name), refs = transfer.parse_refs(text.clean(run.stderr)) })
end

-- Conflicts may also come of a pull that succeeds: when it puts back what it had stashed.
local function pull_fields(call, before)
    local head, conflicts = place.head(call), place.unmerged(call)
    return {
        branch = place.or_null(head.branch), commit = place.or_null(head.commit), commit_before = place.or_null(before.commit),
        conflicts = place.shown(conflicts),
    }
end

--- Pulls from a remote, as the repository is configured to: local work is never overwritten.
---@param call git.Call
---@param name? string remote or URL; default origin
---@param branch? string
function transfer.pull(call, name, branch)
    engine.program(call, "pull")
    name, branch = check.source("remote", name) or ORIGIN, check.fetched("branch", branch)
    local before = place.head(call)
    local run, message = run_remote(call, { "pull", "--end-of-options", name, branch }, remote.route(call, name))
    if not run then return nil, message end
    local outcome = answer.both(run, call)
    remote.explain(outcome)
    return answer.result(call, outcome, pull_fields(call, before))
end

return transfer
