local json = require("json")
local resource_definition = require("mcp.resource_definition")

local function nothing() end

local function resource(more)
    local given = { uri = "a://b", name = "n", handler = nothing }
    for name, value in pairs(more) do given[name] = value ~= "none" and value or nil end
    return resource_definition.compile(given)
end

describe("a resource's definition", function()
    it("becomes its entry of the list", function()
        local one = resource({ mime_type = "a/b", size = 5, ttl_ms = 7, icons = {}, annotations = { audience = {} } })
        assert.equal("a://b", one.key)
        assert.equal(7, one.ttl_ms)
        assert.same({ "a://b", "a/b", 5 }, { one.public.uri, one.public.mimeType, one.public.size })
        assert.equal("[] []", json.encode(one.public.icons) .. " " .. json.encode(one.public.annotations.audience))
        assert.equal(0, resource({}).ttl_ms)
    end)

    it("is refused with what would be right", function()
        for complaint, more in pairs({
            ['resource "a://b": field name is missing; it is a string'] = { name = "none" },
            ['resource "b": field uri must be an address with a scheme, such as docs://readme'] = { uri = "b" },
            ['resource "a://b": field "mimeType" is unknown'] = { mimeType = "a/b" },
            ['resource "a://b": annotation priority must be a number, got string'] = { annotations = { priority = "1" } },
        }) do
            assert.matches(complaint, select(2, resource(more)), 1, true)
        end
        assert.equal("resource: expected a table, got nil", select(2, resource_definition.compile(nil)))
    end)
end)

describe("a template's definition", function()
    it("becomes its entry of the list, and matches addresses", function()
        local one = resource_definition.compile_template({ uri_template = "a://{id}", name = "n", handler = nothing })
        assert.equal("a://{id}", one.public.uriTemplate)
        assert.same({ id = "7" }, one.match("a://7"))
        assert.same({ "id" }, one.variables)
    end)

    it("is refused with what would be right", function()
        local given = { uri_template = "a://b", name = "n", handler = nothing }
        assert.matches('resource_template "a://b": field uri_template: it has no place such as {id}',
            select(2, resource_definition.compile_template(given)), 1, true)
    end)
end)
