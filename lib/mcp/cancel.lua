--- Cancelling by message: a request is known by where ids are unique (a session, a pipe) and its id with its type.
local fiber = require("fiber")
local jsonrpc = require("mcp.jsonrpc")
local stream = require("stream")

local cancel = {}

local REASON = "cancelled by the client"

local function name_of(scope, id) return "call " .. scope .. " " .. jsonrpc.id_text(id) end

--- The topic by which a stream that answers a request is ended.
function cancel.topic(scope, id) return "answer to " .. name_of(scope, id) end

--- Makes the running handler the one that answers the request.
---@param scope string
---@param id string|integer
function cancel.name(scope, id) fiber.tag(name_of(scope, id)) end

--- Stops what answers the request that `params` name; unknown ones are none of our business.
---@param scope string
---@param params any
function cancel.receive(scope, params)
    local id = jsonrpc.is_object(params) and params.requestId
    if type(id) ~= "string" and math.type(id) ~= "integer" then return end
    fiber.stop(name_of(scope, id), REASON)
    stream.end_topic(cancel.topic(scope, id))
end

--- Stops all that answers requests of a scope.
function cancel.all(scope) fiber.stop(("call %s *"):format(scope), REASON) end

--- Whether a handler was stopped because the client wants no answer.
---@param reason string
function cancel.is_reason(reason) return reason:find(REASON, 1, true) ~= nil end

return cancel
