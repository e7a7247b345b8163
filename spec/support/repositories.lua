--- Repositories for specs: each made twice from the same lines, once in the workspace of a server and once as a twin for
--- `git` itself. Names, dates and paths are fixed, so both have the same hashes.
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local repositories = {}

local quote = tmp.quote

local WHO, ADDRESS, WHEN = "Spec Tester", "spec@example.com", "2026-11-30T12:00:00+00:00"

local GIT_CONFIG = "[user]\n\tname = %s\n\temail = %s\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"

--- Settings of git that a server and its twin share.
function repositories.environment(home)
    return {
        HOME = home, LANG = "C.UTF-8", LC_ALL = "C.UTF-8", TZ = "UTC", GIT_CONFIG_NOSYSTEM = "1",
        GIT_AUTHOR_NAME = WHO, GIT_AUTHOR_EMAIL = ADDRESS, GIT_AUTHOR_DATE = WHEN,
        GIT_COMMITTER_NAME = WHO, GIT_COMMITTER_EMAIL = ADDRESS, GIT_COMMITTER_DATE = WHEN,
    }
end

---@class spec.Pair a workspace with a server, and its twin
---@field workspace string
---@field twin string
---@field home string
---@field server spec.Server
local Pair = {}
Pair.__index = Pair

--- opts: env (further variables of the server and of the shell lines).
---@return spec.Pair
function repositories.pair(opts)
    local self = setmetatable({ workspace = tmp.dir("workspace"), twin = tmp.dir("twin"), home = tmp.dir("home") }, Pair)
    tmp.write(self.home .. "/.gitconfig", GIT_CONFIG:format(WHO, ADDRESS))
    self.env = repositories.environment(self.home)
    for name, value in pairs(opts and opts.env or {}) do self.env[name] = value end
    self.server = server.start({ workspace = self.workspace, env = self.env })
    return self
end

function Pair:stop() self.server:stop() end

-- Runs shell lines in a folder; returns their output and whether they succeeded.
function Pair:shell(folder, lines)
    local words = { "cd " .. quote(folder) .. " && env -i PATH=/usr/bin:/bin GIT_TERMINAL_PROMPT=0 GIT_EDITOR=:" }
    for name, value in pairs(self.env) do words[#words + 1] = quote(name .. "=" .. value) end
    words[#words + 1] = "bash -c " .. quote(lines) .. " 2>&1 </dev/null"
    local pipe = assert(io.popen(table.concat(words, " ")))
    local output = pipe:read("a")
    return output, (pipe:close())
end

--- Runs shell lines in a folder of the workspace; raises when they fail.
function Pair:here(folder, lines)
    local output, ok = self:shell(self.workspace .. "/" .. folder, "set -e\n" .. lines)
    if not ok then error("failed: " .. lines .. "\n" .. output, 2) end
    return output
end

--- Runs the same lines on both sides, each in its own folder of that name; raises when they fail.
function Pair:both(folder, lines)
    for _, root in ipairs({ self.workspace, self.twin }) do
        tmp.shell("mkdir -p " .. quote(root .. "/" .. folder))
        local output, ok = self:shell(root .. "/" .. folder, "set -e\n" .. lines)
        if not ok then error("failed: " .. lines .. "\n" .. output, 2) end
    end
end

--- Text of the twin as if it came from the workspace.
function Pair:as_here(text) return (text:gsub((self.twin:gsub("%p", "%%%0")), (self.workspace:gsub("%%", "%%%%")))) end

-- Of a bare repository there is no index and no work tree.
local STATE = [[
state() {
git for-each-ref --format='%(refname) %(objectname) %(upstream)'; git symbolic-ref HEAD
[ -e .git ] || return
git status --porcelain=v2 --branch --ignored; git ls-files -s -v
find . -name .git -prune -o -printf '%P %y %m %l\n' | sort
find . -name .git -prune -o -type f -print0 | sort -z | xargs -0r sha256sum
}
for name in NAMES; do [ ! -d $name ] || { echo "== $name"; (cd $name; state); }; done
]]

--- Refs, HEAD, index, status and work tree of repositories in a folder, those that are there, on each side.
---@param folder string
---@param ... string names of repositories
---@return string here
---@return string there
function Pair:states(folder, ...)
    local lines = STATE:gsub("NAMES", table.concat({ ... }, " "))
    local here = self:shell(self.workspace .. "/" .. folder, lines)
    local there = self:shell(self.twin .. "/" .. folder, lines)
    return here, self:as_here(there)
end

return repositories
