local fake_host = require("spec.support.fake_host")

describe("new scripts", function()
    local changes, host

    before_each(function()
        host = fake_host.install()
        changes = require("mcp.changes")
    end)

    local function registry_of(description, prompts)
        local registry = require("mcp.registry").new()
        registry:add({ name = "t", description = description, input = { type = "object" }, handler = print })
        for _, name in ipairs(prompts or {}) do registry:add_prompt({ name = name, description = "d", handler = print }) end
        registry:seal()
        return registry
    end

    local function topics()
        local list = {}
        for _, sent in ipairs(host.sent) do list[#list + 1] = sent[1] end
        table.sort(list)
        return list
    end

    it("are no news when they are the first, or offer the same", function()
        changes.tell(registry_of("a"))
        changes.tell(registry_of("a"))
        assert.same({}, topics())
    end)

    it("are told of to both eras, list by list", function()
        changes.tell(registry_of("a", { "p" }))
        changes.tell(registry_of("b", { "p" }))
        assert.same({ "legacy list tools", "modern list tools" }, topics())
        changes.tell(registry_of("b", { "q" }))
        assert.same({ "legacy list prompts", "legacy list tools", "modern list prompts", "modern list tools" }, topics())
    end)
end)
