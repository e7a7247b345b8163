local fields = require("mcp.fields")

describe("fields", function()
    local KNOWN = { name = "string", size = "number", task = "string|table" }

    it("lets pass what is known and of its type, and nothing at all", function()
        assert.is_nil(fields.check({ name = "x", size = 1, task = {} }, KNOWN, "field"))
        assert.is_nil(fields.check({}, KNOWN, "field"))
    end)

    it("names what is unknown, with the nearest name, and what has another type", function()
        assert.equal('field "nmae" is unknown; did you mean "name"?', fields.check({ nmae = "x" }, KNOWN, "field"))
        assert.matches('field "1" is unknown', fields.check({ "x" }, KNOWN, "field"), 1, true)
        assert.equal("field size must be a number, got string", fields.check({ size = "1" }, KNOWN, "field"))
        assert.equal("field task must be a string or a table, got number", fields.check({ task = 1 }, KNOWN, "field"))
    end)

    it("names what is missing, and its type", function()
        assert.equal("field size is missing; it is a number", fields.required({ name = "x" }, { "name", "size" }, KNOWN))
        assert.is_nil(fields.required({ name = "x" }, { "name" }, KNOWN))
    end)

    it("puts kind and name in front, where there is a name", function()
        assert.equal('tool "x": why', fields.label("tool", { name = "x" }, "name", "why"))
        assert.equal("tool: why", fields.label("tool", {}, "name", "why"))
        assert.equal("tool: why", fields.label("tool", 5, "name", "why"))
    end)
end)
