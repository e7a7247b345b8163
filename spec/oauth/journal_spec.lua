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

    it("keeps lines that any stranger can cause apart from the others in the audit log", function()
        local bounded = {}
        host.audit.write_bounded = function(fields) bounded[#bounded + 1] = fields.action end
        journal.attempt("authorization refused")
        journal.failure("the page failed")
        journal.warning("code used twice")
        assert.same({ "authorization refused", "the page failed" }, bounded)
        assert.equal("code used twice", host.audited[1].action)
        assert.same({ "info", "error", "warning" }, { host.lines[1].level, host.lines[2].level, host.lines[3].level })
    end)

    it("needs no fields, and no audit log", function()
        host.audit.enabled = function() return false end
        journal.info("signed out")
        assert.equal("signed out", host.lines[1].message)
        assert.same({}, host.audited)
    end)
end)
