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

---@class git.Target
---@field path? string absolute; nil when git is to choose
---@field existed boolean
---@field parents string[] the folders above it that are missing, nearest first

-- What is missing on the way to a path; fails where the way, as far as it exists, leads out of the workspace.
local function missing_on_the_way(path)
    local missing = {}
    while true do
        local found, message, code = fs.stat(path)
        if found then return missing end
        if code ~= "ENOENT" then return nil, code == "EOUTSIDE" and message or "Error: " .. message end
        missing[#missing + 1] = path
        path = path:match("^(.+)/[^/]*$")
    end
end

---@return git.Target? target
---@return string? message
local function target_of(path)
    if not path or path == "" then return { existed = false, parents = {} } end
    local absolute, message = fs.resolve(names.read(path))
    if not absolute then return nil, message end
    local missing, complaint = missing_on_the_way(absolute)
    if not missing then return nil, complaint end
    local existed = missing[1] ~= absolute
    return { path = absolute, existed = existed, parents = table.move(missing, 2, #missing, 1, {}) }
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

local function remove(...) return process.run({ argv = { ... }, timeout_ms = REMOVE_S * 1000 }) end

-- git removes what it made, unless it was killed before it had done so; folders above the target it leaves.
local function clean_up(run, target)
    local path = target.path or named(run)
    local killed = run.timed_out or run.signal
    if killed and path and not target.existed and path ~= fs.root() and fs.stat(path) then remove("rm", "-rf", "--", path) end
    if target.parents[1] then remove("rmdir", "--", table.unpack(target.parents)) end
end

local function fields_of(call, run, url, target)
    local path = target.path or named(run)
    local head = path and place.head(call, path) or {}
    return {
        path = place.or_null(path and names.show(path)), url = mask.text(url),
        branch = place.or_null(head.branch), commit = place.or_null(head.commit),
    }
end

---@param call git.Call in the workspace
---@param url string
---@param path? string
---@param branch? string
function clone.run(call, url, path, branch)
    engine.program(call, "clone")
    url, branch = check.source("repo_url", url) or "", check.revision("branch", branch)
    local target, message = target_of(path)
    if not target then return nil, message end
    local route = remote.route(call, url)
    local run
    run, message = call:run(arguments_for(url, target.path, branch), { env = route.env, config = route.config })
    if not run then return nil, message end
    local outcome = answer.both(run, call)
    remote.explain(outcome)
    if outcome.ok then return answer.result(call, outcome, fields_of(call, run, url, target)) end
    clean_up(run, target)
    return answer.result(call, outcome)
end

return clone
