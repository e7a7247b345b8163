local log_levels = require("mcp.log_levels")

describe("log levels", function()
    local ALL = { "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency" }

    it("are the eight of RFC 5424, in their order", function()
        for lowest, wanted in ipairs(ALL) do
            assert.is_true(log_levels.is_known(wanted))
            for position, level in ipairs(ALL) do
                assert.equal(position >= lowest, log_levels.reaches(level, wanted))
            end
        end
        for _, other in ipairs({ "trace", "loud", "", 5 }) do assert.is_false(log_levels.is_known(other)) end
        assert.is_false(log_levels.is_known(nil))
    end)

    it("reach nobody who wants none, and trace never leaves the server", function()
        assert.is_false(log_levels.reaches("emergency", nil))
        assert.is_false(log_levels.reaches("trace", "debug"))
    end)

    it("have a name each in the server's own log", function()
        for level, own in pairs({ trace = "trace", debug = "debug", notice = "info", warning = "warning", alert = "error" }) do
            assert.equal(own, log_levels.own(level))
        end
        assert.is_nil(log_levels.own("loud"))
    end)
end)
