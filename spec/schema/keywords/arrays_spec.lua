local json = require("json")
local schema = require("schema")

local function check(source, value)
    local ok, errors = schema.compile(source)(json.array(value))
    return ok or schema.explain(errors)
end

local NUMBER = { type = "number" }

describe("schema.keywords.arrays", function()
    it("counts items", function()
        assert.is_true(check({ minItems = 1, maxItems = 2 }, { 1 }))
        assert.equal("expected an array of 1 to 2 items, got an empty array",
            check({ type = "array", minItems = 1, maxItems = 2 }, {}))
        assert.matches("got an array of 3 items", check({ type = "array", minItems = 1, maxItems = 2 }, { 1, 2, 3 }))
    end)

    it("applies the first schemas one by one and the last to the rest, with the place in errors", function()
        local source = { prefixItems = { NUMBER, { type = "string" } }, items = NUMBER }
        assert.is_true(check(source, { 1, "a", 3 }))
        assert.is_true(check(source, { 1 }))
        assert.equal("[0]: expected a number, got string \"x\"; [1]: expected a string, got number 5; "
            .. '[2]: expected a number, got string "y"', check(source, { "x", 5, "y" }))
    end)

    it("counts what is contained", function()
        assert.is_true(check({ contains = NUMBER }, { "a", 1 }))
        assert.equal("expected an item of the wanted kind at least 1 times, got 0", check({ contains = NUMBER }, { "a" }))
        assert.equal("expected an item of the wanted kind at least 3 times, got 2",
            check({ contains = NUMBER, minContains = 3 }, { 1, 2, "a" }))
        assert.equal("expected an item of the wanted kind at most 1 times, got more",
            check({ contains = NUMBER, maxContains = 1 }, { 1, 2 }))
        assert.is_true(check({ contains = NUMBER, minContains = 0 }, {}))
    end)

    it("does not count what is contained where the dialect has no limits", function()
        local vocabulary = "https://json-schema.org/draft/2020-12/vocab/"
        local dialect = { ["$vocabulary"] = { [vocabulary .. "applicator"] = true } }
        local source = { ["$schema"] = "https://x/dialect", contains = { const = 1 }, minContains = 2, maxContains = 2 }
        local fits = schema.compile(source, { documents = { ["https://x/dialect"] = dialect } })
        assert.is_true(fits(json.array({ 0 })))
        assert.is_true(fits(json.array({ 0, 0, 0 })))
        assert.is_false(fits(json.array({})))
    end)

    it("finds the same twice, by value", function()
        assert.is_true(check({ uniqueItems = true }, { 1, "1", true, { 1 }, { a = 1 } }))
        assert.is_true(check({ uniqueItems = false }, { 1, 1 }))
        assert.equal("expected different items, got the same at 0 and 2", check({ uniqueItems = true }, { 1, 2, 1.0 }))
        assert.equal("expected different items, got the same at 0 and 1",
            check({ uniqueItems = true }, { { a = 1, b = 2 }, { b = 2, a = 1 } }))
    end)

    for at, source in pairs({
        ["/minItems: expected a whole number"] = { minItems = "1" },
        ["/uniqueItems: expected true or false"] = { uniqueItems = 1 },
        ["/minContains: expected a whole number"] = { contains = true, minContains = -1 },
        ["/prefixItems: expected a list of schemas"] = { prefixItems = { a = {} } },
    }) do
        it("refuses: " .. at, function()
            assert.error_matches(function() schema.compile(source) end, "^schema: " .. at)
        end)
    end
end)
