--- Questions to a client of the stateless era: they are the result of the request, and the client calls again with the
--- answers. The handler then runs again from the top; what is answered, and what `once` made, comes back sealed in the
--- request state, which is bound to principal, request, scripts and time.
local asker = require("mcp.asker")
local clock = require("clock")
local crypto = require("crypto")
local fail = require("fail")
local fiber = require("fiber")
local host = require("host")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local questions = require("mcp.questions")
local seal = require("mcp.seal")
local shared = require("shared")

local ask_replay = {}

ask_replay.MISSING_CAPABILITY = -32021

local PURPOSE = "request state"
local LIFE_MS = 600000
local ROUNDS_MAX = 16
local TRAVELS_BYTES_MAX = 8500 -- of answers and memos; more stays here

---@class mcp.ReplayCall what a state is good for
---@field principal string
---@field method string
---@field name any
---@field arguments string as JSON: a handler may change what it was given

---@class mcp.ReplayAsker: mcp.Asker
---@field private exchange mcp.Exchange
---@field private call mcp.ReplayCall
---@field private known table<string, { q: string, a: table }> accepted answers, with a digest of the question
---@field private fresh table<string, any> answers of this request
---@field private memos table<string, any>
---@field private asked table<string, boolean> keys of this run
---@field private round integer
---@field begin_task? fun() go_async calls it
---@field outcome? fun(): string?, mcp.Failure?, integer? the answer, once the handler was left
local Asker = {}
local metatable = { __index = Asker } -- apart, so that no object leads to it

local SORTED = { sort = true }

local function digest(text) return crypto.base64url(crypto.sha256(text):sub(1, 18)) end

-- What must be the same when the client calls again.
local function bound_to(call)
    return { p = call.principal, m = call.method, n = call.name, a = digest(call.arguments), g = host.scripts_id() }
end

local function is_bound(state, bound)
    return state.p == bound.p and state.m == bound.m and state.n == bound.n and state.a == bound.a
end

local invalid = jsonrpc.invalid_params

local INVALID_STATE = "requestState is not valid for this request, or too old" -- one text for all reasons

-- The state that came back, or an empty one where none came.
local function read_state(given, call, single_use)
    if given == nil then return { A = {}, M = {}, r = 0 } end
    local bound, state = bound_to(call), type(given) == "string" and seal.open(PURPOSE, given)
    if not state or not is_bound(state, bound) or state.t < clock.now_ms() then return invalid(INVALID_STATE) end
    if single_use and not shared.put_new("used state " .. state.x, "", LIFE_MS) then return invalid(INVALID_STATE) end
    if state.g ~= bound.g then return { A = {}, M = {}, r = state.r } end -- other scripts: ask anew
    local kept = state.A or json.decode(shared.get("state " .. state.x) or "null")
    if not jsonrpc.is_object(kept) then return invalid(INVALID_STATE) end
    return { A = state.A or kept.A, M = state.M or kept.M, r = state.r }
end

--- The asker of a request; or what is wrong with the answers that it brings.
---@param exchange mcp.Exchange
---@param method string
---@param params table
---@param single_use? boolean the state may come back once
---@return mcp.ReplayAsker?
---@return mcp.Failure?
function ask_replay.open(exchange, method, params, single_use)
    local fresh = params.inputResponses
    if fresh ~= nil and not jsonrpc.is_object(fresh) then return invalid("inputResponses must be an object") end
    local call = {
        principal = exchange.principal or "", method = method, name = params.name or params.uri,
        arguments = json.encode(params.arguments or {}, SORTED),
    }
    local state, failure = read_state(params.requestState, call, single_use)
    if not state then return nil, failure end
    return setmetatable({
        exchange = exchange, call = call, fresh = fresh or {}, known = state.A, memos = state.M, round = state.r,
        asked = {},
    }, metatable)
end

function Asker:can(question)
    return questions.missing(question, self.exchange.capabilities, self.exchange.revision) == nil
end

-- Leaves the handler for good: neither pcall nor anything else of the script goes on.
local function leave(self, outcome)
    self.outcome = outcome
    fiber.quit("it asked the client")
end

local function refuse(self, failure, status) leave(self, function() return nil, failure, status end) end

function ask_replay.lacks(lacking)
    return jsonrpc.failure(ask_replay.MISSING_CAPABILITY, "The client lacks a capability that this needs",
        { requiredCapabilities = lacking })
end

-- Accepts the answer to a question, or nil when it has to be asked (again).
local function answer_to(self, key, question)
    local mark, known = digest(json.encode(question, SORTED)), self.known[key]
    if known and known.q == mark then return known.a end
    local answer = self.fresh[key]
    if answer == nil then return nil end
    local wrong = questions.judge(question, answer)
    if wrong == "malformed" then
        local why = ("Invalid params: the answer to %q is malformed"):format(key)
        refuse(self, jsonrpc.failure(jsonrpc.INVALID_PARAMS, why))
    end
    if wrong then return nil end
    self.known[key] = { q = mark, a = answer }
    return answer
end

local function sealed_state(self)
    local nonce = crypto.random_text(12)
    local state = { x = nonce, t = clock.now_ms() + LIFE_MS, r = self.round + 1 }
    for name, value in pairs(bound_to(self.call)) do state[name] = value end
    local kept = json.encode({ A = self.known, M = self.memos })
    if #kept <= TRAVELS_BYTES_MAX then
        state.A, state.M = self.known, self.memos
    elseif not shared.put("state " .. nonce, kept, LIFE_MS) then
        fail.raise("This call has more answers to remember than the server keeps between two requests")
    end
    return seal.close(PURPOSE, state)
end

local function ask(self, open)
    local lacking = asker.missing(open, self.exchange.capabilities, self.exchange.revision)
    if lacking then refuse(self, ask_replay.lacks(lacking), 400) end
    if self.round >= ROUNDS_MAX then fail.raise("The client was asked too often in one call") end
    local state = sealed_state(self)
    leave(self, function()
        local result = self.exchange:dress({ inputRequests = open, requestState = state })
        result.resultType = "input_required"
        return json.encode(result)
    end)
end

function Asker:inputs(asked)
    local answers, open = {}, {}
    for _, key in ipairs(asker.keys(asked)) do
        if self.asked[key] then error(("ctx: the question %q was asked already"):format(key), 3) end
        self.asked[key] = true
        answers[key] = answer_to(self, key, asked[key])
        if not answers[key] then open[key] = asked[key] end
    end
    if next(open) then ask(self, open) end
    return answers
end

function Asker:once(key, make) return asker.memoize(self.memos, key, make) end

function Asker:go_async()
    if self.begin_task then self.begin_task() end
end

return ask_replay
