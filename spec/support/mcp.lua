--- Clients of both eras for specs. What the server sends is checked by the connection (spec.support.tap).
---
---     local client = mcp.session(s, "2025-11-25", { elicitation = {} })
---     local call = client:open("tools/call", { name = "ask" })
---     local question = call:next()
---     client:reply(question.id, { action = "accept", content = {} })
---     local result = call:answer().result
local http = require("spec.support.http")
local json = require("json")

local mcp = {}

mcp.MODERN = "2026-07-28"

local META = "io.modelcontextprotocol/"

---@class spec.McpClient
---@field server spec.Server
---@field revision string
---@field session? string
---@field token? string instead of the server's own
---@field capabilities table
local Client = {}
Client.__index = Client

---@class spec.McpExchange one request and what comes back on its connection
---@field status integer
---@field headers table<string, string>
---@field before table[] messages that came before the answer
---@field event_id? string of the newest event
local Exchange = {}
Exchange.__index = Exchange

--- The next message; nil at the end of the response.
function Exchange:next()
    if self.over then return nil end
    if not self.is_stream then
        self.over = true
        local length = tonumber(self.headers["content-length"] or 0)
        local body = length > 0 and assert(self.connection:read(length)) or ""
        return body ~= "" and assert(json.decode(body)) or nil
    end
    local event = self.connection:read_event()
    if not event then
        self.over = true
        return nil
    end
    self.event_id = event.id or self.event_id
    self.retry = event.retry or self.retry
    if not event.data or event.data == "" then
        self.primed = true
        return self:next()
    end
    return assert(json.decode(event.data))
end

--- The answer to the request; what came before it is in `before`.
function Exchange:answer()
    for message in function() return self:next() end do
        if message.method == nil then return message end
        self.before[#self.before + 1] = message
    end
end

function Exchange:close() self.connection:close() end

local function exchange_of(connection)
    local head = assert(connection:read_head())
    local is_stream = (head.headers["content-type"] or ""):find("^text/event%-stream") ~= nil
    return setmetatable({
        connection = connection, status = head.status, headers = head.headers, is_stream = is_stream, before = {},
    }, Exchange)
end

function Client:headers(message)
    local headers = {
        Authorization = "Bearer " .. (self.token or self.server.token), Accept = "application/json, text/event-stream",
        ["Content-Type"] = "application/json", ["Mcp-Session-Id"] = self.session, ["MCP-Protocol-Version"] = self.header,
    }
    if self.revision == mcp.MODERN and message then
        local params = message.params or {}
        headers["Mcp-Method"] = message.method
        headers["Mcp-Name"] = params.name or params.uri or params.taskId
    end
    return headers
end

--- Sends an HTTP request and reads the head of the response.
function Client:send(method, body, headers)
    local connection = self.server:connect()
    connection:send(http.format({
        method = method, path = "/mcp", body = body, headers = headers, host = "127.0.0.1:" .. self.server.port,
    }))
    return exchange_of(connection)
end

--- Posts a message, or a list of them, as it is.
function Client:post(message, headers)
    local all = self:headers(message)
    for name, value in pairs(headers or {}) do all[name] = value or nil end
    return self:send("POST", json.encode(message), all)
end

local function with_meta(self, params)
    if self.revision ~= mcp.MODERN then return params end
    local all = {}
    for name, value in pairs(params or {}) do all[name] = value end
    all._meta = {
        [META .. "protocolVersion"] = mcp.MODERN, [META .. "clientCapabilities"] = json.object(self.capabilities),
        [META .. "clientInfo"] = { name = "spec", version = "1" },
    }
    for name, value in pairs(params and params._meta or {}) do all._meta[name] = value end
    return all
end

--- Sends a request; the answer is still to be read.
function Client:open(method, params, headers)
    self.last_id = (self.last_id or 0) + 1
    return self:post({ jsonrpc = "2.0", id = self.last_id, method = method, params = with_meta(self, params) }, headers)
end

--- Sends a request and reads the answer; returns it and the exchange.
function Client:request(method, params, headers)
    local exchange = self:open(method, params, headers)
    local answer = exchange:answer()
    exchange:close()
    return answer, exchange
end

--- The result of a request; raises for an error.
function Client:result(method, params, headers)
    local answer, exchange = self:request(method, params, headers)
    if answer and answer.result then return answer.result, exchange end
    error(("%s: %d %s"):format(method, exchange.status, answer and json.encode(answer) or "no answer"), 2)
end

--- The error of a request, and the HTTP status; raises for a result.
function Client:failure(method, params, headers)
    local answer, exchange = self:request(method, params, headers)
    if answer and answer.error then return answer.error, exchange.status end
    error(("%s: %s"):format(method, json.encode(answer)), 2)
end

--- The result of tools/call.
function Client:call(name, arguments, more)
    local params = { name = name, arguments = arguments and json.object(arguments) }
    for field, value in pairs(more or {}) do params[field] = value end
    return self:result("tools/call", params)
end

--- The first text of a call.
function Client:text(name, arguments, more) return self:call(name, arguments, more).content[1].text end

--- Sends a notification; returns the status.
function Client:notify(method, params)
    local exchange = self:post({ jsonrpc = "2.0", method = method, params = params })
    exchange:close()
    return exchange.status
end

--- Answers a request of the server; returns the status.
function Client:reply(id, result)
    local exchange = self:post({ jsonrpc = "2.0", id = id, result = json.object(result) })
    exchange:close()
    return exchange.status
end

--- Listens to the session, or resumes after an event.
function Client:listen(last_event_id)
    local headers = self:headers()
    headers.Accept, headers["Content-Type"], headers["Last-Event-ID"] = "text/event-stream", nil, last_event_id
    return self:send("GET", nil, headers)
end

--- Ends the session; returns the status.
function Client:finish()
    local headers = self:headers()
    headers["Content-Type"] = nil
    local exchange = self:send("DELETE", nil, headers)
    exchange:close()
    return exchange.status
end

--- A client of a handshake revision with a session.
---@return spec.McpClient
function mcp.session(server, revision, capabilities, name, token)
    local client = setmetatable({
        server = server, revision = revision, capabilities = capabilities or {}, token = token,
    }, Client)
    local answer, exchange = client:request("initialize", {
        protocolVersion = revision, capabilities = json.object(client.capabilities),
        clientInfo = { name = name or "spec", version = "1" },
    })
    assert(answer.result.protocolVersion == revision)
    client.session, client.hello = assert(exchange.headers["mcp-session-id"]), answer.result
    if revision >= "2025-06-18" then client.header = revision end
    assert(client:notify("notifications/initialized") == 202)
    return client
end

--- A client of the stateless revision.
---@return spec.McpClient
function mcp.modern(server, capabilities, token)
    return setmetatable({
        server = server, revision = mcp.MODERN, header = mcp.MODERN, capabilities = capabilities or {}, token = token,
    }, Client)
end

--- A client of a handshake revision that never said hello.
---@return spec.McpClient
function mcp.bare(server, revision)
    return setmetatable({ server = server, revision = revision or "2025-11-25", header = revision, capabilities = {} }, Client)
end

return mcp
