--- Which engine answers: the one in this process (libgit2), where it says what git says and is faster, or the program.
--- There is one predicate for that. Its first half stands here: what the operation needs, and what the server's
--- environment says. The second half, facts of the repository, is with the engine, in runtime/git_native.c.
local log = require("log")
local repository = require("git")

local engine = {}

local logger = log.logger("sandstorm_mcp.git")

local NATIVE = "native"

-- Measured on 5,000 files: libgit2 walks a work tree no faster than git, and reads attributes, filters, sparse sets and
-- submodules in another way. What writes has hooks, signing, credentials and locks to respect.
local WRITES, WALKS = "changes the repository", "reads the work tree"
local REASONS = {
    clone = WRITES, commit = WRITES, push = WRITES, pull = WRITES, checkout = WRITES, create_branch = WRITES,
    status = WALKS, diff = WALKS,
}

-- Change what git reads, and libgit2 does not know them.
local VARIABLES = {
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_NO_REPLACE_OBJECTS", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_TEST_ASSUME_DIFFERENT_OWNER",
}

local function reason_in_environment()
    for _, name in ipairs(VARIABLES) do
        if os.getenv(name) then return name .. " is set" end
    end
end

--- Does git write English in this server's environment, and read the settings that are known here?
function engine.speaks_english()
    if reason_in_environment() or (os.getenv("LANGUAGE") or "") ~= "" then return false end
    local locale = ""
    for _, name in ipairs({ "LC_ALL", "LC_MESSAGES", "LANG" }) do
        if locale == "" then locale = os.getenv(name) or "" end
    end
    return locale == "" or locale:find("^C$") ~= nil or locale:find("^C%.") ~= nil or locale:find("^POSIX") ~= nil
        or locale:find("^en[_.@]") ~= nil or locale == "en"
end

local function note(call, operation)
    logger.debug("git engine", { operation = operation, engine = call.engine })
end

--- Says that the program answers, and why.
---@param call git.Call
---@param operation string
---@param reason? string default: what holds for the operation always
function engine.program(call, operation, reason)
    call.engine = "git: " .. (reason or REASONS[operation])
    note(call, operation)
end

-- The answer of this process's engine, or nil: then the program is to be asked.
local function native(call, operation, reason, ...)
    reason = reason or reason_in_environment()
    local lines
    if not reason then lines, reason = repository[operation](call.cwd, ...) end
    if not lines then return engine.program(call, operation, reason) end
    call.engine = NATIVE
    note(call, operation)
    return lines
end

--- Lines in a format that both engines write.
---@param call git.Call
---@param operation "history"|"branches"
---@param reason? string what about the arguments needs the program
---@param arguments string[] for the program
---@param ... any further arguments of the operation in this process
---@return string? lines whole ones; nil when git failed
---@return process.Result? run what git did, if it was asked
---@return string? message git did not even start
function engine.lines(call, operation, reason, arguments, ...)
    local lines = native(call, operation, reason, ...)
    if lines then return lines end
    local run, message = call:run(arguments, { reads = true })
    if not run or run.exit_code ~= 0 then return nil, run, message end
    return run.stdout_truncated and run.stdout:match("^.*\n") or run.stdout, run
end

return engine
