local fake_host = require("spec.support.fake_host")

describe("cancelling", function()
    local cancel, host

    before_each(function()
        host = fake_host.install()
        cancel = require("mcp.cancel")
    end)

    it("finds the handler by scope and by the id with its type", function()
        for id, name in pairs({ [5] = "call s 5", ["5"] = 'call s "5"', ["a b"] = 'call s "a b"' }) do
            cancel.name("s", id)
            assert.equal(name, host.tag)
            cancel.receive("s", { requestId = id })
            local stopped = table.remove(host.stopped)
            assert.equal(name, stopped[1])
            assert.is_true(cancel.is_reason("tools.lua:1: stopped: " .. stopped[2]))
            assert.same({ cancel.topic("s", id), nil, ended = true }, table.remove(host.sent))
        end
    end)

    it("ignores what names nothing", function()
        for _, params in ipairs({ {}, { requestId = 1.5 }, { requestId = {} }, { requestId = true }, "x", 5 }) do
            cancel.receive("s", params)
        end
        cancel.receive("s", nil)
        assert.same({}, host.stopped)
        assert.is_false(cancel.is_reason("stopped: the client hung up"))
    end)

    it("ends all of a scope at its end, and of no other that begins so", function()
        cancel.all("s")
        assert.equal("call s *", host.stopped[1][1])
    end)
end)
