--- tools/call: from the parameters of the request to the text of its result.
local clock = require("clock")
local context = require("mcp.context")
local fail = require("mcp.fail")
local incident = require("mcp.incident")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local levels = require("mcp.levels")
local log = require("log")
local nearest = require("nearest")
local result = require("mcp.result")

local call = {}

local logger = log.logger("call")

---@alias mcp.Outcome "ok"|"error"|"refused"|"internal"|"stopped"

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

-- Runs the handler; every error ends here except the stop of a runaway, which nothing in Lua can catch.
local function invoke(tool, arguments, ctx)
    local function trap(raised)
        local message = fail.message_of(raised)
        return message and { message = message } or { trace = incident.trace(raised) }
    end
    local ok, value, message = xpcall(tool.handler, trap, arguments, ctx)
    if ok then return value, message end
    if type(value) ~= "table" then return nil, nil, tostring(value) end -- an error that Lua hands to no handler
    return nil, value.message, value.trace
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

---@return table result
---@return mcp.Outcome
local function perform(tool, arguments, exchange, meta)
    local accepted, complaint = tool.accept(arguments)
    if not accepted then return result.failure(complaint), "refused" end
    local value, message, trace = invoke(tool, accepted, context.new(tool.name, exchange, meta))
    if trace then return internal(tool, trace) end
    local ok, made, wrong = xpcall(made_of, incident.trace, tool, value, message)
    if not ok then made, wrong = nil, made end
    if wrong then return internal(tool, wrong) end
    return made, made.isError and "error" or "ok"
end

-- The text of the result; what JSON cannot hold is the handler's mistake.
local function encode(tool, made, outcome, exchange)
    local ok, encoded = pcall(json.encode, exchange:dress(levels.result(made, exchange.revision)))
    if ok then return encoded, outcome end
    made, outcome = internal(tool, tostring(encoded))
    return json.encode(exchange:dress(levels.result(made, exchange.revision))), outcome
end

local function finish(tool, exchange, started, made, outcome)
    local encoded
    encoded, outcome = encode(tool, made, outcome, exchange)
    logger.info("tools/call", {
        tool = tool.name,
        outcome = outcome,
        duration_ms = math.floor(clock.monotonic_ms() - started + 0.5),
        bytes_in = exchange.bytes,
        bytes_out = #encoded,
        client = exchange.client.name,
        client_version = exchange.client.version,
        era = exchange.era,
    })
    return encoded
end

--- Calls the tool that `params` name.
---@param registry mcp.Registry
---@param params table
---@param exchange mcp.Exchange
---@return string? result JSON text
---@return mcp.Failure?
function call.run(registry, params, exchange)
    local tool, failure = look_up(registry, params)
    if not tool then return nil, failure end
    local arguments
    arguments, failure = arguments_of(params)
    if not arguments then return nil, failure end
    local meta = jsonrpc.is_object(params._meta) and params._meta or {}
    local started = clock.monotonic_ms()
    exchange:may_take_long(function(reason)
        local stopped = result.failure(("%s was stopped: %s"):format(tool.name, reason))
        return finish(tool, exchange, started, stopped, "stopped")
    end)
    return finish(tool, exchange, started, perform(tool, arguments, exchange, meta))
end

return call
