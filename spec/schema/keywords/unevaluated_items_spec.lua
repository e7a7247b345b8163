local schema = require("schema")

local function check(source, value)
    local ok, errors = schema.compile(source)(value)
    return ok or schema.explain(errors)
end

describe("schema.keywords.unevaluated_items", function()
    it("judges the items that nothing beside it has looked at", function()
        local source = { prefixItems = { true }, contains = { type = "number" }, unevaluatedItems = false }
        assert.is_true(check(source, { "x", 1, 2 }))
        assert.equal('[2]: expected no further item, got string "y"', check(source, { "x", 1, "y" }))
        assert.is_true(check({ items = true, unevaluatedItems = false }, { 1, 2 }))
    end)

    it("sees what held in place, and nothing of what failed", function()
        local function source(branch)
            return { anyOf = { { prefixItems = { { type = "number" } } }, true }, unevaluatedItems = branch }
        end
        assert.is_true(check(source(false), { 1 }))
        assert.is_not_true(check(source(false), { "x" }))
        assert.is_true(check(source({ type = "string" }), { 1, "x" }))
        assert.equal("[1]: expected a string, got number 2", check(source({ type = "string" }), { 1, 2 }))
    end)

    it("says nothing more about a list that is wrong already", function()
        assert.equal('[0]: expected a number, got string "x"',
            check({ prefixItems = { { type = "number" } }, unevaluatedItems = false }, { "x", 1 }))
    end)

    it("counts as looked at for who asks further out", function()
        assert.is_true(check({ allOf = { { unevaluatedItems = true } }, unevaluatedItems = false }, { 1, 2 }))
    end)
end)
