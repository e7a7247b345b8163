--- What the git tools do. Paths are what the agent gave; results have git's own text, and the same as fields.
local branches = require("git.branches")
local changes = require("git.changes")
local clone = require("git.clone")
local commit = require("git.commit")
local fail = require("fail")
local history = require("git.history")
local names = require("names")
local order = require("git.order")
local program = require("git.program")
local repository = require("git")
local status = require("git.status")
local transfer = require("git.transfer")

local git = {}

-- What git itself says best.
local HARMLESS = { ENOREPO = true, ENOENT = true, ENOTDIR = true, EACCES = true }

-- The call, unless its repository leads out of the workspace, or nobody can tell whether it does.
local function call_for(args, timeout_s, ctx)
    local call = program.call(names.read(args.path or ""), timeout_s, ctx)
    local message, code
    call.place, message, code = repository.locate(call.cwd)
    if code == "EOUTSIDE" then fail.raise(message) end
    if not call.place and not HARMLESS[code] then fail.raise("Error: " .. message) end
    return call
end

function git.clone(args, timeout_s, ctx)
    return clone.run(program.call("", timeout_s, ctx), args.repo_url, args.path, args.branch)
end

function git.status(args, timeout_s) return status.run(call_for(args, timeout_s)) end

function git.commit(args, timeout_s)
    return order.change(call_for(args, timeout_s), "git_commit", commit.run, args.message, args.paths)
end

function git.push(args, timeout_s, ctx)
    return order.change(call_for(args, timeout_s, ctx), "git_push", transfer.push, args.remote, args.branch)
end

function git.pull(args, timeout_s, ctx)
    return order.change(call_for(args, timeout_s, ctx), "git_pull", transfer.pull, args.remote, args.branch)
end

function git.branch(args, timeout_s)
    local call = call_for(args, timeout_s)
    if not args.name or args.name == "" then return branches.list(call) end
    return order.change(call, "git_branch", branches.create, args.name)
end

function git.checkout(args, timeout_s)
    return order.change(call_for(args, timeout_s), "git_checkout", branches.checkout, args.branch)
end

function git.diff(args, timeout_s) return changes.run(call_for(args, timeout_s), args) end

function git.log(args, timeout_s) return history.run(call_for(args, timeout_s), args) end

return git
