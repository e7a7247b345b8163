--- The second argument of every handler: what it may know of its call, and what it may ask the host and the client for.
--- Documented for operators in lib/_meta/ctx.lua.
local clock = require("clock")
local fail = require("fail")
local fiber = require("fiber")
local fs = require("fs")
local log = require("log")
local log_levels = require("mcp.log_levels")
local names = require("names")
local questions = require("mcp.questions")

---@class mcp.Context: ctx.Context
---@field private exchange mcp.Exchange
---@field private progressed? number
---@field private progressed_ms? number
local Context = {}
local metatable = { __index = Context } -- apart, so that no object leads to it

local context = {}

--- Questions for `ctx:inputs`.
Context.question = setmetatable({}, {
    __index = questions, __newindex = function() error("ctx.question is read-only", 2) end,
})

local logger = log.logger("tool")

local PROGRESS_EVERY_MS = 10
local QUESTIONS_MAX = 64 -- at one time; an inbox takes no more answers

function Context.path(_, path)
    local absolute, message = fs.resolve(names.read(path))
    if not absolute then fail.raise(message) end
    return absolute
end

local function data_of(message, fields)
    if not fields then return message end
    local data = { message = message }
    for name, value in pairs(fields) do data[name] = value end
    return data
end

function Context:log(level, message, fields)
    local own = log_levels.own(level)
    if not own then error(("ctx:log: there is no level %s"):format(tostring(level)), 2) end
    local line = { tool = self.tool }
    for name, value in pairs(fields or {}) do line[name] = value end
    logger[own](message, line)
    if not log_levels.reaches(level, self.exchange.log_level) then return end
    self.exchange:notify("notifications/message", { level = level, logger = self.tool, data = data_of(message, fields) })
end

-- JSON knows no other number.
local function is_finite(value) return type(value) == "number" and value - value == 0 end

-- Progress must grow, and a fast loop must not flood the client.
local function is_news(self, progress, total)
    if self.progressed and progress <= self.progressed then return false end
    local now = clock.monotonic_ms()
    local quick = self.progressed_ms and now - self.progressed_ms < PROGRESS_EVERY_MS
    if quick and progress ~= total then return false end
    self.progressed, self.progressed_ms = progress, now
    return true
end

-- The client's token; what is none is as good as not given.
local function token_of(meta)
    local token = meta.progressToken
    return (type(token) == "string" or math.type(token) == "integer") and token or nil
end

function Context:is_followed()
    local asker = self.exchange.asker
    return token_of(self.meta) ~= nil or self.exchange.on_progress ~= nil or asker ~= nil and asker.begin_task ~= nil
end

function Context:progress(progress, total, message)
    if not is_finite(progress) then error("ctx:progress: expected a finite number", 2) end
    if total ~= nil and not is_finite(total) then error("ctx:progress: expected the total as a finite number", 2) end
    if message ~= nil and type(message) ~= "string" then error("ctx:progress: expected the message as a string", 2) end
    local exchange, token = self.exchange, token_of(self.meta)
    local follows = token ~= nil or exchange.on_progress
    if not follows or not is_news(self, progress, total) then return end
    local params = { progressToken = token, progress = progress, total = total, message = message }
    if exchange.on_progress then exchange.on_progress(params) else exchange:progress(params) end
end

function Context:inputs(asked)
    if type(asked) ~= "table" or next(asked) == nil then error("ctx:inputs: expected a table of questions by key", 2) end
    local count = 0
    for _ in pairs(asked) do count = count + 1 end
    if count > QUESTIONS_MAX then error(("ctx:inputs: expected at most %d questions"):format(QUESTIONS_MAX), 2) end
    return self.exchange:questions():inputs(asked)
end

local function ask_one(self, key, question)
    if type(key) ~= "string" then error("ctx: expected the key of the question as a string", 3) end
    return self.exchange:questions():inputs({ [key] = question })[key]
end

function Context:elicit(key, message, requested) return ask_one(self, key, questions.form(message, requested)) end

function Context:open(key, message, url) return ask_one(self, key, questions.address(message, url)) end

function Context:sample(key, params) return ask_one(self, key, questions.sample(params)) end

function Context:roots(key) return ask_one(self, key or "roots", questions.roots()).roots end

function Context:can(question) return self.exchange:questions():can(question) end

function Context:once(key, make) return self.exchange:questions():once(key, make) end

function Context:go_async() self.exchange:questions():go_async() end

function Context.deadline() return fiber.time_left() end

---@param name string of the tool, prompt or resource
---@param exchange mcp.Exchange
---@param meta table
---@return mcp.Context
function context.new(name, exchange, meta)
    return setmetatable({ tool = name, client = exchange.client, meta = meta, exchange = exchange }, metatable)
end

return context
