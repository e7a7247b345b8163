local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("notifications without a request", function()
    local notify, session, host

    before_each(function()
        host = fake_host.install()
        notify, session = require("mcp.notify"), require("mcp.session")
    end)

    it("of a list go to each era in its own form", function()
        notify.list_changed("tools")
        local modern, legacy = host.sent[1], host.sent[2]
        assert.equal("modern list tools", modern[1])
        assert.matches('"io.modelcontextprotocol/subscriptionId":\1', modern[2], 1, true)
        local filled = json.decode((modern[2]:gsub("\1", "7")))
        assert.same({ _meta = { ["io.modelcontextprotocol/subscriptionId"] = 7 } }, filled.params)
        assert.same({ "legacy list tools", '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}' },
            { legacy[1], json.encode(json.decode(legacy[2]), { sort = true }) })
        assert.has_error(function() notify.list_changed("tasks") end, "changed: expected tools, prompts or resources, got tasks")
    end)

    it("of a resource go to who subscribed to it, each session once", function()
        session.subscribe("one", "a:b", true)
        session.subscribe("two", "a:b", true)
        session.subscribe("two", "a:b", true)
        session.subscribe("three", "a:c", true)
        notify.resource_updated("a:b")
        local topics = {}
        for _, sent in ipairs(host.sent) do topics[#topics + 1] = sent[1] end
        assert.same({ "modern resource a:b", "session one", "session two" }, topics)
        assert.has_error(function() notify.resource_updated(5) end)
    end)

    it("put the tag where the id goes, though a text in the message looks like it", function()
        local key = "io.modelcontextprotocol/subscriptionId"
        local text = notify.tagged({ jsonrpc = "2.0", method = "m", params = { uri = ('"%s":"%s"'):format(key, key) } })
        assert.equal(1, select(2, text:gsub("\1", "")))
        local message = json.decode((text:gsub("\1", '"x"')))
        assert.equal("x", message.params._meta[key])
        assert.equal(('"%s":"%s"'):format(key, key), message.params.uri)
    end)
end)
