--- The handshake revisions, 2024-11-05 to 2025-11-25.
---
--- Every request may stand alone: scripts call tools with nothing but a bearer, no initialize before. Such a request gets
--- what the header says, or the newest of these revisions.
local call = require("mcp.call")
local exchange = require("mcp.exchange")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local levels = require("mcp.levels")

local legacy = {}

---@class mcp.Server what the engines serve
---@field registry mcp.Registry
---@field info { name: string, version: string }

local CAPABILITIES = { tools = { listChanged = true } }

local function invalid(text) return nil, jsonrpc.failure(jsonrpc.INVALID_PARAMS, "Invalid params: " .. text) end

---@type table<string, fun(server: mcp.Server, params: table, exchange: mcp.Exchange): string?, mcp.Failure?>
local methods = {}

function methods.initialize(server, params)
    if type(params.protocolVersion) ~= "string" then return invalid("protocolVersion must be a string") end
    if not jsonrpc.is_object(params.capabilities) then return invalid("capabilities must be an object") end
    if not jsonrpc.is_object(params.clientInfo) then return invalid("clientInfo must be an object") end
    local asked = params.protocolVersion
    return json.encode({
        protocolVersion = levels.is_legacy(asked) and asked or levels.handshake,
        capabilities = CAPABILITIES,
        serverInfo = server.info,
    })
end

function methods.ping() return "{}" end

methods["tools/list"] = function(server, params, from)
    if params.cursor ~= nil and params.cursor ~= json.null then return invalid("there is no such cursor") end
    return '{"tools":' .. server.registry:list(from.revision) .. "}"
end

methods["tools/call"] = function(server, params, from) return call.run(server.registry, params, from) end

local function answer(server, message, from)
    local method = methods[message.method]
    if not method then return nil, jsonrpc.failure(jsonrpc.METHOD_NOT_FOUND, "Method not found: " .. message.method) end
    return method(server, jsonrpc.is_object(message.params) and message.params or {}, from)
end

--- Handles one message. Requests are answered with 200 whatever comes of them: here a 404 would mean that the session
--- is gone.
---@param server mcp.Server
---@param kind "request"|"notification"|"response"
---@param message table
---@param transport table what mcp.exchange wants of a transport
---@return integer status
---@return string? body
function legacy.handle(server, kind, message, transport)
    if kind ~= "request" then return 202 end
    transport.era = "legacy"
    transport.revision = transport.header("mcp-protocol-version") or levels.handshake
    transport.client = exchange.client(transport.header("user-agent"))
    local result, failure = answer(server, message, exchange.new(transport))
    if not result then return 200, jsonrpc.error(message.id, failure) end
    return 200, jsonrpc.result(message.id, result)
end

return legacy
