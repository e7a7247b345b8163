--- One POST as a transport: the answer is JSON, or an event stream when something has to be said before the answer, or
--- when it is late. In a session the stream can be resumed.
local cancel = require("mcp.cancel")
local invoke = require("mcp.invoke")
local jsonrpc = require("mcp.jsonrpc")
local session = require("mcp.session")

local http_line = {}

-- An answer that is not there after `AFTER_MS` becomes a stream, so that nobody takes the server for dead.
local AFTER_MS, EVERY_MS = 5000, 15000

local STREAM_HEADERS = {
    ["Content-Type"] = "text/event-stream", ["Cache-Control"] = "no-cache", ["X-Accel-Buffering"] = "no",
}

---@class mcp.HttpLine: mcp.Transport
---@field private request request.Request
---@field private takes_json boolean
---@field private takes_stream boolean
---@field private read_header fun(request: request.Request, name: string): string?, integer looked up once
---@field private kept_headers? table<string, { value: string, count: integer }>
---@field private stream? stream.Stream
---@field private owner? string session that may resume the stream
---@field private primed? boolean
local Line = {}
local metatable = { __index = Line } -- apart, so that no object leads to it

--- Who may use what belongs to the caller of a request.
---@param request request.Request
---@return string
function http_line.principal(request) return request.principal or "owner" end

--- The keep-alive of streams, in milliseconds.
http_line.EVERY_MS = EVERY_MS

local ALONE = { every_ms = EVERY_MS } -- nobody can resume it

local function options_of(self)
    if not self.owner then return ALONE end
    return { every_ms = EVERY_MS, owner = self.owner, kept = true }
end

local function open(self)
    if self.stream or not self.takes_stream then return self.stream end
    self.stream = self.request:stream(options_of(self))
    if self.stream and self.primed then self.stream:prime() end
    return self.stream
end

--- The response to return to the host. A client that takes nothing but a stream gets one with one event.
---@return integer status
---@return string? body
---@return table<string, string>? headers
function Line:respond(status, body, headers)
    if self.stream or not body or self.takes_json then return status, body, headers end
    local all = {}
    for _, list in ipairs({ STREAM_HEADERS, headers or {} }) do
        for name, value in pairs(list) do all[name] = value end
    end
    return status, "event: message\ndata: " .. body .. "\n\n", all
end

-- What the client gets for a handler that was stopped; nothing when it does not want to hear of it any more.
local function stopped_answer(self, reason, stopped, id, compose)
    local result, failure, status = stopped(reason)
    if cancel.is_reason(reason) then
        local rest = compose and compose()
        return self:respond(rest and 200 or 202, rest)
    end
    local body = failure and jsonrpc.error(id, failure) or result and jsonrpc.result(id, result)
    return self:respond(failure and status or 200, body and compose and compose(body) or body)
end

--- Answers a request that is cancelled before its work has begun.
function Line:expect_cancel()
    self.request:on_stop(function(reason)
        if cancel.is_reason(reason) then return self:respond(202) end
        return 500, jsonrpc.error(nil, jsonrpc.failure(jsonrpc.INTERNAL_ERROR, invoke.was_stopped("The request", reason)))
    end)
end

local function be_patient(self)
    if not self.takes_stream then return end
    if not self.takes_json then return open(self) end
    local options = self.owner and options_of(self)
    if options then options.primed = self.primed end
    self.request:stream_when_slow(AFTER_MS, EVERY_MS, options)
end

function Line:header(name)
    local kept = self.kept_headers
    if not kept then return self.read_header(self.request, name) end
    return kept[name] and kept[name].value, kept[name] and kept[name].count
end

-- What engines and handlers read of each message.
local OF_MESSAGES = { "mcp-session-id", "mcp-protocol-version", "user-agent", "traceparent", "tracestate", "baggage" }

--- Reads what may be asked for after the response has become a stream, where it cannot be read any more.
function Line:remember_headers()
    local kept = {}
    for _, name in ipairs(OF_MESSAGES) do
        local value, count = self:header(name)
        kept[name] = value and { value = value, count = count }
    end
    self.kept_headers = kept
end

function Line:send(text)
    local stream = open(self)
    return stream ~= nil and stream:send(text) == true
end

function Line:on_long(stopped, id, compose)
    be_patient(self)
    self.request:on_stop(function(reason) return stopped_answer(self, reason, stopped, id, compose) end)
end

function Line:listen(options)
    options.detached, options.every_ms = true, EVERY_MS
    self.stream = self.request:stream(options)
    return self.stream
end

function Line:keep(nonce, primed) self.owner, self.primed = nonce, primed end

function Line:let_go(retry_ms)
    local stream = self.owner and open(self)
    if not stream then return end
    stream:prime(retry_ms)
    stream:detach()
end

function Line:begin(began)
    return { ["Mcp-Session-Id"] = session.mint(self.principal, began.revision, began.capabilities, began.client) }
end

---@param request request.Request
---@param takes mcp.Accept
---@return mcp.HttpLine
function http_line.new(request, takes)
    return setmetatable({
        request = request, read_header = request.header, takes_json = takes.json, takes_stream = takes.stream,
        bytes = request.size, principal = http_line.principal(request), session = nil, stream = nil,
        kept_headers = nil, -- in one piece
    }, metatable)
end

return http_line
