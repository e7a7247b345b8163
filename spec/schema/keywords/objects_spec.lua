local schema = require("schema")

local function check(source, value)
    local ok, errors = schema.compile(source)(value)
    return ok or schema.explain(errors)
end

describe("schema.keywords.objects", function()
    it("counts properties", function()
        assert.is_true(check({ minProperties = 1, maxProperties = 1 }, { a = 1 }))
        assert.equal("expected an object of at least 1 property, got 0", check({ minProperties = 1 }, {}))
        assert.equal("expected an object of at most 1 property, got 2", check({ maxProperties = 1 }, { a = 1, b = 2 }))
    end)

    it("names everything that is missing, and what it should be", function()
        assert.equal("a: required, expected a number, got nothing; b: required, expected a value, got nothing",
            check({ required = { "a", "b" }, properties = { a = { type = "number" } } }, {}))
        assert.is_true(check({ required = { "a" } }, { a = false }))
    end)

    it("wants with one what goes with it", function()
        local source = { dependentRequired = { card = { "name", "date" }, x = {} } }
        assert.is_true(check(source, { x = 1 }))
        assert.is_true(check(source, { card = 1, name = 1, date = 1 }))
        assert.equal('name: required when "card" is given, got nothing; date: required when "card" is given, got nothing',
            check(source, { card = 1 }))
    end)

    for at, source in pairs({
        ["/required: expected a list of strings"] = { required = "a" },
        ["/required: expected different"] = { required = { "a", "a" } },
        ["/dependentRequired/a: expected a list of strings"] = { dependentRequired = { a = 5 } },
        ["/maxProperties: expected a whole number"] = { maxProperties = {} },
    }) do
        it("refuses: " .. at, function()
            assert.error_matches(function() schema.compile(source) end, "^schema: " .. at)
        end)
    end
end)
