--- Where a message came from and where its answer goes. A transport makes the line, the engine of the message's era
--- fills in what it learned; what handlers see of it (mcp.context) knows neither HTTP nor pipes nor eras.
local asker = require("mcp.asker")
local json = require("json")
local revisions = require("mcp.revisions")
local text = require("text")

local exchange = {}

---@class mcp.Client who calls, by its own word: for logs, never for decisions
---@field name string
---@field version? string

---@class mcp.Transport what a transport gives for one message; functions are methods, and nil where it has no such thing
---@field bytes integer size of the message
---@field principal? string who sent it, as the host knows it
---@field header? fun(self: mcp.Transport, name: string): string?, integer? a header of the request, and how many there are
---@field on_long? fun(self: mcp.Transport, stopped: mcp.Stopped, id?: string|integer, compose?: fun(body?: string): string?)
---@field send? fun(self: mcp.Transport, message: string): boolean sends what belongs to the request, before its answer
---@field let_go? fun(self: mcp.Transport, retry_ms: integer) lets the client go and come back for the answer
---@field listen? fun(self: mcp.Transport, options: { topics: string[], tag?: string }): stream.Stream? goes on beyond the handler
---@field scope? string where ids of requests are unique, if the transport itself is such a place
---@field session? mcp.Session|false that the transport is by itself, or that the message names
---@field assumed? mcp.Revision of a client that names none
---@field begin? fun(self: mcp.Transport, session: mcp.Session): table<string, string>? hello was said; headers of the answer
---@field keep? fun(self: mcp.Transport, nonce: string, primed: boolean) the session can resume streams of the request

---@alias mcp.Stopped fun(reason: string): string?, mcp.Failure?, integer? result, or error and HTTP status, or nothing

---@alias mcp.Work fun(): string?, mcp.Failure?
---@alias mcp.TaskRunner fun(tool: mcp.Tool, exchange: mcp.Exchange, work: mcp.Work, stopped: mcp.Stopped): string?, mcp.Failure?

---@class mcp.Exchange
---@field transport mcp.Transport
---@field bytes integer size of the message
---@field era string "legacy", "modern" or "local"
---@field revision mcp.Revision
---@field client mcp.Client
---@field capabilities table what the client says it can do
---@field session? mcp.Session
---@field id? string|integer of the request
---@field tasks? mcp.TaskRunner runs a tool that may go on beyond its request; nil: the client follows no tasks
---@field on_progress? fun(params: table) takes progress in place of the client
---@field asker? mcp.Asker how the client is asked; nil where it cannot be
---@field log_level? string the lowest level of messages that the client wants
---@field principal? string whom the request is from, for the audit log
---@field reported? boolean the call's end is in log, figures and audit log
---@field kept_arguments? table what the audit log keeps of a tool's arguments
---@field decorate? fun(result: table): table adds what the era wants around a result
local Exchange = {}
local metatable = { __index = Exchange } -- apart, so that no object leads to it

local NAME_BYTES = 100

local function short(value) return type(value) == "string" and text.cut(text.clean(value), NAME_BYTES) or nil end

--- A client's name and version out of untrusted values.
---@return mcp.Client
function exchange.client(name, version)
    return { name = short(name) or "unknown", version = short(version) }
end

--- Prepares for an answer that may be late: the client is kept waiting politely, and if the handler is stopped (CPU,
--- deadline, memory, shutdown, cancel) `stopped(reason)` makes the result in its place.
---@param stopped mcp.Stopped
function Exchange:may_take_long(stopped)
    local transport = self.transport
    if transport.on_long then transport:on_long(stopped, self.id) end
end

--- A header of the request; nil where there are none.
---@param name string
---@return string?
function Exchange:header(name)
    local transport = self.transport
    return transport.header and transport:header(name)
end

--- Who takes the handler's questions to the client.
---@return mcp.Asker
function Exchange:questions()
    if not self.asker then self.asker = asker.nobody() end
    return self.asker
end

--- The result with what the era wants around it.
function Exchange:dress(result) return self.decorate and self.decorate(result) or result end

--- A result that clients of the stateless era may keep for a while.
---@param result table changed
---@param ttl_ms integer
function Exchange:cacheable(result, ttl_ms)
    if revisions.has_cache_hints(self.revision) then result.ttlMs, result.cacheScope = ttl_ms, "private" end
    return result
end

--- The text of a result. Raises for what JSON cannot hold.
---@param result table
---@return string
function Exchange:encode(result) return json.encode(self:dress(result)) end

--- Sends a notification that belongs to this request.
---@param method string
---@param params table
---@return boolean sent false: the client is gone, or takes nothing but the answer
function Exchange:notify(method, params)
    local transport = self.transport
    if not transport.send then return false end
    return transport:send(json.encode({ jsonrpc = "2.0", method = method, params = params }))
end

--- Sends progress in the form that the revision knows.
function Exchange:progress(params) return self:notify("notifications/progress", revisions.progress(params, self.revision)) end

---@param fields table without a transport there is nobody to talk to
---@return mcp.Exchange
function exchange.new(fields)
    fields.transport = fields.transport or {}
    return setmetatable(fields, metatable)
end

return exchange
