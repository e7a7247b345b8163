--- The handshake revisions, 2024-11-05 to 2025-11-25.
---
--- Every request may stand alone: scripts call tools with nothing but a bearer, no initialize before. Such a request gets
--- what the header says, or the newest of these revisions. Only a session can be asked, subscribe and cancel.
local ask_session = require("mcp.ask_session")
local cancel = require("mcp.cancel")
local exchange = require("mcp.exchange")
local inbox = require("inbox")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local log_levels = require("mcp.log_levels")
local offer = require("mcp.offer")
local revisions = require("mcp.revisions")
local session = require("mcp.session")

local legacy = {}

---@class mcp.Server what the engines serve
---@field registry mcp.Registry
---@field info { name: string, version: string }
---@field instructions? string

local SESSION_NOT_FOUND = -32001
local URI_BYTES_MAX = 8192 -- of what is kept
local DEFAULT_LOG_LEVEL = "info" -- of a session that did not say

local invalid = jsonrpc.invalid_params

---@type table<string, mcp.Method>
local methods = {}
for name, method in pairs(offer.methods) do methods[name] = method end

function methods.initialize(server, params, from)
    if type(params.protocolVersion) ~= "string" then return invalid("protocolVersion must be a string") end
    if not jsonrpc.is_object(params.capabilities) then return invalid("capabilities must be an object") end
    if not jsonrpc.is_object(params.clientInfo) then return invalid("clientInfo must be an object") end
    local asked = params.protocolVersion
    local revision = revisions.is_legacy(asked) and asked or revisions.handshake
    from.began = {
        revision = revision, capabilities = params.capabilities,
        client = exchange.client(params.clientInfo.name, params.clientInfo.version),
    }
    return json.encode({
        protocolVersion = revision,
        capabilities = revisions.capabilities(offer.capabilities(server.registry), revision),
        serverInfo = revisions.server(server.info, revision),
        instructions = server.instructions,
    })
end

function methods.ping() return "{}" end

methods["logging/setLevel"] = function(_, params, from)
    if not log_levels.is_known(params.level) then return invalid("level must be a level such as info") end
    if from.session then session.set_log_level(from.session.nonce, params.level) end
    return "{}"
end

local function subscription(wanted)
    return function(_, params, from)
        local uri = params.uri
        if type(uri) ~= "string" then return invalid("uri must be a string") end
        if #uri > URI_BYTES_MAX then return invalid(("uri must be at most %d bytes long"):format(URI_BYTES_MAX)) end
        if from.session then session.subscribe(from.session.nonce, uri, wanted) end
        return "{}"
    end
end

methods["resources/subscribe"] = subscription(true)
methods["resources/unsubscribe"] = subscription(false)

local function answer(server, message, from)
    local method = methods[message.method]
    if not method or not offer.has(message.method, server.registry) then
        return nil, jsonrpc.failure(jsonrpc.METHOD_NOT_FOUND, "Method not found: " .. message.method)
    end
    return method(server, jsonrpc.is_object(message.params) and message.params or {}, from)
end

--- The session that a message belongs to: nil without one, false when it is not known (any more).
---@param transport mcp.Transport
---@return mcp.Session|false|nil
function legacy.session_of(transport)
    if transport.session ~= nil or not transport.header then return transport.session end
    local id, count = transport:header("mcp-session-id")
    if not id then return nil end
    local is_one = not count or count == 1
    transport.session = is_one and session.read(id, transport.principal or "") or false
    return transport.session
end

---@return mcp.Failure
function legacy.session_not_found() return jsonrpc.failure(SESSION_NOT_FOUND, "Session not found") end

--- Names the running handler as the one that answers the request, for those who cancel it.
---@param message any
---@param transport mcp.Transport
---@return boolean named
function legacy.name(message, transport)
    local current = legacy.session_of(transport)
    local id = current and jsonrpc.request_id(message)
    if not id then return false end
    cancel.name(current.nonce, id)
    return true
end

--- The revision that the sender of a message has agreed on or names; nil without either.
---@param transport mcp.Transport
---@return string?
function legacy.revision_of(transport)
    local current = legacy.session_of(transport)
    return current and current.revision or transport.header and transport:header("mcp-protocol-version")
end

--- The id for an error about a message, whatever that message is: json.null or nil where it has none that can be repeated.
---@param message any
---@param transport mcp.Transport
---@return string|integer|lightuserdata|nil
function legacy.id_of(message, transport)
    local id = jsonrpc.id_of(message)
    if id == nil then return revisions.no_id(legacy.revision_of(transport)) end
    return id
end

local function exchange_in_session(message, transport, current)
    if transport.keep then transport:keep(current.nonce, revisions.resumes_from_start(current.revision)) end
    cancel.name(current.nonce, message.id)
    local made = exchange.new({
        transport = transport, bytes = transport.bytes, principal = transport.principal, era = "legacy", id = message.id,
        session = current, revision = current.revision, client = current.client, capabilities = current.capabilities,
        log_level = session.log_level(current.nonce) or DEFAULT_LOG_LEVEL, asker = nil, reported = false, -- in one piece
    })
    made.asker = ask_session.new(made)
    return made
end

local function exchange_of(message, transport, current)
    if current then return exchange_in_session(message, transport, current) end
    local revision, agent = transport.assumed, nil
    if transport.header then
        revision, agent = transport:header("mcp-protocol-version") or revision, transport:header("user-agent")
    end
    return exchange.new({
        transport = transport, bytes = transport.bytes, principal = transport.principal, era = "legacy", id = message.id,
        revision = revision or revisions.handshake, client = exchange.client(agent), capabilities = {},
        reported = false, -- in one piece
    })
end

-- Messages that get no answer.
local function receive(kind, message, current)
    if not current then return end
    if kind == "response" then
        inbox.deliver(ask_session.key(current.nonce, message.id), json.encode(message))
    elseif message.method == "notifications/cancelled" then
        cancel.receive(current.nonce, message.params)
    end
end

local function hello_again()
    return jsonrpc.failure(jsonrpc.INVALID_REQUEST, "Invalid request: this session has been initialized")
end

local function respond(server, message, transport, current)
    local from = exchange_of(message, transport, current)
    local result, failure = answer(server, message, from)
    if failure then return 200, jsonrpc.error(message.id, failure) end
    local headers = from.began and transport.begin and transport:begin(from.began)
    return 200, jsonrpc.result(message.id, result), headers
end

--- Handles one message. Requests are answered with 200 whatever comes of them: here a 404 means that the session is gone.
---@param server mcp.Server
---@param kind "request"|"notification"|"response"
---@param message table
---@param transport mcp.Transport
---@return integer status
---@return string? body
---@return table<string, string>? headers
function legacy.handle(server, kind, message, transport)
    local current, hello = legacy.session_of(transport), kind == "request" and message.method == "initialize"
    if current == false and not hello then
        return 404, jsonrpc.error(legacy.id_of(message, transport), legacy.session_not_found())
    end
    if kind ~= "request" then
        receive(kind, message, current)
        return 202
    end
    if hello and current then return 400, jsonrpc.error(message.id, hello_again()) end
    return respond(server, message, transport, current or nil)
end

return legacy
