--- git_push and git_pull.
local answer = require("git.answer")
local check = require("git.check")
local json = require("json")
local place = require("git.place")
local program = require("git.program")
local remote = require("git.remote")
local text = require("text")

local transfer = {}

local TIMEOUT_S = 60
local ORIGIN = "origin"

local STATES = {
    [" "] = "updated", ["+"] = "forced", ["*"] = "created", ["-"] = "deleted", ["="] = "unchanged", ["!"] = "refused",
}

-- " ! [rejected]        main -> main (fetch first)": flag, summary, names and reason.
local function read_ref(line)
    local flag, summary, rest = line:match("^ ([ +*=!-]) (%[[^%]]+%]) +(.+)$")
    if not flag then flag, summary, rest = line:match("^ ([ +*=!-]) (%x+%.%.%.?%x+) +(.+)$") end
    if not flag then return nil end
    local reason = rest:match(" %((.*)%)$")
    if reason then rest = rest:sub(1, -#reason - 4) end
    local from, to = rest:match("^(%S+) %-> (%S+)$")
    return { from = from, to = to or rest, state = STATES[flag], summary = summary, reason = reason }
end

--- The fate of each ref in what `git push` printed.
---@param output string
---@return table refs
function transfer.parse_refs(output)
    local refs = json.array({})
    for line in output:gmatch("[^\n]+") do
        refs[#refs + 1] = read_ref(line)
    end
    return refs
end

local function run_remote(cwd, arguments, route)
    return program.run_when_free(arguments, { cwd = cwd, timeout_s = TIMEOUT_S, env = route.env, config = route.config })
end

--- Pushes to a remote. A ref that it refuses is an error.
---@param cwd string
---@param name? string remote or URL; default origin
---@param branch? string branch or refspec
function transfer.push(cwd, name, branch)
    name, branch = check.source("remote", name) or ORIGIN, check.revision("branch", branch)
    local route = remote.route(cwd, name, true)
    local run, message = run_remote(cwd, { "push", "--", name, branch }, route)
    if not run then return nil, message end
    local outcome = answer.both(run, TIMEOUT_S)
    remote.explain(outcome)
    return answer.result(outcome, { remote = name, refs = transfer.parse_refs(text.clean(run.stderr)) })
end

local function pull_fields(cwd, before, conflicts)
    local head = place.head(cwd)
    return {
        branch = place.or_null(head.branch), commit = place.or_null(head.commit), commit_before = place.or_null(before.commit),
        conflicts = place.shown(conflicts),
    }
end

--- Pulls from a remote, as the repository is configured to: local work is never overwritten.
---@param cwd string
---@param name? string remote or URL; default origin
---@param branch? string
function transfer.pull(cwd, name, branch)
    name, branch = check.source("remote", name) or ORIGIN, check.revision("branch", branch)
    local before = place.head(cwd)
    local run, message = run_remote(cwd, { "pull", "--end-of-options", name, branch }, remote.route(cwd, name))
    if not run then return nil, message end
    local outcome = answer.both(run, TIMEOUT_S)
    remote.explain(outcome)
    local conflicts = not outcome.ok and place.unmerged(cwd) or {}
    return answer.result(outcome, pull_fields(cwd, before, conflicts))
end

return transfer
