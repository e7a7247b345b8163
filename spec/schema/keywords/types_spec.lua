local json = require("json")
local schema = require("schema")

local function fits(source, value) return (schema.compile(source)(value)) end

describe("schema.keywords.types", function()
    it("takes whole floats for integers, and integers for numbers", function()
        for _, source in ipairs({ { type = "integer" }, { type = "integer", pattern = "x" } }) do
            assert.is_true(fits(source, 1.0))
            assert.is_false(fits(source, 1.5))
        end
        assert.is_true(fits({ type = { "integer", "number" } }, 1.5))
        assert.is_false(fits({ type = "integer" }, math.huge))
    end)

    it("compares choices as JSON does: by value, whatever the order of names", function()
        local source = { enum = { 1, "1", json.null, json.array({}), { a = { 1 }, b = 2 } } }
        for _, value in ipairs({ 1, 1.0, "1", json.null, json.array({}), { b = 2.0, a = { 1 } } }) do
            assert.is_true(fits(source, value))
        end
        for _, value in ipairs({ 2, true, false, {}, json.array({ json.null }), { a = { 1 } }, "" }) do
            assert.is_false(fits(source, value))
        end
    end)

    it("takes false for a constant like any other", function()
        assert.is_true(fits({ const = false }, false))
        assert.is_false(fits({ const = false }, 0))
    end)

    for at, source in pairs({
        ["/type: expected array, boolean"] = { type = "text" }, ["/type: expected at least one"] = { type = json.array({}) },
        ["/type: expected different names"] = { type = { "string", "string" } },
        ["/type: expected array, boolean, "] = { type = 5 }, ["/enum: expected a list of values"] = { enum = "a" },
    }) do
        it("refuses: " .. at, function()
            assert.error_matches(function() schema.compile(source) end, "^schema: " .. at)
        end)
    end
end)
