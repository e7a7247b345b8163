local json = require("json")
local schema = require("schema")

local function check(source, value)
    local ok, errors = schema.compile(source)(value)
    return ok or schema.explain(errors)
end

local NUMBER, SMALL, EVEN = { type = "number" }, { maximum = 9 }, { multipleOf = 2 }

describe("schema.keywords.logic", function()
    it("wants all, any, exactly one or none", function()
        assert.is_true(check({ allOf = { SMALL, EVEN } }, 4))
        assert.matches("multiple", check({ allOf = { SMALL, EVEN } }, 5))
        assert.is_true(check({ anyOf = { SMALL, EVEN } }, 5))
        assert.is_not_true(check({ anyOf = { SMALL, EVEN } }, 11))
        assert.is_true(check({ oneOf = { SMALL, EVEN } }, 5))
        assert.equal("expected exactly one of the allowed forms, got a value that fits 1 and 2 of them",
            check({ oneOf = { SMALL, EVEN } }, 4))
        assert.is_true(check({ ["not"] = NUMBER }, "x"))
        assert.equal("expected anything but a number, got number 5", check({ ["not"] = NUMBER }, 5))
        assert.equal("expected anything but this form, got number 5", check({ ["not"] = true }, 5))
    end)

    it("tells every error of allOf", function()
        assert.matches("; ", check({ allOf = { { maximum = 1 }, { multipleOf = 2 } } }, 3))
    end)

    it("goes one way or the other, and nowhere where that way is missing", function()
        local source = { ["if"] = NUMBER, ["then"] = SMALL, ["else"] = { maxLength = 1 } }
        assert.is_true(check(source, 5))
        assert.is_not_true(check(source, 10))
        assert.is_true(check(source, "a"))
        assert.is_not_true(check(source, "ab"))
        assert.is_true(check({ ["if"] = NUMBER, ["else"] = false }, 5))
        assert.is_true(check({ ["if"] = NUMBER, ["then"] = false }, "x"))
        assert.is_true(check({ ["then"] = false, ["else"] = false }, "x"))
    end)

    it("counts as looked at what held, and nothing of what did not", function()
        local function closed(more)
            more.unevaluatedProperties = false
            return more
        end
        local a, b = { properties = { a = NUMBER }, required = { "a" } }, { properties = { b = NUMBER }, required = { "b" } }
        assert.is_true(check(closed({ anyOf = { a, b } }), { a = 1, b = 2 }))
        assert.is_not_true(check(closed({ anyOf = { a, b } }), { a = 1, b = "x" }))
        assert.is_not_true(check(closed({ ["not"] = { ["not"] = a } }), { a = 1 }))
        assert.is_true(check(closed({ ["if"] = a, ["then"] = b }), { a = 1, b = 2 }))
        assert.is_not_true(check(closed({ ["if"] = a, ["else"] = b }), { a = "x", b = 2 }))
    end)

    it("refuses a choice of nothing", function()
        for _, keyword in ipairs({ "allOf", "anyOf", "oneOf" }) do
            assert.has_error(function() schema.compile({ [keyword] = json.array({}) }) end,
                ("schema: /%s: expected at least one schema"):format(keyword))
        end
    end)
end)
