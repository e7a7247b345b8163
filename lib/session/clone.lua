--- Clones a repository of GitHub into the `workspace` folder of a session, one commit deep. Names are arguments of git, never
--- shell text.
local ending = require("session.ending")
local log = require("log")
local mask = require("git.mask")
local program = require("git.program")
local remote = require("git.remote")
local text = require("text")

local clone = {}

local logger = log.logger("sessions")

local TIMEOUT_S = 300
local SAID_BYTES = 2000

-- git-check-ref-format(1), for one name of a branch.
local WRONG_IN_BRANCH = { "%c", "[ ~^:?*%[\\\127]", "%.%.", "@{", "^[-/.]", "[/.]$", "//", "/%.", "%.lock$", "%.lock/" }

--- What is wrong with a branch name, or nil.
---@param branch string
---@return string?
function clone.complaint(branch)
    for _, pattern in ipairs(WRONG_IN_BRANCH) do
        if branch:find(pattern) or branch == "@" then
            return "requirements.branch: expected the name of a branch as git allows it"
        end
    end
end

local function said(run)
    if run.timed_out then return ("timeout after %ds"):format(TIMEOUT_S) end
    local words = mask.text(text.clean(run.stderr)):gsub("%s+$", "")
    return text.cut(words ~= "" and words or ("git ended with %s"):format(run.exit_code or run.signal), SAID_BYTES)
end

-- The processes of a clone end with the session, too.
local function marked(env, id)
    local all = { [ending.VARIABLE] = id }
    for name, value in pairs(env or {}) do all[name] = value end
    return all
end

--- Clones. Nil and what is wrong when git could not.
---@param id string of the session
---@param folder string absolute, empty
---@param repo string owner/name
---@param branch string
---@return true?
---@return string? message
function clone.run(id, folder, repo, branch)
    local call, url = program.call(folder, TIMEOUT_S), ("https://github.com/%s.git"):format(repo)
    local route = remote.route(call, url)
    local run, message = call:run({ "clone", "--depth", "1", "--single-branch", "--branch", branch, "--", url, "." },
        { env = marked(route.env, id), config = route.config })
    if run and run.exit_code == 0 and not run.timed_out then return true end
    message = run and said(run) or message:gsub("^Error: ", "")
    logger.warning(("Session %s: git clone failed: %s"):format(id, message))
    return nil, ("requirements.repo: git could not clone %s (branch %s): %s"):format(repo, branch, message)
end

return clone
