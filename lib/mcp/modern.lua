--- The stateless revision, 2026-07-28: each request says in `_meta` who asks and in which revision, and repeats in
--- headers what proxies route by. Checks go in the order that the revision's clients rely on.
local call = require("mcp.call")
local era = require("mcp.era")
local exchange = require("mcp.exchange")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local levels = require("mcp.levels")
local parameter_headers = require("mcp.parameter_headers")
local sentinel = require("mcp.sentinel")

local modern = {}

local HEADER_MISMATCH = -32020
local CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
local CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
local SERVER_KEY = "io.modelcontextprotocol/serverInfo"

local CAPABILITIES = { tools = {} }

-- Methods whose Mcp-Name header repeats a parameter.
local NAMED = { ["tools/call"] = "name" }

local function invalid(text) return jsonrpc.failure(jsonrpc.INVALID_PARAMS, "Invalid params: " .. text) end
local function mismatch(text) return jsonrpc.failure(HEADER_MISMATCH, "Header mismatch: " .. text) end

---@type table<string, fun(server: mcp.Server, params: table, exchange: mcp.Exchange): string?, mcp.Failure?, integer?>
local methods = {}

methods["server/discover"] = function(_, _, from)
    return json.encode(from:dress({
        supportedVersions = levels.supported, capabilities = CAPABILITIES, ttlMs = 0, cacheScope = "private",
    }))
end

methods["tools/list"] = function(server, params, from)
    if params.cursor ~= nil and params.cursor ~= json.null then return nil, invalid("there is no such cursor") end
    local around = json.encode(from:dress({ ttlMs = 0, cacheScope = "private" }))
    return '{"tools":' .. server.registry:list(from.revision) .. "," .. around:sub(2)
end

methods["tools/call"] = function(server, params, from)
    local tool = server.registry:find(params.name)
    local arguments = jsonrpc.is_object(params.arguments) and params.arguments or {}
    local wrong = tool and parameter_headers.disagreement(tool.headers, arguments, from.header)
    if wrong then return nil, mismatch(wrong), 400 end
    return call.run(server.registry, params, from)
end

local function wrong_meta(message)
    local params = message.params
    local meta = jsonrpc.is_object(params) and params._meta
    if not jsonrpc.is_object(meta) then return invalid("_meta must be an object") end
    if type(meta[era.VERSION_KEY]) ~= "string" then return invalid(era.VERSION_KEY .. " must be a string") end
    if not jsonrpc.is_object(meta[CAPABILITIES_KEY]) then return invalid(CAPABILITIES_KEY .. " must be an object") end
    local client = meta[CLIENT_KEY]
    if client ~= nil and not jsonrpc.is_object(client) then return invalid(CLIENT_KEY .. " must be an object") end
end

local function wrong_version(message, header)
    local asked, said = message.params._meta[era.VERSION_KEY], header("mcp-protocol-version")
    if not said then return mismatch("MCP-Protocol-Version is missing") end
    if said ~= asked then return mismatch("MCP-Protocol-Version does not match _meta") end
    if not levels.is_modern(asked) then return era.unsupported(asked) end
end

local function wrong_headers(message, header)
    if header("mcp-method") ~= message.method then return mismatch("Mcp-Method does not match the method") end
    local name = message.params[NAMED[message.method]]
    if type(name) ~= "string" then return end
    local said = header("mcp-name")
    if not said then return mismatch("Mcp-Name is missing") end
    if sentinel.decode(said) ~= name then return mismatch("Mcp-Name does not match the name") end
end

local function refusal(message, header)
    local failure = wrong_meta(message) or wrong_version(message, header) or wrong_headers(message, header)
    if failure then return failure, 400 end
    if methods[message.method] then return nil end
    return jsonrpc.failure(jsonrpc.METHOD_NOT_FOUND, "Method not found: " .. message.method), 404
end

-- Adds what every result of this revision has.
local function complete(server)
    return function(result)
        local meta = { [SERVER_KEY] = server.info }
        for key, value in pairs(result._meta or {}) do meta[key] = value end
        result.resultType, result._meta = "complete", meta
        return result
    end
end

local function exchange_of(server, message, transport)
    local client = message.params._meta[CLIENT_KEY] or {}
    transport.era = "modern"
    transport.revision = levels.modern
    transport.client = exchange.client(client.name, client.version)
    transport.decorate = complete(server)
    return exchange.new(transport)
end

--- Handles one message.
---@param server mcp.Server
---@param kind "request"|"notification"|"response"
---@param message table
---@param transport table what mcp.exchange wants of a transport
---@return integer status
---@return string? body
function modern.handle(server, kind, message, transport)
    if kind == "notification" then return 202 end
    if kind == "response" then
        return 400, jsonrpc.error(nil, jsonrpc.failure(jsonrpc.INVALID_REQUEST, "Invalid request: answers are not expected"))
    end
    local failure, status = refusal(message, transport.header)
    if failure then return status, jsonrpc.error(message.id, failure) end
    local result
    result, failure, status = methods[message.method](server, message.params, exchange_of(server, message, transport))
    if not result then return status or 200, jsonrpc.error(message.id, failure) end
    return 200, jsonrpc.result(message.id, result)
end

return modern
