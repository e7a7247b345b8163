--- Internal errors: the log gets everything under an id, the agent gets the id.
local host = require("host")
local jsonrpc = require("mcp.jsonrpc")
local log = require("log")

local incident = {}

local logger = log.logger("tool")

-- A raised value may be of any type, and its __tostring may raise itself.
local function describe(raised)
    if type(raised) == "string" then return raised end
    local ok, text = pcall(tostring, raised)
    return ok and type(text) == "string" and text or ("a value of type " .. type(raised))
end

--- Makes what is logged of a raised value; for use as a message handler, where the stack still stands.
function incident.trace(raised) return debug.traceback(describe(raised), 2) end

--- Logs an internal error and returns what the agent is told.
---@param tool string
---@param what string one line or a traceback
---@return string
function incident.report(tool, what)
    local id = host.random_id()
    local message, trace = what:match("^([^\n]*)\n?(.*)$")
    logger.error("internal error", { tool = tool, incident = id, error = message, trace = trace ~= "" and trace or nil })
    return ("Internal error in %s; the server's log has it under %s"):format(tool, id)
end

--- Calls a function that answers a message. What it raises is the server's own mistake, and the answer says so.
---@param message any the message, or a list of them
---@param handle fun(...): integer?, string?, table<string, string>?
---@return integer? status
---@return string? body
---@return table<string, string>? headers
function incident.guard(message, handle, ...)
    local ok, status, body, headers = xpcall(handle, incident.trace, ...)
    if ok then return status, body, headers end
    local failure = jsonrpc.failure(jsonrpc.INTERNAL_ERROR, incident.report("the server", status))
    local id = jsonrpc.request_id(message)
    if id == nil then return 202 end
    return 200, jsonrpc.error(id, failure)
end

return incident
