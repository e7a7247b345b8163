--- The stateless revision, 2026-07-28: each request says in `_meta` who asks and in which revision, and repeats in
--- headers what proxies route by. Checks go in the order that the revision's clients rely on.
local ask_replay = require("mcp.ask_replay")
local cancel = require("mcp.cancel")
local era = require("mcp.era")
local exchange = require("mcp.exchange")
local jsonrpc = require("mcp.jsonrpc")
local listen = require("mcp.listen")
local log_levels = require("mcp.log_levels")
local modern_headers = require("mcp.modern_headers")
local offer = require("mcp.offer")
local revisions = require("mcp.revisions")
local tasks = require("mcp.tasks")

local modern = {}

local CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
local CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
local LOG_KEY = "io.modelcontextprotocol/logLevel"
local SERVER_KEY = "io.modelcontextprotocol/serverInfo"

local function invalid(text) return jsonrpc.failure(jsonrpc.INVALID_PARAMS, "Invalid params: " .. text) end

---@type table<string, mcp.Method>
local methods = {}
for name, method in pairs(offer.methods) do methods[name] = method end
for name, method in pairs(tasks.methods) do methods[name] = method end

methods["server/discover"] = function(server, _, from)
    local capabilities = offer.capabilities(server.registry)
    capabilities.extensions = tasks.EXTENSIONS
    return from:encode(from:cacheable({
        supportedVersions = revisions.supported, capabilities = capabilities, instructions = server.instructions,
    }, 0))
end

methods["subscriptions/listen"] = function(server, params, from)
    local filter = params.notifications
    if jsonrpc.is_object(filter) and filter.taskIds ~= nil and not tasks.are_followed_by(from) then
        return nil, ask_replay.lacks(tasks.REQUIRED), 400
    end
    return listen.run(server, params, from, function(id) return tasks.owned_by(id, from) end)
end

-- Methods whose handlers may ask the client, which then calls again.
local REPLAYED = { ["tools/call"] = true, ["prompts/get"] = true, ["resources/read"] = true }

local function wrong_meta(message)
    local params = message.params
    local meta = jsonrpc.is_object(params) and params._meta
    if not jsonrpc.is_object(meta) then return invalid("_meta must be an object") end
    if type(meta[era.VERSION_KEY]) ~= "string" then return invalid(era.VERSION_KEY .. " must be a string") end
    if not jsonrpc.is_object(meta[CAPABILITIES_KEY]) then return invalid(CAPABILITIES_KEY .. " must be an object") end
    local client = meta[CLIENT_KEY]
    if client ~= nil and not jsonrpc.is_object(client) then return invalid(CLIENT_KEY .. " must be an object") end
    local level = meta[LOG_KEY]
    if level ~= nil and not log_levels.is_known(level) then return invalid(LOG_KEY .. " is no level") end
end

local function refusal(server, message, transport)
    local failure = wrong_meta(message) or modern_headers.wrong(message, transport)
    if failure then return failure, 400 end
    local method = message.method
    if not methods[method] or not offer.has(method, server.registry) then
        return jsonrpc.failure(jsonrpc.METHOD_NOT_FOUND, "Method not found: " .. method), 404
    end
end

-- Adds what every result of this revision has.
local function complete(server)
    return function(result)
        local meta = { [SERVER_KEY] = server.info }
        for key, value in pairs(result._meta or {}) do meta[key] = value end
        result.resultType, result._meta = result.resultType or "complete", meta
        return result
    end
end

local function exchange_of(server, message, transport)
    local meta = message.params._meta
    local client = meta[CLIENT_KEY] or {}
    return exchange.new({
        transport = transport, bytes = transport.bytes, principal = transport.principal, era = "modern", id = message.id,
        revision = revisions.modern, client = exchange.client(client.name, client.version),
        capabilities = meta[CAPABILITIES_KEY], log_level = meta[LOG_KEY], decorate = complete(server),
        asker = nil, reported = false, -- in one piece
    })
end

-- Prepares what a handler needs to ask the client, and to go on as a task; or what stands against the call.
local function trouble(server, message, from)
    if not REPLAYED[message.method] then return nil end
    local params = message.params
    local tool = message.method == "tools/call" and server.registry:find(params.name)
    local lacking = tool and tool.task and tasks.prepare(tool, from)
    if lacking then return ask_replay.lacks(lacking), 400 end
    local wrong = tool and modern_headers.wrong_parameters(tool, params.arguments, from.transport)
    if wrong then return wrong, 400 end
    local failure
    from.asker, failure = ask_replay.open(from, message.method, params, tool and tool.single_use)
    return failure
end

local function answer(server, message, transport)
    local failure, status = refusal(server, message, transport)
    if failure then return nil, failure, status end
    local from = exchange_of(server, message, transport)
    failure, status = trouble(server, message, from)
    if failure then return nil, failure, status end
    if transport.scope then cancel.name(transport.scope, message.id) end
    return methods[message.method](server, message.params, from)
end

--- Handles one message.
---@param server mcp.Server
---@param kind "request"|"notification"|"response"
---@param message table
---@param transport mcp.Transport
---@return integer status
---@return string? body
function modern.handle(server, kind, message, transport)
    if kind == "notification" then
        local cancels = message.method == "notifications/cancelled"
        if cancels and transport.scope then cancel.receive(transport.scope, message.params) end
        return 202
    end
    if kind == "response" then
        return 400, jsonrpc.error(nil, jsonrpc.failure(jsonrpc.INVALID_REQUEST, "Invalid request: answers are not expected"))
    end
    local result, failure, status = answer(server, message, transport)
    if failure then return status or 200, jsonrpc.error(message.id, failure) end
    return 200, result and jsonrpc.result(message.id, result)
end

--- Ends the subscriptions: the server stops.
---@param server mcp.Server
function modern.finish(server) listen.finish(complete(server)) end

return modern
