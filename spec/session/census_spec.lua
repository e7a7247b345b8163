local fake_host = require("spec.support.fake_host")

describe("session.census", function()
    local host, census, answer

    before_each(function()
        host = fake_host.install()
        host.db.open = function() return { query = function() return table.unpack(answer) end } end
        census = require("session.census")
    end)

    local function has(counts)
        local rows = {}
        for status, count in pairs(counts) do rows[#rows + 1] = { status = status, count = count } end
        answer = { rows }
    end

    it("knows nothing before it counts", function()
        assert.same({ counts = {} }, census.read())
        assert.equal(0, census.active())
    end)

    it("counts what is not over", function()
        has({ ready = 1, active = 2, creating = 4, expired = 8, cleaned = 16 })
        census.take()
        assert.equal(7, census.active())
        assert.equal(16, census.read().counts.cleaned)
        has({})
        census.take()
        assert.equal(0, census.active())
    end)

    it("keeps the last count while the database cannot be read, and says so once", function()
        has({ ready = 3 })
        census.take()
        answer = { nil, "sessions.db: disk full", "EFULL" }
        census.take()
        census.take()
        assert.same({ 3, "sessions.db: disk full" }, { census.active(), census.read().error })
        assert.equal(1, #host.lines)
        assert.same({ "error", "The session database cannot be used: sessions.db: disk full" },
            { host.lines[1].level, host.lines[1].message })
    end)

    it("says why the database takes no change, until it takes one, and nothing of locks", function()
        has({ ready = 1 })
        census.changed("sessions.db: locked", "EBUSY")
        assert.is_nil(census.read().error)
        census.changed("sessions.db: read-only", "EREADONLY")
        census.changed("sessions.db: read-only", "EREADONLY")
        census.take()
        assert.equal("sessions.db: read-only", census.read().error)
        census.changed(nil)
        census.changed(nil)
        assert.is_nil(census.read().error)
        assert.same({ "The session database cannot be changed: sessions.db: read-only",
            "The session database can be changed again" }, { host.lines[1].message, host.lines[2].message })
        assert.equal(2, #host.lines)
    end)

    it("says when the database can be read again", function()
        answer = { nil, "sessions.db: disk full", "EFULL" }
        census.take()
        has({ ready = 1 })
        census.take()
        assert.same({ 1, "info", nil }, { census.active(), host.lines[2].level, census.read().error })
    end)
end)
