local coerce = require("schema.coerce")
local json = require("json")

local function property(part, value) return coerce({ properties = { a = part } }, { a = value }).a end

describe("schema.coerce", function()
    for given, read in pairs({ ["5"] = 5, [" -1.5 "] = -1.5, ["1e3"] = 1000.0, [".5"] = 0.5, ["+7"] = 7 }) do
        it(("reads %q as a number"):format(given), function() assert.equal(read, property({ type = "number" }, given)) end)
    end

    it("leaves texts that are no plain numbers", function()
        for _, text in ipairs({ "", " ", "0x10", "1e999", "nan", "inf", "1 2", "5a", "--1" }) do
            assert.equal(text, property({ type = { "number", "integer" } }, text))
        end
    end)

    it("reads whole numbers as integers only where they are whole", function()
        assert.equal("integer", math.type(property({ type = "integer" }, 5.0)))
        assert.equal("integer", math.type(property({ type = "integer" }, "5.0")))
        assert.equal(1.5, property({ type = "integer" }, 1.5))
        assert.equal("1.5", property({ type = "integer" }, "1.5"))
        assert.equal("float", math.type(property({ type = { "integer", "number" } }, 5.0)))
    end)

    it("reads words and 0 and 1 as true and false, where nothing else fits them", function()
        for word, read in pairs({ ["true"] = true, ["1"] = true, yes = true, Y = true, on = true, t = true, ["false"] = false,
            ["0"] = false, no = false, n = false, OFF = false, f = false }) do
            assert.equal(read, property({ type = "boolean" }, word))
        end
        assert.is_true(property({ type = "boolean" }, 1))
        assert.is_false(property({ type = "boolean" }, 0))
        assert.equal(2, property({ type = "boolean" }, 2))
        assert.equal(1, property({ type = { "boolean", "number" } }, "1"))
        assert.equal("perhaps", property({ type = "boolean" }, "perhaps"))
        assert.equal("yes", property({ type = { "boolean", "string" } }, "yes"))
    end)

    it("looks into alternatives, unless the type stands beside them", function()
        assert.equal(5, property({ anyOf = { { type = "integer" }, { type = "null" } } }, "5"))
        assert.equal(5, property({ oneOf = { { anyOf = { { type = "number" } } } } }, "5"))
        assert.is_true(property({ type = "boolean", anyOf = { { type = "integer" } } }, "1"))
        assert.equal("5", property(true, "5"))
    end)

    it("takes null for not given, where null says nothing of its own and the property may be absent", function()
        assert.is_nil(property({ type = "string" }, json.null))
        assert.is_nil(property({ type = { "string", "null" }, default = json.null }, json.null))
        assert.equal(json.null, property({ type = { "string", "null" } }, json.null))
        local needed = coerce({ properties = { a = { type = "string" } }, required = { "a" } }, { a = json.null })
        assert.equal(json.null, needed.a)
    end)

    it("makes {} of no arguments, and leaves the rest and the caller's table alone", function()
        local source = { properties = { a = { type = "number" } } }
        assert.same({ {}, {} }, { coerce(source, nil), coerce(source, json.null) })
        local list, given = json.array({ 1 }), { a = "5", b = "6" }
        assert.equal(list, coerce(source, list))
        assert.same({ a = 5, b = "6" }, coerce(source, given))
        assert.equal("5", given.a)
        assert.equal("5", coerce(true, "5"))
    end)
end)
