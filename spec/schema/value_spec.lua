local json = require("json")
local value = require("schema.value")

local function nothing() end

local function same(a, b)
    local scalar_a, text_a = value.identity(a, nothing)
    local scalar_b, text_b = value.identity(b, nothing)
    return scalar_a == scalar_b and text_a == text_b
end

describe("value", function()
    it("kind", function()
        local samples = { null = json.null, boolean = false, number = 1.5, string = "", array = json.array {}, object = {} }
        for kind, v in pairs(samples) do
            assert.equal(kind, value.kind(v))
        end
        assert.equal("null", value.kind(nil))
        assert.equal("array", value.kind { 1 })
    end)

    it("is_integer", function()
        for _, v in ipairs { 1, 1.0, -0.0, 1e300, math.mininteger } do assert.is_true(value.is_integer(v)) end
        for _, v in ipairs { 1.5, math.huge, -math.huge, 0 / 0 } do assert.is_false(value.is_integer(v)) end
    end)

    it("length counts code points", function()
        assert.equal(2, value.length("é🐲"))
        assert.equal(0, value.length(""))
        assert.equal(3, value.length("a\xFFb"))
    end)

    it("sorted_keys puts names in the order of the alphabet, whatever stands among them", function()
        assert.same({ "a", "b", "ba" }, value.sorted_keys({ ba = 1, b = 1, a = 1 }))
        assert.same({ 10, 9, "b" }, value.sorted_keys({ b = 1, [9] = 1, [10] = 1 }))
        local spent = 0
        value.sorted_keys({ a = 1, b = 1 }, function(steps) spent = spent + steps end)
        assert.is_true(spent > 0)
    end)

    it("identity tells equal from unequal values", function()
        assert.is_true(same({ 1, { a = 1.0, b = "x" } }, { 1.0, { b = "x", a = 1 } }))
        assert.is_true(same(1, 1.0))
        assert.is_true(same(json.array {}, json.array {}))
        for _, pair in ipairs {
            { { 1 }, { "1" } }, { { true }, { 1 } }, { { false }, { 0 } }, { {}, json.array {} }, { { "a", "b" }, { "ab", "" } },
            { { json.null }, { false } }, { { a = 1 }, { a = 1, b = 1 } },
            { { a = 1 }, { b = 1 } }, { { a = { b = 1 } }, { b = { a = 1 } } }, { { { 1 }, 2 }, { { 1, 2 } } },
            { { 0.1 }, { 0.1 + 1e-16 } },
            { { 9007199254740993 }, { 9007199254740992.0 } }, { { "1:a" }, { "1", "a" } },
        } do
            assert.is_false(same(pair[1], pair[2]))
        end
    end)
end)
