--- git_clone: a new repository in the workspace.
local answer = require("git.answer")
local check = require("git.check")
local engine = require("git.engine")
local fs = require("fs")
local mask = require("git.mask")
local names = require("names")
local order = require("git.order")
local place = require("git.place")
local remote = require("git.remote")
local targets = require("git.target")

local clone = {}

local function arguments_for(url, path, branch)
    local arguments = { "clone", "--no-hardlinks" } -- a file of the workspace shares its content with none outside
    if branch then arguments[#arguments + 1] = "--branch=" .. branch end
    arguments[#arguments + 1] = "--"
    arguments[#arguments + 1] = url
    arguments[#arguments + 1] = path
    return arguments
end

-- Runs git, which tells the target what it does.
local function run_for(call, arguments, route, target)
    return call:run(arguments, {
        env = route.env, config = route.config, transfers = true,
        on_output = function(_, stderr) target:hear(stderr) end,
    })
end

local function fields_of(call, url, path)
    local head = path and place.head(call, path) or {}
    return {
        path = place.or_null(path and names.show(path)), url = mask.url(url),
        branch = place.or_null(head.branch), commit = place.or_null(head.commit),
    }
end

-- The name that git makes of a URL, near enough to tell clones that may meet.
local function name_of(url) return (url:gsub("[%s/]+$", ""):gsub("/%.git$", ""):match("[^/:]*$"):gsub("%.git$", "")) end

-- Where a clone goes, before it is known for certain.
local function goal(url, path)
    local named = path and path ~= "" and names.read(path) or name_of(url)
    return fs.resolve(named) or named
end

---@param call git.Call in the workspace
---@param url string
---@param path? string
---@param branch? string
function clone.run(call, url, path, branch)
    engine.program(call, "clone")
    url, branch = check.source("repo_url", url) or "", check.revision("branch", branch)
    local turn <close>, late = order.at(call, goal(url, path), "git_clone")
    if not turn then return nil, late end
    local target, message = targets.of(path)
    if not target then return nil, message end
    turn.if_stopped = function() target:give_up() end
    local run, complaint = run_for(call, arguments_for(url, target.path, branch), remote.route(call, url), target)
    if not run then
        target:clean_up(false)
        return nil, complaint
    end
    local outcome = answer.both(run, call)
    remote.explain(outcome)
    if not outcome.ok then
        target:clean_up(run.timed_out or run.signal ~= nil)
        return answer.result(call, outcome)
    end
    target:keep()
    return answer.result(call, outcome, fields_of(call, url, target:where()))
end

return clone
