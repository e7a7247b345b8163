--- Questions to a client of a handshake session: requests on the stream of its own request. The answers come as messages
--- of their own (mcp.legacy delivers them to the inbox that waits here).
local asker = require("mcp.asker")
local crypto = require("crypto")
local fail = require("fail")
local fiber = require("fiber")
local inbox = require("inbox")
local json = require("json")
local questions = require("mcp.questions")
local text = require("text")
local revisions = require("mcp.revisions")

local ask_session = {}

local PATIENCE_MS = 300000 -- people answer these
local SPARE_MS = 1000      -- left of the call's own time, to say that nobody answered
local RETRY_MS = 500
local REASON_BYTES = 500

---@class mcp.SessionAsker: mcp.Asker
---@field private exchange mcp.Exchange
---@field private memos table<string, any>
local Asker = {}
local metatable = { __index = Asker } -- apart, so that no object leads to it

--- The key under which an answer is delivered.
---@param nonce string of the session
---@param id any of the answer
---@return string
function ask_session.key(nonce, id) return ("answer %s %s"):format(nonce, json.encode(id)) end

function Asker:can(question)
    return questions.missing(question, self.exchange.capabilities, self.exchange.revision) == nil
end

-- Only clients of the newest of these revisions know addresses, and an id of their own for each.
local function params_of(question, id, revision)
    local params = json.object({ elicitationId = question.params.mode == "url" and id or nil })
    for name, value in pairs(question.params) do params[name] = value end
    if params.requestedSchema then params.requestedSchema = revisions.form(params.requestedSchema, revision) end
    return params
end

local function send(self, box, question)
    local id = crypto.random_text(12)
    if not box:listen(ask_session.key(self.exchange.session.nonce, id)) then
        error("the inbox takes no more questions", 0)
    end
    local params = params_of(question, id, self.exchange.revision)
    local message = { jsonrpc = "2.0", id = id, method = question.method, params = params }
    if self.exchange.transport:send(json.encode(message)) then return id end
    fail.raise("The client cannot be asked: it does not listen to the stream of its request")
end

local function patience()
    local left = fiber.time_left()
    return left and math.max(1, math.min(PATIENCE_MS, left - SPARE_MS)) or PATIENCE_MS
end

-- However the handler ends, the client is not left with questions whose answers nobody wants.
local function withdrawal(self, open)
    return setmetatable({}, { __close = function(_, raised)
        if raised == nil then return end
        for id in pairs(open) do
            self.exchange:notify("notifications/cancelled", { requestId = id, reason = "the answer is not wanted any more" })
        end
    end })
end

local function read(question, message)
    if message.error ~= nil then
        local why = type(message.error) == "table" and message.error.message
        why = type(why) == "string" and text.cut(text.clean(why), REASON_BYTES) or "no reason given"
        fail.raise("The client refused: " .. why)
    end
    if questions.judge(question, message.result) then fail.raise("The client's answer does not fit the question") end
    return message.result
end

local function collect(box, asked, open)
    local answers = {}
    while next(open) do
        local key, answer = box:take(patience())
        if not key then fail.raise("The client did not answer in time") end
        local message = json.decode(answer)
        local name = open[message.id]
        if name then -- else a client that answered twice
            open[message.id] = nil
            answers[name] = read(asked[name], message)
        end
    end
    return answers
end

function Asker:inputs(asked)
    local lacking = asker.missing(asked, self.exchange.capabilities, self.exchange.revision)
    if lacking then asker.refuse(lacking) end
    local box <close> = inbox.open()
    local open = {}
    local guard <close> = withdrawal(self, open)
    for _, key in ipairs(asker.keys(asked)) do open[send(self, box, asked[key])] = key end
    return guard and collect(box, asked, open)
end

function Asker:once(key, make) return asker.memoize(self.memos, key, make) end

-- A client that knows how comes back for the answer.
function Asker:go_async()
    local transport = self.exchange.transport
    if transport.let_go and revisions.resumes_from_start(self.exchange.revision) then transport:let_go(RETRY_MS) end
end

---@param exchange mcp.Exchange with a session
---@return mcp.Asker
function ask_session.new(exchange) return setmetatable({ exchange = exchange, memos = {} }, metatable) end

return ask_session
