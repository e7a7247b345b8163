local schema = require("schema")

local function fits(source, value) return (schema.compile(source)(value)) end

describe("schema.keywords.numbers", function()
    it("keeps limits, with or without themselves", function()
        for keyword, answers in pairs({
            minimum = { false, true, true }, exclusiveMinimum = { false, false, true },
            maximum = { true, true, false }, exclusiveMaximum = { true, false, false },
        }) do
            for position, value in ipairs({ 4.5, 5, 5.5 }) do
                assert.equal(answers[position], fits({ [keyword] = 5 }, value), keyword .. " " .. value)
            end
            assert.is_true(fits({ [keyword] = 5 }, "text"), keyword)
        end
    end)

    it("divides decimal fractions as they are written", function()
        assert.is_true(fits({ multipleOf = 0.1 }, 0.3))
        assert.is_true(fits({ multipleOf = 0.01 }, 4.35))
        assert.is_false(fits({ multipleOf = 0.1 }, 0.35))
        assert.is_false(fits({ multipleOf = 2 }, math.huge))
    end)

    for at, source in pairs({
        ["/minimum: expected a number, got string"] = { minimum = "1" }, ["/maximum: expected a number"] = { maximum = 0 / 0 },
        ["/multipleOf: expected a number > 0, got 0"] = { multipleOf = 0 },
        ["/multipleOf: expected a number > 0, got %-1"] = { multipleOf = -1 },
    }) do
        it("refuses: " .. at, function()
            assert.error_matches(function() schema.compile(source) end, "^schema: " .. at)
        end)
    end
end)
