local fake_host = require("spec.support.fake_host")

describe("oauth.journal", function()
    local host, journal

    before_each(function()
        host = fake_host.install()
        journal = require("oauth.journal")
    end)

    for _, level in ipairs({ "info", "warning" }) do
        it("writes a line of " .. level .. " into the log and one into the audit log", function()
            journal[level]("signed in", { client = "App" })
            assert.same({ { level = level, logger = "oauth", message = "signed in", fields = { client = "App" } } }, host.lines)
            assert.same({ { event = "auth", action = "signed in", client = "App" } }, host.audited)
        end)
    end

    it("needs no fields, and no audit log", function()
        host.audit.enabled = function() return false end
        journal.info("signed out")
        assert.equal("signed out", host.lines[1].message)
        assert.same({}, host.audited)
    end)
end)
