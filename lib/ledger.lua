--- What is kept of each tool call and session request beside the log: figures for /metrics, a line for the audit log.
local audit = require("audit")
local fiber = require("fiber")
local metrics = require("metrics")
local redact = require("redact")

local ledger = {}

--- Before a tool runs: what its line will need, and the trace that the call belongs to.
---@param exchange mcp.Exchange
---@param arguments table
---@param meta table
function ledger.open(exchange, arguments, meta)
    fiber.trace(meta.traceparent or exchange:header("traceparent"))
    if audit.enabled() then exchange.kept_arguments = redact.copy(arguments) end
end

local CALLS, DURATION = "sandstorm_tool_calls_total", "sandstorm_tool_call_duration_seconds"
local BYTES = "sandstorm_tool_bytes_total"

-- The figures of each tool, at hand.
local figures = {}

local function figures_of(tool)
    local known = figures[tool]
    if not known then
        known = {
            calls = {}, duration = metrics.series(DURATION, { tool = tool }),
            bytes_in = metrics.series(BYTES, { tool = tool, direction = "in" }),
            bytes_out = metrics.series(BYTES, { tool = tool, direction = "out" }),
        }
        figures[tool] = known
    end
    return known
end

local function count(tool, outcome, duration_ms, bytes_in, bytes_out)
    local known = figures_of(tool)
    local calls = known.calls
    if not calls[outcome] then calls[outcome] = metrics.series(CALLS, { tool = tool, outcome = outcome }) end
    calls[outcome]:add()
    known.duration:observe(duration_ms / 1000)
    known.bytes_in:add(bytes_in)
    known.bytes_out:add(bytes_out)
end

--- A tool call is over.
---@param exchange mcp.Exchange
---@param tool string a tool that exists
---@param outcome string
---@param duration_ms number
---@param bytes_out integer
function ledger.call(exchange, tool, outcome, duration_ms, bytes_out)
    count(tool, outcome, duration_ms, exchange.bytes, bytes_out)
    if not audit.enabled() then return end
    audit.write({
        event = "tool", principal = exchange.principal or exchange.era == "local" and "command line" or "bearer",
        client = exchange.client.name, client_version = exchange.client.version,
        session = exchange.session and exchange.session.nonce, tool = tool, arguments = exchange.kept_arguments,
        outcome = outcome, duration_ms = math.floor(duration_ms + 0.5), bytes_in = exchange.bytes, bytes_out = bytes_out,
        traceparent = fiber.trace(),
    })
end

---@class ledger.SessionLine
---@field principal string
---@field peer string
---@field session? string
---@field action string
---@field arguments? table
---@field status integer
---@field duration_ms number
---@field bytes_in integer
---@field bytes_out integer

--- A request of the session API is answered.
---@param line ledger.SessionLine
function ledger.session(line)
    if not audit.enabled() then return end
    audit.write({
        event = "session", principal = line.principal, peer = line.peer, session = line.session, action = line.action,
        arguments = line.arguments and redact.copy(line.arguments), outcome = line.status < 400 and "ok" or "refused",
        status = line.status, duration_ms = math.floor(line.duration_ms + 0.5), bytes_in = line.bytes_in,
        bytes_out = line.bytes_out, traceparent = fiber.trace(),
    })
end

return ledger
