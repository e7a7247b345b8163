local fail = require("fail")

describe("fail", function()
    it("raises a value that carries the message for the agent", function()
        local ok, raised = pcall(fail.raise, "no such host")
        assert.is_false(ok)
        assert.equal("no such host", fail.message_of(raised))
        assert.equal("no such host", tostring(raised))
    end)

    it("takes nothing else for a failure on purpose", function()
        for _, raised in ipairs({ "no such host", 5, { message = "x" }, setmetatable({ message = "x" }, {}) }) do
            assert.is_nil(fail.message_of(raised))
        end
        assert.is_nil(fail.message_of(nil))
    end)

    it("refuses a message that is no string, where it is called", function()
        local ok, raised = pcall(function() fail.raise({}) end)
        assert.is_false(ok)
        assert.matches("^spec/fail_spec.lua:%d+: tool%.fail: expected the message as a string, got table$", raised)
    end)
end)
