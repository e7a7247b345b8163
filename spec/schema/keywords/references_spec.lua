local schema = require("schema")

local function fits(source, value, documents) return (schema.compile(source, { documents = documents })(value)) end

describe("schema.keywords.references", function()
    it("applies what a reference names beside what stands with it", function()
        local source = { ["$ref"] = "#/$defs/a", maximum = 5, ["$defs"] = { a = { type = "number" } } }
        assert.is_true(fits(source, 5))
        assert.is_false(fits(source, 6))
        assert.is_false(fits(source, "x"))
    end)

    it("takes a dynamic reference without a dynamic anchor for a plain one", function()
        local source = { ["$dynamicRef"] = "#a", ["$defs"] = { a = { ["$anchor"] = "a", type = "number" } } }
        assert.is_true(fits(source, 5))
        assert.is_false(fits(source, "x"))
    end)

    it("lets the outermost schema that was entered decide a dynamic reference", function()
        local documents = { ["https://x/list"] = {
            ["$dynamicAnchor"] = "item", items = { ["$dynamicRef"] = "#item" },
        } }
        local numbers = { ["$id"] = "https://x/numbers", ["$dynamicAnchor"] = "item", anyOf = {
            { type = "number" }, { type = "array", ["$ref"] = "list" },
        } }
        assert.is_true(fits(numbers, { 1, { 2, { 3 } } }, documents))
        assert.is_false(fits(numbers, { 1, { 2, { "x" } } }, documents))
        assert.is_true(fits({ ["$ref"] = "https://x/list" }, { { "x" } }, documents))
    end)

    it("forgets who was entered when it was left", function()
        local documents = {
            ["https://x/text"] = { ["$dynamicAnchor"] = "t", type = "string" },
            ["https://x/any"] = { ["$dynamicRef"] = "#t", ["$defs"] = { t = { ["$dynamicAnchor"] = "t" } } },
        }
        local source = { ["$id"] = "https://x/root", properties = { a = { ["$ref"] = "text" }, b = { ["$ref"] = "any" } } }
        assert.is_true(fits(source, { a = "x", b = 5 }, documents))
    end)

    it("refuses what is no reference", function()
        for _, keyword in ipairs({ "$ref", "$dynamicRef" }) do
            assert.has_error(function() schema.compile({ [keyword] = 5 }) end,
                ("schema: /%s: expected a string, got number 5"):format(keyword))
        end
    end)
end)
