--- The `git` program: how it is called. No shell reads the arguments, no prompt of any kind can wait for a person, and
--- no repository above the workspace is found.
local clock = require("clock")
local fiber = require("fiber")
local fs = require("fs")
local host = require("host")
local log = require("log")
local mask = require("git.mask")
local process = require("process")
local progress = require("git.progress")
local repository = require("git")

local program = {}

local logger = log.logger("sandstorm_mcp.git")

program.OUTPUT_BYTES = 10 * 1024 * 1024 -- kept of each stream

-- Stronger than any configuration file: transports that run what the URL says, bytes for terminals, and text that is no
-- UTF-8.
local CONFIG = {
    "protocol.ext.allow=never", "protocol.fd.allow=never",
    "color.ui=never", "color.branch=never", "color.diff=never", "color.status=never",
    "column.ui=never", "column.branch=never", "column.status=never", "i18n.logOutputEncoding=UTF-8",
}

local ENVIRONMENT = {
    GIT_TERMINAL_PROMPT = "0", GCM_INTERACTIVE = "never",
    GIT_ASKPASS = "", SSH_ASKPASS = "", SSH_ASKPASS_REQUIRE = "never",
    GIT_EDITOR = ":", GIT_SEQUENCE_EDITOR = ":", GIT_MERGE_AUTOEDIT = "no",
}

-- Would point git at another repository than that of the directory, or let it search further than we looked; nothing that
-- a call may inherit.
local LEFT_OUT = {
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_CONFIG_PARAMETERS",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
}

local LOCK_PATIENCE_MS, LOCK_POLL_MS = 2000, 50

-- By this all processes of one run are known.
local RUN_VARIABLE, END_POLL_MS = "SANDSTORM_GIT_RUN", 50

---@class git.RunOptions
---@field reads? boolean changes nothing: takes no locks that can be done without
---@field env? table<string, string>
---@field config? string[] further `name=value`
---@field stdin? string
---@field cwd? string another directory than the call's
---@field on_output? fun(stdout: string, stderr: string) watches git, as for process.run
---@field transfers? boolean a command that knows --progress: the client is told how far it is, if it asked for that

--- One call of a tool: the directory it is about, and the time it has for all that it runs.
---@class git.Call
---@field cwd string as given by the agent
---@field timeout_s number
---@field deadline number
---@field place? git.Place of the repository, where one was found
---@field ctx? ctx.Context of the tool, to tell progress
---@field private run_id? string of what runs, or ran last
---@field engine string what answers, for the result: "native", or "git: " and why the program does
local Call = {}
Call.__index = Call

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

local function environment(options, run_id)
    local env = { GIT_CEILING_DIRECTORIES = fs.root():match("^(.*)/[^/]*$"), [RUN_VARIABLE] = run_id }
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

---@param cwd string
---@param timeout_s number
---@param ctx? ctx.Context
---@return git.Call
function program.call(cwd, timeout_s, ctx)
    return setmetatable({
        cwd = cwd, timeout_s = timeout_s, deadline = clock.monotonic_ms() + timeout_s * 1000, ctx = ctx,
    }, Call)
end

function Call:time_left_ms() return self.deadline - clock.monotonic_ms() end

local function log_run(run, arguments)
    if not logger.enabled("debug") then return end
    logger.debug("git " .. mask.text(table.concat(arguments, " ")), {
        exit_code = run.exit_code, signal = run.signal, duration_ms = math.floor(run.duration_ms),
    })
end

-- As if nobody had followed.
local function without_progress(run)
    local said = progress.leave_out(run.stderr)
    run.stderr_bytes = run.stderr_bytes - #run.stderr + #said
    run.stderr = said
    return run
end

-- Calls all of two functions that are there.
local function both(first, second)
    if not first or not second then return first or second end
    return function(...)
        first(...)
        second(...)
    end
end

--- Runs git to its end.
---@param arguments string[] from the subcommand on
---@param options? git.RunOptions
---@return process.Result? run
---@return string? message what to tell the agent when it did not start
function Call:run(arguments, options)
    options = options or {}
    local tell
    if options.transfers and self.ctx and self.ctx:is_followed() then
        arguments, tell = progress.asked_for(arguments), progress.teller(self.ctx)
    end
    self.run_id = host.random_id()
    local run, message, code = process.run({
        argv = command_line(arguments, options.config),
        cwd = options.cwd or self.cwd,
        env = environment(options, self.run_id),
        timeout_ms = math.max(1, self:time_left_ms()),
        capture_bytes = program.OUTPUT_BYTES + 4, -- one character more: the cut falls on a border
        stdin = options.stdin,
        on_output = both(options.on_output, tell),
    })
    if not run then return failure(message, code) end
    log_run(run, arguments)
    return tell and without_progress(run) or run
end

--- Calls `act`, beside and beyond the call, when nothing runs any more of what the call ran last. Of a call that is
--- stopped all that it ran is being ended.
---@param act fun()
function Call:when_ended(act)
    local marks = { self.run_id }
    fiber.spawn(function()
        while process.signal_marked(RUN_VARIABLE, marks, "0") > 0 do clock.sleep(END_POLL_MS) end
        act()
    end)
end

--- The output of a command that only inspects; nil when it failed, or when the time of the call is over.
---@param arguments string[]
---@param options? git.RunOptions
---@return string? stdout
function Call:ask(arguments, options)
    if self:time_left_ms() <= 0 then return nil end
    local run = self:run(arguments, {
        reads = true, cwd = options and options.cwd, stdin = options and options.stdin,
    })
    if not run or run.exit_code ~= 0 or run.stdout_truncated then return nil end
    return run.stdout
end

local COMPLAINT = "Unable to create '/"

-- Lines from a remote are its own: it may name any file of ours.
local function lock_named_in(said)
    for line in said:gmatch("[^\n]+") do
        local _, start = line:find(COMPLAINT, 1, true)
        local path = start and not line:find("^remote: ") and line:match("^(.*%.lock)': File exists", start)
        if path then return path end
    end
end

--- The lock file that git says it could not make because it is there; one of the call's repository only.
---@param run process.Result
---@return string? path absolute
function Call:blocking_lock(run)
    local path = self.place and lock_named_in(run.stderr)
    local where = path and repository.locate(path:match("^(.+)/") or "/")
    if not where then return nil end
    for _, own in ipairs({ self.place.git_dir, self.place.common_dir }) do
        if (where.directory .. "/"):sub(1, #own + 1) == own .. "/" then return path end
    end
end

--- As Call:run, but waits a little for another git that holds a lock.
function Call:run_when_free(arguments, options)
    local patience = clock.monotonic_ms() + LOCK_PATIENCE_MS
    local run, message
    repeat
        if run then clock.sleep(LOCK_POLL_MS) end
        run, message = self:run(arguments, options)
    until not run or run.exit_code == 0 or not self:blocking_lock(run) or clock.monotonic_ms() > patience
    return run, message
end

return program
