--- git_clone: a new repository in the workspace. What a failure leaves behind is removed, what was there before never.
local answer = require("git.answer")
local check = require("git.check")
local engine = require("git.engine")
local fs = require("fs")
local mask = require("git.mask")
local names = require("names")
local place = require("git.place")
local process = require("process")
local remote = require("git.remote")

local clone = {}

local REMOVE_S = 60

-- Does anything stand at a path? Fails where the way there, as far as it exists, leads out of the workspace.
local function look(path)
    local found, message, code = fs.stat(path)
    if found then return true end
    if code ~= "ENOENT" then return nil, code == "EOUTSIDE" and message or "Error: " .. message end
    local parent = path:match("^(.+)/[^/]*$")
    if not parent or #parent < #fs.root() then return false end
    local ok, complaint = look(parent)
    if ok == nil then return nil, complaint end
    return false
end

-- The absolute path of a target, whether it exists, or why it cannot be one.
local function target_of(path)
    if not path or path == "" then return nil, false end
    local absolute, message = fs.resolve(names.read(path))
    if not absolute then return nil, nil, message end
    local exists, complaint = look(absolute)
    if exists == nil then return nil, nil, complaint end
    return absolute, exists
end

local function arguments_for(url, target, branch)
    local arguments = { "clone", "--no-hardlinks" } -- a file of the workspace shares its content with none outside
    if branch then arguments[#arguments + 1] = "--branch=" .. branch end
    arguments[#arguments + 1] = "--"
    arguments[#arguments + 1] = url
    arguments[#arguments + 1] = target
    return arguments
end

-- The directory that git speaks of: "Cloning into 'r'...".
local function named(run)
    local name = (run.stderr .. run.stdout):match("^Cloning into [^\n]-'([^\n]+)'%.%.%.")
    return name and fs.resolve(name)
end

-- git removes what it made, unless it was killed before it had done so.
local function clean_up(run, target, existed)
    if existed or not (run.timed_out or run.signal) or not target then return end
    if target == fs.root() or not fs.stat(target) then return end
    return process.run({ argv = { "rm", "-rf", "--", target }, timeout_ms = REMOVE_S * 1000 })
end

---@param call git.Call in the workspace
---@param url string
---@param path? string
---@param branch? string
function clone.run(call, url, path, branch)
    engine.program(call, "clone")
    url, branch = check.source("repo_url", url) or "", check.revision("branch", branch)
    local target, existed, message = target_of(path)
    if message then return nil, message end
    local route = remote.route(call, url)
    local run
    run, message = call:run(arguments_for(url, target, branch),
        { env = route.env, config = route.config })
    if not run then return nil, message end
    local made = target or named(run)
    local outcome = answer.both(run, call)
    remote.explain(outcome)
    if not outcome.ok then
        clean_up(run, made, existed)
        return answer.result(call, outcome)
    end
    local head = made and place.head(call, made) or {}
    return answer.result(call, outcome, {
        path = place.or_null(made and names.show(made)), url = mask.text(url),
        branch = place.or_null(head.branch), commit = place.or_null(head.commit),
    })
end

return clone
