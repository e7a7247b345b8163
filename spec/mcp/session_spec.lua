local fake_host = require("spec.support.fake_host")

local DAY_MS = 86400000

describe("a session's id", function()
    local session, host

    before_each(function()
        host = fake_host.install()
        session = require("mcp.session")
    end)

    local function mint(capabilities)
        return session.mint("ann", "2025-06-18", capabilities or {}, { name = "c", version = "1" })
    end

    it("says what was agreed on, to its owner", function()
        local read = session.read(mint({ elicitation = { url = {} }, sampling = {}, experimental = { x = {} } }), "ann")
        assert.same({ "2025-06-18", "c", "1" }, { read.revision, read.client.name, read.client.version })
        assert.same({ elicitation = { url = {} }, sampling = {} }, read.capabilities)
        assert.matches("^[\33-\126]+$", mint())
        assert.is_nil(session.read(mint(), "eve"))
        assert.is_nil(session.read("nonsense", "ann"))
    end)

    it("is good for thirty days, or until it is ended, and no other with it", function()
        local id, other = mint(), mint()
        session.finish(session.read(id, "ann"))
        assert.is_nil(session.read(id, "ann"))
        assert.is_table(session.read(other, "ann"))
        host.now = 30 * DAY_MS + 1000
        assert.is_nil(session.read(other, "ann"))
    end)

    it("says the same each time, whatever was done to what it said before", function()
        local id = mint({ elicitation = {} })
        local first = session.read(id, "ann")
        first.capabilities.sampling, first.capabilities.elicitation.form, first.client.name = {}, {}, "other"
        local second = session.read(id, "ann")
        assert.same({ { elicitation = {} }, "c" }, { second.capabilities, second.client.name })
        assert.is_nil(session.read(id, "eve"))
        for _ = 1, 300 do assert.is_table(session.read(mint(), "ann")) end -- more than are kept at hand
        assert.is_table(session.read(id, "ann"))
    end)

    it("keeps the level of messages", function()
        assert.is_nil(session.log_level("n"))
        session.set_log_level("n", "error")
        assert.equal("error", session.log_level("n"))
    end)

    it("is on the list of a resource, once, until it leaves; a full list loses who came first", function()
        session.subscribe("a", "x:y", true)
        session.subscribe("b", "x:y", true)
        session.subscribe("a", "x:y", true)
        assert.same({ "b", "a" }, session.subscribers("x:y"))
        session.subscribe("b", "x:y", false)
        session.subscribe("nobody", "x:y", false)
        assert.same({ "a" }, session.subscribers("x:y"))
        session.subscribe("a", "x:y", false)
        assert.same({}, session.subscribers("x:y"))
        for number = 1, 1000 do session.subscribe("s" .. number, "x:y", true) end
        session.subscribe("s5", "x:y", true)
        assert.equal("s1", session.subscribers("x:y")[1])
        session.subscribe("one more", "x:y", true)
        local list = session.subscribers("x:y")
        assert.same({ 1000, "s2", "s5", "one more" }, { #list, list[1], list[999], list[1000] })
    end)

    it("is kept ended in an area of its own, which no other session can crowd by what it sets", function()
        session.finish({ nonce = "n" })
        session.set_log_level("n", "error")
        session.subscribe("n", "x:y", true)
        local areas = {}
        for key in pairs(host.memory) do areas[#areas + 1] = key:match("^[^ /]+") end
        table.sort(areas)
        assert.same({ "ended", "level", "subscribers" }, areas)
    end)

    it("keeps what it set as long as it lives", function()
        session.set_log_level("n", "error")
        session.subscribe("n", "x:y", true)
        host.now = 30 * DAY_MS - 1
        assert.same({ "error", { "n" } }, { session.log_level("n"), session.subscribers("x:y") })
    end)
end)
