--- The `git` program: how it is called. No shell reads the arguments, no prompt of any kind can wait for a person, and
--- no repository above the workspace is found.
local clock = require("clock")
local fs = require("fs")
local log = require("log")
local mask = require("git.mask")
local process = require("process")

local program = {}

local logger = log.logger("sandstorm_mcp.git")

program.OUTPUT_BYTES = 10 * 1024 * 1024 -- kept of each stream

-- Stronger than any configuration file: transports that run what the URL says, and bytes for terminals.
local CONFIG = {
    "protocol.ext.allow=never", "protocol.fd.allow=never",
    "color.ui=never", "color.branch=never", "color.diff=never", "color.status=never",
    "column.ui=never", "column.branch=never", "column.status=never",
}

local ENVIRONMENT = {
    GIT_TERMINAL_PROMPT = "0", GCM_INTERACTIVE = "never",
    GIT_ASKPASS = "", SSH_ASKPASS = "", SSH_ASKPASS_REQUIRE = "never",
    GIT_EDITOR = ":", GIT_SEQUENCE_EDITOR = ":", GIT_MERGE_AUTOEDIT = "no",
}

-- Would point git at another repository than that of the directory; nothing that a call may inherit.
local LEFT_OUT = {
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_CONFIG_PARAMETERS",
}

local LOCK_PATIENCE_MS, LOCK_POLL_MS = 2000, 50

---@class git.RunOptions
---@field cwd string directory as given by the agent
---@field timeout_s number
---@field reads? boolean changes nothing: takes no locks that can be done without
---@field env? table<string, string>
---@field config? string[] further `name=value`
---@field stdin? string

local function append(list, more)
    for _, item in ipairs(more or {}) do list[#list + 1] = item end
    return list
end

local function command_line(arguments, config)
    local argv = {}
    for _, name in ipairs(LEFT_OUT) do
        if os.getenv(name) then append(argv, { "-u", name }) end
    end
    if argv[1] then table.insert(argv, 1, "env") end
    argv[#argv + 1] = "git"
    for _, list in ipairs({ CONFIG, config or {} }) do
        for _, setting in ipairs(list) do append(argv, { "-c", setting }) end
    end
    return append(argv, arguments)
end

local function environment(options)
    local env = { GIT_CEILING_DIRECTORIES = fs.root():match("^(.*)/[^/]*$") }
    if env.GIT_CEILING_DIRECTORIES == "" then env.GIT_CEILING_DIRECTORIES = "/" end
    if options.reads then env.GIT_OPTIONAL_LOCKS = "0" end
    for _, more in ipairs({ ENVIRONMENT, options.env or {} }) do
        for name, value in pairs(more) do env[name] = value end
    end
    return env
end

local function failure(message, code)
    if code == "EOUTSIDE" then return nil, message end
    if code == "ENOENT" and not message:find("^/") then
        return nil, "Error: git is not installed, or not in the PATH of this server"
    end
    return nil, "Error: " .. message
end

--- Runs git to its end.
---@param arguments string[] from the subcommand on
---@param options git.RunOptions
---@return process.Result? run
---@return string? message what to tell the agent when it did not start
function program.run(arguments, options)
    local run, message, code = process.run({
        argv = command_line(arguments, options.config),
        cwd = options.cwd,
        env = environment(options),
        timeout_ms = options.timeout_s * 1000,
        capture_bytes = program.OUTPUT_BYTES + 4, -- one character more: the cut falls on a border
        stdin = options.stdin,
    })
    if not run then return failure(message, code) end
    if logger.enabled("debug") then
        logger.debug("git " .. mask.text(table.concat(arguments, " ")), {
            exit_code = run.exit_code, signal = run.signal, duration_ms = math.floor(run.duration_ms),
        })
    end
    return run
end

--- The output of a command that inspects, or nil when it failed.
---@param arguments string[]
---@param options git.RunOptions
---@return string? stdout
function program.ask(arguments, options)
    local run = program.run(arguments, options)
    if not run or run.exit_code ~= 0 or run.stdout_truncated then return nil end
    return run.stdout
end

--- The lock file that git says it could not make because it is there.
---@param run process.Result
---@return string? path absolute
function program.blocking_lock(run)
    if run.exit_code == 0 then return nil end
    return run.stderr:match("'(/[^'\n]*%.lock)': File exists")
end

--- As program.run, but waits a little for another git that holds a lock.
function program.run_when_free(arguments, options)
    local deadline = clock.monotonic_ms() + LOCK_PATIENCE_MS
    local run, message
    repeat
        if run then clock.sleep(LOCK_POLL_MS) end
        run, message = program.run(arguments, options)
    until not run or not program.blocking_lock(run) or clock.monotonic_ms() > deadline
    return run, message
end

return program
