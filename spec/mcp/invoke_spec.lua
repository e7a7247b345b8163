local fake_host = require("spec.support.fake_host")

describe("invoke", function()
    local invoke, fail

    before_each(function()
        fake_host.install()
        invoke, fail = require("mcp.invoke"), require("fail")
    end)

    it("gives what the handler returned, which gets arguments and context", function()
        local given
        local function handler(...)
            given = { ... }
            return "value", "message"
        end
        local value, message, trouble = invoke.run(handler, "arguments", "ctx")
        assert.same({ "value", "message" }, { value, message })
        assert.is_nil(trouble)
        assert.same({ "arguments", "ctx" }, given)
    end)

    it("tells failures on purpose, errors of the protocol and all others apart", function()
        local _, message, trouble = invoke.run(function() fail.raise("not so") end)
        assert.equal("not so", message)
        assert.is_nil(trouble)
        _, message, trouble = invoke.run(function() fail.refuse(-32000, "no", { why = 1 }) end)
        assert.is_nil(message)
        assert.same({ code = -32000, message = "no", data = { why = 1 } }, trouble.refusal)
        _, message, trouble = invoke.run(function() error("oops") end)
        assert.is_nil(message)
        assert.matches("oops", trouble.trace)
        for _, raised in ipairs({ false, 5, {} }) do
            assert.is_string(select(3, invoke.run(function() error(raised) end)).trace)
        end
        assert.is_string(select(3, invoke.run(function() error() end)).trace)
    end)

    it("M13 says once why a handler was stopped, and not where it stood", function()
        for reason, said in pairs({
            ["stopped: the call took longer than its deadline"] = "x was stopped: the call took longer than its deadline",
            ["/srv/tools.lua:5: stopped: it computed for more than 2000 ms"] = "x was stopped: it computed for more than 2000 ms",
            ["stopped: lib/a.lua:1: stopped: the server is shutting down"] = "x was stopped: the server is shutting down",
            ["no prefix"] = "x was stopped: no prefix",
        }) do
            assert.equal(said, invoke.was_stopped("x", reason))
        end
        local result, failure = invoke.stopped("x", {})("stopped: y")
        assert.is_nil(result)
        assert.same({ code = -32603, message = "x was stopped: y" }, failure)
    end)

    it("M13 takes what JSON cannot hold for the handler's mistake", function()
        local exchange = require("mcp.exchange").new({ revision = "2025-11-25" })
        assert.equal('{"x":1}', (invoke.encode("n", { x = 1 }, exchange)))
        local text, failure = invoke.encode("n", { x = 0 / 0 }, exchange)
        assert.is_nil(text)
        assert.equal(-32603, failure.code)
        assert.matches("^Internal error in n", failure.message)
    end)

    it("answers for a handler that left to ask with what it asks", function()
        local asker = { outcome = function() return "questions" end }
        assert.equal("questions", (invoke.stopped("x", { asker = asker })("it asked the client")))
    end)
end)
