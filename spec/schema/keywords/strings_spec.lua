local schema = require("schema")

local function fits(source, value, options) return (schema.compile(source, options)(value)) end

describe("schema.keywords.strings", function()
    it("counts characters, not bytes", function()
        assert.is_true(fits({ maxLength = 2 }, "üß"))
        assert.is_false(fits({ maxLength = 2 }, "üßx"))
        assert.is_true(fits({ minLength = 2.0 }, "üß"))
        assert.is_false(fits({ minLength = 3 }, "üß"))
        assert.is_true(fits({ minLength = 3 }, 5))
    end)

    it("looks for a pattern anywhere", function()
        assert.is_true(fits({ pattern = "b+" }, "abbc"))
        assert.is_false(fits({ pattern = "^b" }, "ab"))
    end)

    it("takes a format for a note where the dialect knows of none", function()
        local dialect = { ["$vocabulary"] = { ["https://json-schema.org/draft/2020-12/vocab/validation"] = true } }
        assert.is_true(fits({ ["$schema"] = "https://x/dialect", format = "date" }, "no date",
            { documents = { ["https://x/dialect"] = dialect }, assert_format = true }))
    end)

    it("takes a format for a note unless it is to be asserted", function()
        assert.is_true(fits({ format = "date" }, "no date"))
        assert.is_false(fits({ format = "date" }, "no date", { assert_format = true }))
        assert.is_true(fits({ format = "date" }, "2026-11-30", { assert_format = true }))
        assert.is_true(fits({ format = "of-my-own" }, "x", { assert_format = true }))
    end)

    it("charges for long texts", function()
        local long = ("x"):rep(2000000)
        for keyword, argument in pairs({ minLength = 1, maxLength = 5000000 }) do
            local ok, errors = schema.compile({ [keyword] = argument }, { max_steps = 1000 })(long)
            assert.is_false(ok)
            assert.matches("too costly", errors[1].message)
        end
    end)

    for at, source in pairs({
        ["/minLength: expected a whole number >= 0"] = { minLength = -1 }, ["/maxLength: expected"] = { maxLength = 1.5 },
        ["/pattern: expected a string"] = { pattern = 5 }, ["/pattern: expected a regular expression"] = { pattern = "[" },
        ["/format: expected a string"] = { format = true },
    }) do
        it("refuses: " .. at, function()
            assert.error_matches(function() schema.compile(source) end, "^schema: " .. at)
        end)
    end
end)
