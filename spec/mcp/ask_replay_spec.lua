local fake_host = require("spec.support.fake_host")
local json = require("json")

local DAY_MS = 86400000

describe("questions of a stateless request", function()
    local ask_replay, questions, host, scripts

    before_each(function()
        host = fake_host.install()
        host.now = 100 * DAY_MS
        scripts = "one"
        host.host.scripts_id = function() return scripts end
        ask_replay, questions = require("mcp.ask_replay"), require("mcp.questions")
    end)

    local FORM = { type = "object", properties = { name = { type = "string" } }, required = { "name" } }
    local ANN = { action = "accept", content = { name = "Ann" } }

    local function open(params, more)
        more = more or {}
        local exchange = {
            principal = more.principal or "ann", revision = "2026-07-28",
            capabilities = more.capabilities or { elicitation = {} },
            dress = function(_, result) return result end,
        }
        local all = { name = "t", arguments = { x = 1, y = 2 } }
        for name, value in pairs(params or {}) do all[name] = value end
        return ask_replay.open(exchange, more.method or "tools/call", all, more.single_use)
    end

    -- What the handler gets, or what the client is asked in its place.
    local function ask(asking, asked)
        local ok, result = pcall(asking.inputs, asking, asked)
        if ok then return result end
        assert(type(result) == "table" and result.quit, result)
        local text, failure, status = asking.outcome()
        return nil, text and json.decode(text), failure, status
    end

    local function first() return select(2, ask(open(), { name = questions.form("Name?", FORM) })) end

    it("are the result, with a state; the answer comes with the next request", function()
        local result = first()
        assert.same({ "input_required", "elicitation/create" }, { result.resultType, result.inputRequests.name.method })
        local asking = open({ requestState = result.requestState, inputResponses = { name = ANN } })
        assert.same({ name = ANN }, ask(asking, { name = questions.form("Name?", FORM) }))
    end)

    it("are good for the arguments as they came, whatever the handler made of them", function()
        local given = { x = 1, y = 2 }
        local asking = open({ arguments = given })
        given.x, given.z = nil, 3
        local _, result = ask(asking, { name = questions.form("Name?", FORM) })
        local answers = { requestState = result.requestState, inputResponses = { name = ANN } }
        assert.is_table(open(answers))
        answers.arguments = given
        assert.equal(-32602, select(2, open(answers)).code)
    end)

    it("are refused in a state for another request, caller or time", function()
        local state = first().requestState
        local function code(params, more)
            params.requestState = params.requestState or state
            local asking, failure = open(params, more)
            return not asking and failure.code or nil
        end
        assert.is_nil(code({}))
        assert.is_nil(code({ arguments = { y = 2, x = 1 } }))
        assert.equal(-32602, code({ arguments = { x = 1 } }))
        assert.equal(-32602, code({ name = "u" }))
        assert.equal(-32602, code({}, { principal = "eve" }))
        assert.equal(-32602, code({}, { method = "prompts/get" }))
        assert.equal(-32602, code({ requestState = state .. "A" }))
        assert.equal(-32602, code({ requestState = 5 }))
        host.now = host.now + 600001
        assert.equal(-32602, code({}))
    end)

    it("are asked anew by other scripts, and when the script asks something else", function()
        local state = first().requestState
        local asking = open({ requestState = state, inputResponses = { name = ANN } })
        local second = select(2, ask(asking, { name = questions.form("Name?", FORM), more = questions.form("More?", FORM) }))
        assert.is_nil(second.inputRequests.name)
        asking = open({ requestState = second.requestState, inputResponses = { more = ANN } })
        assert.is_table(select(2, ask(asking, { name = questions.form("Another?", FORM) })).inputRequests.name)
        scripts = "two"
        asking = open({ requestState = second.requestState })
        assert.is_table(select(2, ask(asking, { name = questions.form("Name?", FORM) })).inputRequests.name)
    end)

    it("count once where the tool wants that", function()
        local state = first().requestState
        assert.is_table(open({ requestState = state }, { single_use = true }))
        assert.equal(-32602, select(2, open({ requestState = state }, { single_use = true })).code)
        assert.is_table(open({ requestState = state }))
    end)

    it("keep what was made once in the state, or here when it is large", function()
        for _, size in ipairs({ 10, 40000 }) do
            local asking, made = open(), 0
            local function make()
                made = made + 1
                return ("x"):rep(size)
            end
            asking:once("memo", make)
            local result = select(2, ask(asking, { name = questions.form("Name?", FORM) }))
            assert.is_true(#result.requestState < 16000)
            local again = open({ requestState = result.requestState, inputResponses = { name = ANN } })
            assert.equal(size, #again:once("memo", make))
            assert.equal(1, made)
        end
    end)

    it("are not asked where what was answered before is too much to keep", function()
        local put = host.shared.put
        function host.shared.put(key, value, ...) return #value <= 4 << 20 and put(key, value, ...) end
        local asking = open()
        asking:once("memo", function() return ("x"):rep(5 << 20) end)
        local ok, raised = pcall(ask, asking, { name = questions.form("Name?", FORM) })
        assert.is_false(ok)
        assert.matches("more answers to remember than the server keeps", tostring(raised))
    end)

    it("are an error of the protocol where the client cannot be asked, or answers nonsense", function()
        local _, _, failure, status = ask(open({}, { capabilities = {} }), { name = questions.form("Name?", FORM) })
        assert.same({ -32021, 400 }, { failure.code, status })
        _, _, failure = ask(open({ inputResponses = { name = 5 } }), { name = questions.form("Name?", FORM) })
        assert.equal(-32602, failure.code)
        assert.equal(-32602, select(2, open({ inputResponses = json.array({}) })).code)
        assert.is_table(ask(open({ inputResponses = { name = ANN } }), { name = questions.form("Name?", FORM) }))
    end)
end)
