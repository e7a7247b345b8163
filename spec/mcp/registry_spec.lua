local fake_host = require("spec.support.fake_host")
fake_host.install()
local json = require("json")
local registry = require("mcp.registry")
local revisions = require("mcp.revisions")

local function definition(name, input)
    return {
        name = name, description = name, title = "T", input = input or { type = "object" }, handler = function() return "" end,
    }
end

describe("registry", function()
    it("keeps tools in the order of their definitions", function()
        local tools = registry.new()
        for _, name in ipairs({ "b", "c", "a" }) do assert(tools:add(definition(name))) end
        assert.same({ "b", "c", "a" }, tools:names())
        assert.equal("c", tools:find("c").name)
        assert.is_nil(tools:find("d"))
        assert.equal("a", tools:all()[3].name)
    end)

    it("refuses a second tool of a name and a wrong definition, and stays as it was", function()
        local tools = registry.new()
        assert(tools:add(definition("a")))
        local added, complaint = tools:add(definition("a"))
        assert.is_nil(added)
        assert.equal('tool "a": a tool of this name is defined already', complaint)
        assert.is_nil((tools:add({})))
        assert.same({ "a" }, tools:names())
    end)

    it("has the list of every revision as text", function()
        local tools = registry.new()
        tools:add(definition("a"))
        tools:seal()
        for _, revision in ipairs(revisions.supported) do
            local list = json.decode(tools.tools:page(revision).items)
            assert.equal("a", list[1].name)
            assert.equal(revision >= "2025-06-18" and "T" or nil, list[1].title)
        end
    end)

    it("J02 lists no tools as [] and empty schemas as they are meant", function()
        local none = registry.new()
        none:seal()
        assert.equal("[]", none.tools:page("2025-11-25").items)
        local tools = registry.new()
        tools:add(definition("a", { type = "object", properties = {}, required = {} }))
        tools:seal()
        assert.matches('"inputSchema":{"properties":{},"required":%[%],"type":"object"}', tools.tools:page("2025-11-25").items)
    end)
end)
