local schema = require("schema")

local function explained(source, value)
    local ok, errors = schema.compile(source)(value)
    assert.is_false(ok)
    return schema.explain(errors)
end

local TAGGED = { anyOf = {
    { type = "object", properties = { kind = { const = "a" }, x = { type = "number" } }, required = { "x" } },
    { type = "object", properties = { kind = { const = "b" }, y = { type = "string" }, z = { type = "string" } },
        required = { "y", "z" } },
} }

describe("schema.choice", function()
    it("tells what is wrong with the form whose tag fits, even where another has fewer errors", function()
        assert.equal("y: required, expected a string, got nothing; z: required, expected a string, got nothing",
            explained(TAGGED, { kind = "b", x = 1 }))
    end)

    it("names the kinds that would do where none fits the kind", function()
        assert.equal("expected a string or a number, got boolean true",
            explained({ anyOf = { { type = "string" }, { type = "number" } } }, true))
    end)

    it("takes the first of forms that are equally near", function()
        assert.equal("a: required, expected a value, got nothing",
            explained({ oneOf = { { required = { "a" } }, { required = { "b" } } } }, {}))
    end)

    it("says something where no form says anything", function()
        assert.is_true(#explained({ anyOf = { false, false } }, 1) > 0)
    end)
end)
