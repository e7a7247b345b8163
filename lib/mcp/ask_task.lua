--- Questions of a handler that runs as a task: they wait in the task until tasks/update brings the answers.
local ask_replay = require("mcp.ask_replay")
local asker = require("mcp.asker")
local fail = require("fail")
local inbox = require("inbox")
local json = require("json")
local questions = require("mcp.questions")
local task_view = require("mcp.task_view")

local ask_task = {}

local PATIENCE_MS = 86400000 -- the handler's own deadline comes first

---@class mcp.TaskAsker: mcp.Asker
---@field private task mcp.Task
---@field private exchange mcp.Exchange
---@field private memos table<string, any>
---@field private used table<string, integer> how often a key was asked
local Asker = {}
local metatable = { __index = Asker } -- apart, so that no object leads to it

--- The key under which answers are delivered.
function ask_task.key(id) return "task answers " .. id end

function Asker:can(question)
    return questions.missing(question, self.exchange.capabilities, self.exchange.revision) == nil
end

-- A key is unique as long as the task lives.
local function wire_key(self, key)
    local count = (self.used[key] or 0) + 1
    self.used[key] = count
    return count == 1 and key or ("%s-%d"):format(key, count)
end

local function collect(box, names, count)
    local answers = {}
    while count > 0 do
        local _, text = assert(box:take(PATIENCE_MS))
        for key, answer in pairs(json.decode(text)) do
            local name = names[key]
            if name and not answers[name] then answers[name], count = answer, count - 1 end
        end
    end
    return answers
end

function Asker:inputs(asked)
    local lacking = asker.missing(asked, self.exchange.capabilities, self.exchange.revision)
    if lacking then fail.refuse(ask_replay.MISSING_CAPABILITY, "The client lacks a capability that this needs",
        { requiredCapabilities = lacking }) end
    local id, open, names, count = self.task.id, {}, {}, 0
    for _, key in ipairs(asker.keys(asked)) do
        local wire = wire_key(self, key)
        open[wire], names[wire], count = asked[key], key, count + 1
    end
    local box <close> = inbox.open()
    box:listen(ask_task.key(id))
    task_view.put_questions(id, open, self.task.ttl_ms)
    task_view.insist(id, { status = "input_required" })
    local answers = collect(box, names, count)
    task_view.insist(id, { status = "working" })
    return answers
end

function Asker:once(key, make) return asker.memoize(self.memos, key, make) end

function Asker.go_async() end

---@param task mcp.Task
---@param exchange mcp.Exchange
---@return mcp.Asker
function ask_task.new(task, exchange)
    return setmetatable({ task = task, exchange = exchange, memos = {}, used = {} }, metatable)
end

return ask_task
