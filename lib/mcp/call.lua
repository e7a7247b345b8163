--- tools/call: from the parameters of the request to the text of its result.
local clock = require("clock")
local context = require("mcp.context")
local incident = require("mcp.incident")
local invoke = require("mcp.invoke")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local ledger = require("ledger")
local log = require("log")
local nearest = require("nearest")
local result = require("mcp.result")
local revisions = require("mcp.revisions")

local call = {}

local logger = log.logger("call")

---@alias mcp.Outcome "ok"|"error"|"refused"|"internal"|"stopped"|"asked"

local function invalid(text) return nil, jsonrpc.failure(jsonrpc.INVALID_PARAMS, text) end

local function look_up(registry, params)
    if type(params.name) ~= "string" then return invalid("Invalid params: name must be a string") end
    local tool = registry:find(params.name)
    if tool then return tool end
    return invalid(('Unknown tool "%s"%s'):format(params.name, nearest.hint(params.name, registry:names())))
end

local function arguments_of(params)
    local arguments = params.arguments
    if arguments == nil or arguments == json.null then return {} end
    if not jsonrpc.is_object(arguments) then return invalid("Invalid params: arguments must be an object") end
    return arguments
end

-- What is wrong with a result that promised to have a form.
local function broken_promise(tool, made)
    if made.isError and made.structuredContent == nil then return nil end
    if not tool.check_output then return nil end
    if made.structuredContent == nil then return "the tool has an output schema, but the result is not structured" end
    local complaint = tool.check_output(made.structuredContent)
    return complaint and "the result breaks the tool's output schema: " .. complaint
end

-- The result, or what is wrong with it. What JSON cannot hold and metamethods of the handler's values may raise here.
local function made_of(tool, value, message)
    local made, malformed = result.from(tool, value, message)
    return made, malformed or broken_promise(tool, made)
end

local function internal(tool, what) return result.failure(incident.report(tool.name, what)), "internal" end

-- A result, or the error of the protocol that the handler raised.
---@return table? result
---@return mcp.Outcome
---@return mcp.Failure?
local function perform(tool, arguments, exchange, meta)
    local accepted, complaint = tool.accept(arguments)
    if not accepted then return result.failure(complaint), "refused" end
    local value, message, trouble = invoke.run(tool.handler, accepted, context.new(tool.name, exchange, meta))
    if trouble and trouble.refusal then return nil, "error", trouble.refusal end
    if trouble then return internal(tool, trouble.trace) end
    local ok, made, wrong = xpcall(made_of, incident.trace, tool, value, message)
    if not ok then made, wrong = nil, made end
    if wrong then return internal(tool, wrong) end
    return made, made.isError and "error" or "ok"
end

-- The text of the result; what JSON cannot hold is the handler's mistake.
local function encode(tool, made, outcome, exchange)
    local ok, encoded = pcall(exchange.encode, exchange, revisions.result(made, exchange.revision))
    if ok then return encoded, outcome end
    made, outcome = internal(tool, tostring(encoded))
    return exchange:encode(revisions.result(made, exchange.revision)), outcome
end

local function report(tool, exchange, started, bytes, outcome)
    if exchange.reported then return end
    exchange.reported = true
    local duration_ms = clock.monotonic_ms() - started
    ledger.call(exchange, tool.name, outcome, duration_ms, bytes)
    logger.info("tools/call", {
        tool = tool.name,
        outcome = outcome,
        duration_ms = math.floor(duration_ms + 0.5),
        bytes_in = exchange.bytes,
        bytes_out = bytes,
        client = exchange.client.name,
        client_version = exchange.client.version,
        era = exchange.era,
    })
end

local function finish(tool, exchange, started, made, outcome, failure)
    local encoded
    if made then encoded, outcome = encode(tool, made, outcome, exchange) end
    report(tool, exchange, started, encoded and #encoded or 0, outcome)
    return encoded, failure
end

-- What is answered for a handler that was stopped, or that left to ask the client.
local function when_stopped(tool, exchange, started)
    return function(reason)
        local asking = exchange.asker and exchange.asker.outcome
        if asking then
            report(tool, exchange, started, 0, "asked")
            return asking()
        end
        logger.warning("stopped", { tool = tool.name, reason = reason })
        local stopped = result.failure(invoke.was_stopped(tool.name, reason))
        return finish(tool, exchange, started, stopped, "stopped")
    end
end

--- Calls the tool that `params` name.
---@param registry mcp.Registry
---@param params table
---@param exchange mcp.Exchange
---@return string? result JSON text
---@return mcp.Failure?
---@return integer? status of the failure
function call.run(registry, params, exchange)
    local tool, failure = look_up(registry, params)
    if not tool then return nil, failure end
    local arguments
    arguments, failure = arguments_of(params)
    if not arguments then return nil, failure end
    local meta = jsonrpc.is_object(params._meta) and params._meta or {}
    local started = clock.monotonic_ms()
    ledger.open(exchange, arguments, meta)
    local stopped = when_stopped(tool, exchange, started)
    if tool.task and exchange.tasks then
        local function work() return finish(tool, exchange, started, perform(tool, arguments, exchange, meta)) end
        return exchange.tasks(tool, exchange, work, stopped)
    end
    exchange:may_take_long(stopped)
    return finish(tool, exchange, started, perform(tool, arguments, exchange, meta))
end

return call
