--- Runs a command in a session. Several may run at a time; the session is active while at least one does.
local ending = require("session.ending")
local exit_status = require("exit_status")
local fiber = require("fiber")
local folders = require("session.folders")
local metrics = require("metrics")
local process = require("process")
local store = require("session.store")
local text = require("text")

local exec = {}

local MAX_S = 300
local SETTLE_MS = 60000 -- whatever calls are limited to
local OUTPUT_BYTES = 10 * 1024 * 1024

-- Writes down whether commands run, until that is what the database has. False where the session is over.
local function settle(id)
    local tag = ending.tag(id)
    local known
    repeat
        local busy = fiber.count(tag) > 0
        known = store.busy(id, busy)
    until not known or busy == (fiber.count(tag) > 0)
    return known
end

-- The state of the session is settled before the answer goes out: whoever asks then hears of it. Where the handler is
-- stopped it can wait for nothing, and the state is settled behind it.
local Running = {}
Running.__index = Running

function Running:finish()
    fiber.tag(nil)
    local known = settle(self.id)
    self.finished = true
    return known
end

function Running:__close()
    if self.finished then return end
    fiber.tag(nil)
    fiber.spawn(function() settle(self.id) end, { deadline_ms = SETTLE_MS })
end

local function outcome(run)
    if run.timed_out then return "timeout" end
    return run.exit_code == 0 and "ok" or run.exit_code and "error" or "signal"
end

local function report(run, seconds)
    local stderr = text.clean(run.stderr)
    if run.timed_out then stderr = exit_status.with_timeout(stderr, ("%ds"):format(seconds)) end
    local truncated = run.stdout_truncated or run.stderr_truncated
    return {
        { "exit_code", exit_status.code(run) }, { "stdout", (text.clean(run.stdout)) }, { "stderr", stderr },
        { "truncated", truncated or nil },
    }
end

---@class session.Command
---@field command string
---@field timeout_ms integer cut to whole seconds, from 1 to 300
---@field cwd? string

local function environment(id)
    local variables = folders.environment(id)
    variables[ending.VARIABLE] = id
    return variables
end

local function run_command(id, fields, begin)
    local allowed, message, code = begin()
    if not allowed then return nil, message, code end
    local cwd, complaint = folders.working_directory(id, fields.cwd)
    if not cwd then return nil, complaint, "ECWD" end
    local seconds = math.min(math.max(fields.timeout_ms // 1000, 1), MAX_S)
    local run
    run, message, code = process.run({
        command = fields.command, cwd = cwd, env = environment(id), timeout_ms = seconds * 1000, capture_bytes = OUTPUT_BYTES,
    })
    if not run then return nil, fields.cwd and "cwd: " .. message or message, fields.cwd and "ECWD" or code end
    metrics.add("sandstorm_session_commands_total", { outcome = outcome(run) })
    metrics.observe("sandstorm_session_command_duration_seconds", nil, run.duration_ms / 1000)
    return report(run, seconds)
end

--- Runs a command. `begin()` says whether the session may be used, after it counts as one that runs commands.
---@param id string
---@param fields session.Command
---@param begin fun(): any
---@return { [1]: string, [2]: any }[]? members of the answer
---@return string? message
---@return string? code "ECWD" for a wrong working directory; "EOVER" where another server ended the session meanwhile; those
--- of process.run; what `begin` said
function exec.run(id, fields, begin)
    fiber.tag(ending.tag(id))
    local running <close> = setmetatable({ id = id }, Running)
    local result, message, code = run_command(id, fields, begin)
    local known = running:finish()
    if result and known == false then return nil, "The command was ended: the session is over", "EOVER" end
    return result, message, code
end

return exec
