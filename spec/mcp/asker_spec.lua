local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("asking", function()
    local asker, questions, fail

    setup(function()
        fake_host.install()
        asker, questions, fail = require("mcp.asker"), require("mcp.questions"), require("fail")
    end)

    it("goes by keys in a fixed order", function() assert.same({ "a", "b", "c" }, asker.keys({ c = 1, a = 2, b = 3 })) end)

    it("finds what the client lacks for any of the questions", function()
        local asked = { a = questions.roots(), b = questions.sample({}) }
        assert.is_nil(asker.missing(asked, { roots = {}, sampling = {} }, "2025-11-25"))
        assert.same({ sampling = {} }, asker.missing(asked, { roots = {} }, "2025-11-25"))
    end)

    it("makes what is kept once, nothing and false included", function()
        local memos, count = {}, 0
        for key, value in pairs({ table = { 1 }, no = false }) do
            for _ = 1, 2 do
                assert.same(value, asker.memoize(memos, key, function()
                    count = count + 1
                    return value
                end))
            end
        end
        for _ = 1, 2 do
            assert.is_nil(asker.memoize(memos, "nothing", function() count = count + 1 end))
        end
        assert.equal(3, count)
        assert.equal(json.null, memos.nothing)
    end)

    it("where nobody can be asked ends the call with a message for the agent", function()
        local nobody = asker.nobody()
        assert.is_false(nobody:can(questions.roots()))
        local ok, raised = pcall(nobody.inputs, nobody, { roots = questions.roots() })
        assert.is_false(ok)
        assert.equal("This needs a client that can be asked for roots", fail.message_of(raised))
        assert.equal("x", nobody:once("k", function() return "x" end))
        nobody:go_async()
    end)
end)
