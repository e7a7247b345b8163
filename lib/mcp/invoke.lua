--- Runs a handler of a script. Every error ends here except a stop, which nothing in Lua can catch.
local fail = require("fail")
local incident = require("mcp.incident")
local jsonrpc = require("mcp.jsonrpc")

local invoke = {}

---@class mcp.Trouble
---@field trace? string what an internal error was, with the stack
---@field refusal? mcp.Failure the error of the protocol that the handler wants

local function trap(raised)
    local refusal = fail.refusal_of(raised)
    if refusal then return { trouble = { refusal = refusal } } end
    local message = fail.message_of(raised)
    return message and { message = message } or { trouble = { trace = incident.trace(raised) } }
end

--- What the handler returned; `nil, message` for a failure on purpose; `nil, nil, trouble` for any other.
---@param handler function
---@param arguments table
---@param ctx mcp.Context
---@return any value
---@return any message
---@return mcp.Trouble? trouble
function invoke.run(handler, arguments, ctx)
    local ok, value, message = xpcall(handler, trap, arguments, ctx)
    if ok then return value, message end
    if type(value) ~= "table" then return nil, nil, { trace = tostring(value) } end -- an error that Lua hands to no handler
    return nil, value.message, value.trouble
end

--- What a client hears of a handler's mistake, which is in the log: an error of the protocol.
---@param name string
---@param what string one line or a traceback
---@return nil
---@return mcp.Failure
function invoke.internal(name, what)
    return nil, jsonrpc.failure(jsonrpc.INTERNAL_ERROR, incident.report(name, what))
end

--- The text of a result; what JSON cannot hold is the handler's mistake.
---@param name string
---@param made table
---@param exchange mcp.Exchange
---@return string?
---@return mcp.Failure?
function invoke.encode(name, made, exchange)
    local ok, encoded = pcall(exchange.encode, exchange, made)
    if ok then return encoded end
    return invoke.internal(name, tostring(encoded))
end

--- What is said of a handler that was stopped. Where it stood is none of the client's business.
---@param name string
---@param reason string as the host gives it: "tools.lua:5: stopped: it computed for more than 2000 ms"
---@return string
function invoke.was_stopped(name, reason)
    return ("%s was stopped: %s"):format(name, reason:match(".*stopped: (.*)$") or reason)
end

--- What is answered for a handler that was stopped, or that left to ask the client: an error of the protocol.
---@param name string
---@param exchange mcp.Exchange
---@return mcp.Stopped
function invoke.stopped(name, exchange)
    return function(reason)
        local asking = exchange.asker and exchange.asker.outcome
        if asking then return asking() end
        return nil, jsonrpc.failure(jsonrpc.INTERNAL_ERROR, invoke.was_stopped(name, reason))
    end
end

return invoke
