--- Where a message came from and where its answer goes. A transport makes it, the engine of the message's era
--- fills in what it learned; tools and registry see neither HTTP nor the command line.
local text = require("text")

local exchange = {}

---@class mcp.Client who calls, by its own word: for logs, never for decisions
---@field name string
---@field version? string

---@class mcp.Exchange
---@field bytes integer size of the message
---@field header fun(name: string): string?  a header of the request that carried the message
---@field on_long? fun(stopped: fun(reason: string): string) see may_take_long
---@field era string "legacy", "modern" or "local"
---@field revision mcp.Revision
---@field client mcp.Client
---@field decorate? fun(result: table): table adds what the era wants around a result
local Exchange = {}
Exchange.__index = Exchange

local NAME_BYTES = 100

--- A client's name and version out of untrusted values.
---@return mcp.Client
function exchange.client(name, version)
    local function short(value) return type(value) == "string" and text.cut(text.clean(value), NAME_BYTES) or nil end
    return { name = short(name) or "unknown", version = short(version) }
end

--- Prepares for an answer that may be late: the client is kept waiting politely, and if the handler is stopped (CPU,
--- deadline, memory, shutdown) `stopped(reason)` makes the text of the result in its place.
---@param stopped fun(reason: string): string
function Exchange:may_take_long(stopped)
    if self.on_long then self.on_long(stopped) end
end

--- The result with what the era wants around it.
function Exchange:dress(result) return self.decorate and self.decorate(result) or result end

---@param fields table
---@return mcp.Exchange
function exchange.new(fields) return setmetatable(fields, Exchange) end

return exchange
