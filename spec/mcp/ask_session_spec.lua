local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("questions in a session", function()
    local ask_session, questions, fail, exchange, sent, notified, answer

    before_each(function()
        local host = fake_host.install()
        sent, notified = {}, {}
        host.inbox.open = function()
            return setmetatable({
                listen = function() return true end,
                take = function()
                    local message = answer and answer(sent[#sent])
                    if not message then return nil end
                    return "key", json.encode(message)
                end,
            }, { __close = function() end })
        end
        ask_session, questions, fail = require("mcp.ask_session"), require("mcp.questions"), require("fail")
        exchange = {
            session = { nonce = "n" }, revision = "2025-11-25",
            capabilities = { roots = {}, elicitation = { form = {}, url = {} } },
            transport = { send = function(_, text)
                sent[#sent + 1] = json.decode(text)
                return true
            end },
            notify = function(_, method, params) notified[#notified + 1] = { method, params.requestId } end,
        }
    end)

    local function ask(question)
        local ok, result = pcall(function() return ask_session.new(exchange):inputs({ q = question }).q end)
        return ok and result or nil, not ok and (fail.message_of(result) or result) or nil
    end

    it("are requests with ids of their own; the answer is what the client says", function()
        answer = function(asked) return { id = asked.id, result = { roots = json.array({}) } } end
        assert.is_table(ask(questions.roots()).roots)
        assert.same({ "2.0", "roots/list" }, { sent[1].jsonrpc, sent[1].method })
        ask(questions.roots())
        assert.not_equal(sent[1].id, sent[2].id)
        assert.same({}, notified)
    end)

    it("take no answer to what was not asked", function()
        local strange = true
        answer = function(asked)
            local message = { id = strange and "another" or asked.id, result = { roots = json.array({}) } }
            strange = false
            return message
        end
        assert.is_table(ask(questions.roots()).roots)
        assert.is_false(strange)
    end)

    it("give an address the id that its revision wants", function()
        answer = function(asked) return { id = asked.id, result = { action = "accept" } } end
        local question = questions.address("Log in", "https://x")
        assert.equal("accept", ask(question).action)
        assert.equal(sent[1].id, sent[1].params.elicitationId)
        assert.is_nil(question.params.elicitationId)
    end)

    it("tell the agent of refusals, silence and nonsense, and withdraw what is open", function()
        answer = function(asked) return { id = asked.id, error = { code = -1, message = "no user" } } end
        assert.equal("The client refused: no user", select(2, ask(questions.roots())))
        answer = function(asked) return { id = asked.id, error = { code = -1, message = ("x\n"):rep(1000) } } end
        assert.is_true(#select(2, ask(questions.roots())) < 600)
        for _, strange in ipairs({ "text", 5, json.array({}), { message = { "x" } }, { message = 5 } }) do
            answer = function(asked) return { id = asked.id, error = strange } end
            assert.equal("The client refused: no reason given", select(2, ask(questions.roots())))
        end
        answer = function(asked) return { id = asked.id, result = { roots = 5 } } end
        assert.equal("The client's answer does not fit the question", select(2, ask(questions.roots())))
        answer = nil
        assert.equal("The client did not answer in time", select(2, ask(questions.roots())))
        assert.same({ "notifications/cancelled", sent[#sent].id }, notified[#notified])
        exchange.transport.send = function() return false end
        assert.matches("does not listen", select(2, ask(questions.roots())))
        exchange.capabilities = {}
        assert.equal("This needs a client that can be asked for roots", select(2, ask(questions.roots())))
    end)

    it("let a client go that knows how to come back", function()
        local gone
        exchange.transport.let_go = function(_, retry_ms) gone = retry_ms end
        ask_session.new(exchange):go_async()
        assert.equal(500, gone)
        exchange.revision, gone = "2025-06-18", nil
        ask_session.new(exchange):go_async()
        assert.is_nil(gone)
    end)
end)
