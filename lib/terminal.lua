--- What the terminal tools do: run a command and tell all of it, start one in the background, end one of those.
local clock = require("clock")
local exit_status = require("exit_status")
local json = require("json")
local names = require("names")
local process = require("process")
local text = require("text")

local terminal = {}

---@class terminal.Limits
---@field default_s number seconds that a command may run when the agent says nothing
---@field max_s number seconds that it may run at most
---@field output_bytes integer bytes kept of each stream

local function failure(message, code)
    if code == "EOUTSIDE" then return nil, message end
    return nil, "Error: " .. message
end

local function has_nul(value) return value:find("\0", 1, true) ~= nil end

local function nul_in_command() return nil, "command: a command cannot hold a NUL byte (it would end there)" end

-- Seconds as v0.1.0 wrote them: what the agent gave as a float, our own limits as they stand.
local function as_float(seconds)
    local digits = ("%.14g"):format(seconds)
    return digits:find("[.e]") and digits or digits .. ".0"
end

---@return { seconds: number, label: string, lowered_from?: number }
local function time_limit(asked, limits)
    if not asked or asked == 0 then return { seconds = limits.default_s, label = ("%gs"):format(limits.default_s) } end
    if asked > limits.max_s then
        return { seconds = limits.max_s, label = ("%gs"):format(limits.max_s), lowered_from = asked }
    end
    return { seconds = asked, label = as_float(asked) .. "s" }
end

-- One stream as text: what is no UTF-8 marked, and the notes about it.
local function stream(run, name, notes)
    local clean, replaced = text.clean(run[name])
    if run[name .. "_truncated"] then
        local cut = "%s was cut: the first %d of %d bytes are shown."
        notes[#notes + 1] = cut:format(name, #run[name], run[name .. "_bytes"])
    end
    if replaced > 0 then
        notes[#notes + 1] = ("%s is not UTF-8: %d byte sequence(s) are shown as U+FFFD."):format(name, replaced)
    end
    return clean
end

local function end_notes(run, limit, notes)
    if run.timed_out and limit.lowered_from then
        notes[#notes + 1] = ("The timeout of %g s was lowered to the maximum of %g s."):format(limit.lowered_from, limit.seconds)
    end
    if run.signal then notes[#notes + 1] = ("The command was killed by %s."):format(run.signal) end
end

local function section(name, content) return content ~= "" and ("%s:\n%s\n\n"):format(name, content) or "" end

local function report(run, limit)
    local notes = {}
    local stdout, stderr = stream(run, "stdout", notes), stream(run, "stderr", notes)
    end_notes(run, limit, notes)
    local code = exit_status.code(run)
    local said = run.timed_out and exit_status.with_timeout(stderr, limit.label) or stderr
    local main = ("%s%sexit_code: %d"):format(section("stdout", stdout), section("stderr", said), code)
    return {
        content = notes[1] and { main, table.concat(notes, "\n") } or main,
        structured = {
            stdout = stdout, stderr = stderr, exit_code = code, signal = run.signal or json.null,
            timed_out = run.timed_out, truncated = run.stdout_truncated or run.stderr_truncated, duration_ms = run.duration_ms,
        },
        isError = code ~= 0,
    }
end

local LINE_BYTES = 200 -- of a line that tells how far a command is

-- The end of the newest line that is not blank.
local function last_line(output) return output:sub(-2 * LINE_BYTES):match("([^\r\n]*%S)%s*$") end

-- For a client that follows the call: the newest line, and how many seconds the command runs.
local function teller(ctx)
    if not ctx or not ctx:is_followed() then return nil end
    local began = clock.monotonic_ms()
    return function(stdout, stderr)
        local line = last_line(stdout) or last_line(stderr)
        local seconds = (clock.monotonic_ms() - began) / 1000
        if line then ctx:progress(seconds, nil, text.cut(text.clean(line), LINE_BYTES)) end
    end
end

--- Runs a command to its end, or to its limit, and tells what it wrote and how it ended.
---@param args { command: string, cwd?: string, timeout?: number }
---@param limits terminal.Limits
---@param ctx? ctx.Context to tell what comes meanwhile
function terminal.exec(args, limits, ctx)
    if has_nul(args.command) then return nul_in_command() end
    local limit = time_limit(args.timeout, limits)
    local run, message, code = process.run({
        command = args.command,
        cwd = names.read(args.cwd or ""),
        timeout_ms = math.max(1, math.ceil(limit.seconds * 1000)),
        capture_bytes = limits.output_bytes,
        on_output = teller(ctx),
    })
    if not run then return failure(message, code) end
    return report(run, limit)
end

--- Starts a command and does not wait for it.
---@param args { command: string, cwd?: string }
function terminal.start(args)
    if has_nul(args.command) then return nul_in_command() end
    local pid, message, code = process.start({ command = args.command, cwd = names.read(args.cwd or "") })
    if not pid then return failure(message, code) end
    return { content = ("PID: %d\nStarted background process %d"):format(pid, pid), structured = { pid = pid } }
end

local REFUSALS = {
    ESRCH = "No such process %d",
    EPERM = "Process %d was not started by this server; no signal was sent",
}

--- Asks a background process, and all that it started, to end.
---@param pid integer
function terminal.kill(pid)
    local sent, message, code = process.signal(pid, "TERM")
    if sent then return { content = ("Sent SIGTERM to %d"):format(pid), structured = { pid = pid } } end
    return nil, REFUSALS[code] and REFUSALS[code]:format(pid) or "Error: " .. message
end

return terminal
