--- What the git tools do. Paths are what the agent gave; results have git's own text, and the same as fields.
local branches = require("git.branches")
local changes = require("git.changes")
local clone = require("git.clone")
local commit = require("git.commit")
local history = require("git.history")
local names = require("names")
local status = require("git.status")
local transfer = require("git.transfer")

local git = {}

local function directory(path) return names.read(path or "") end

function git.clone(args) return clone.run(args.repo_url, args.path, args.branch) end

function git.status(args) return status.run(directory(args.path)) end

function git.commit(args) return commit.run(directory(args.path), args.message, args.paths) end

function git.push(args) return transfer.push(directory(args.path), args.remote, args.branch) end

function git.pull(args) return transfer.pull(directory(args.path), args.remote, args.branch) end

function git.branch(args) return branches.list_or_create(directory(args.path), args.name) end

function git.checkout(args) return branches.checkout(directory(args.path), args.branch) end

function git.diff(args) return changes.run(directory(args.path), args) end

function git.log(args) return history.run(directory(args.path), args) end

return git
