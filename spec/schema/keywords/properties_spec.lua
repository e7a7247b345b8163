local schema = require("schema")

local function check(source, value)
    local ok, errors = schema.compile(source)(value)
    return ok or schema.explain(errors)
end

local NUMBER = { type = "number" }

describe("schema.keywords.properties", function()
    it("applies a schema by name and by pattern, both where both fit", function()
        local source = { properties = { ab = NUMBER }, patternProperties = { ["^a"] = { minimum = 5 }, b = { maximum = 9 } } }
        assert.is_true(check(source, { ab = 7, c = "x" }))
        assert.matches("^ab: expected a number, got string", check(source, { ab = "x" }))
        assert.matches("^ab: ", check(source, { ab = 3 }))
        assert.matches("^ab: ", check(source, { ab = 10 }))
    end)

    it("names errors in the order of the alphabet", function()
        assert.equal('a: expected a number, got string "x"; b: expected a number, got string "x"',
            check({ properties = { b = NUMBER, a = NUMBER } }, { b = "x", a = "x" }))
    end)

    it("lets additionalProperties judge what neither names, with the nearest name", function()
        local source = { properties = { path = true }, patternProperties = { ["^x-"] = true }, additionalProperties = false }
        assert.is_true(check(source, { path = 1, ["x-y"] = 1 }))
        assert.equal('unknown argument "pth"; did you mean "path"?', check(source, { pth = 1 }))
        assert.equal('a: unknown property "z"; known: "b"',
            check({ properties = { a = { properties = { b = true }, additionalProperties = false } } }, { a = { z = 1 } }))
        assert.matches("^z: expected a number", check({ additionalProperties = NUMBER }, { z = "x" }))
    end)

    it("lets unevaluatedProperties judge what nothing beside it has looked at", function()
        local source = {
            allOf = { { properties = { a = true } } }, unevaluatedProperties = false,
            anyOf = { { properties = { b = NUMBER }, required = { "b" } }, true },
        }
        assert.is_true(check(source, { a = 1, b = 1 }))
        assert.matches('unknown argument "b"', check(source, { a = 1, b = "x" }))
        assert.matches('unknown argument "c"', check(source, { c = 1 }))
    end)

    it("lets unevaluatedProperties say nothing more about an object that is wrong already", function()
        local needs = { required = { "b" } }
        for _, source in ipairs({ { allOf = { needs } }, { dependentSchemas = { a = needs } } }) do
            source.unevaluatedProperties = false
            assert.equal("b: required, expected a value, got nothing", check(source, { a = 1 }))
        end
    end)

    it("judges names themselves", function()
        assert.is_true(check({ propertyNames = { maxLength = 2 } }, { ab = 1 }))
        local short = { type = "string", maxLength = 2 }
        assert.matches("^property name: expected a string of at most 2", check({ propertyNames = short }, { abc = 1 }))
        assert.equal('the property name "a" is not allowed', check({ propertyNames = false }, { a = 1 }))
    end)

    it("applies a schema to the whole where a property is there", function()
        local source = { dependentSchemas = { a = { required = { "b" } } } }
        assert.is_true(check(source, { c = 1 }))
        assert.is_true(check(source, { a = 1, b = 1 }))
        assert.matches("^b: required", check(source, { a = 1 }))
    end)

    it("refuses what is no schema by its place", function()
        for at, source in pairs({
            ["/properties/a: expected a schema"] = { properties = { a = 5 } },
            ["/patternProperties/%(: expected a regular expression"] = { patternProperties = { ["("] = true } },
            ["/additionalProperties: expected a schema"] = { additionalProperties = "no" },
        }) do
            assert.error_matches(function() schema.compile(source) end, "^schema: " .. at)
        end
    end)
end)
