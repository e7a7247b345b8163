--- The second argument of every handler: what it may know of its call, and what it may ask the host for. Documented
--- for operators in lib/_meta/ctx.lua.
local fail = require("mcp.fail")
local fs = require("fs")
local log = require("log")
local names = require("names")

---@class mcp.Context: ctx.Context
local Context = {}
Context.__index = Context

local context = {}

local logger = log.logger("tool")

local LEVELS = { trace = true, debug = true, info = true, warning = true, error = true }

function Context.path(_, path)
    local absolute, message = fs.resolve(names.read(path))
    if not absolute then fail.raise(message) end
    return absolute
end

function Context:log(level, message, fields)
    if not LEVELS[level] then
        error(("ctx:log: level must be trace, debug, info, warning or error, got %s"):format(tostring(level)), 2)
    end
    local line = { tool = self.tool }
    for name, value in pairs(fields or {}) do line[name] = value end
    logger[level](message, line)
end

---@param tool string
---@param exchange mcp.Exchange
---@param meta table
---@return mcp.Context
function context.new(tool, exchange, meta)
    return setmetatable({ tool = tool, client = exchange.client, meta = meta }, Context)
end

return context
