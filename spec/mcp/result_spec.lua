local fake_host = require("spec.support.fake_host")
local json = require("json")

local PLAIN = { name = "t" }
local WITH_RESULT = { name = "t", output = { type = "object", properties = { result = { type = "string" } } } }

local function item(text) return { type = "text", text = text } end

describe("result.from", function()
    local result

    setup(function()
        fake_host.install()
        result = require("mcp.result")
    end)

    it("makes a text of a string", function()
        local made = result.from(PLAIN, "hello")
        assert.same({ item("hello") }, made.content)
        assert.is_false(made.isError)
        assert.is_nil(made.structuredContent)
    end)

    it("takes a content list, with strings as texts", function()
        local image = { type = "image", data = "AA==", mimeType = "image/png" }
        assert.same({ item("a"), image }, result.from(PLAIN, { "a", image }).content)
        assert.same({ image }, result.from(PLAIN, image).content)
    end)

    it("J02 keeps an empty content list a list", function()
        assert.equal("[]", json.encode(result.from(PLAIN, {}).content))
    end)

    it("takes content and structured content side by side", function()
        local made = result.from(PLAIN, { content = "t", structured = { a = 1 } })
        assert.same({ item("t") }, made.content)
        assert.same({ a = 1 }, made.structuredContent)
    end)

    it("writes structured content as text where the handler gave none", function()
        assert.same({ item('{"a":1,"b":2}') }, result.from(PLAIN, { structured = { b = 2, a = 1 } }).content)
        assert.same({ item("false") }, result.from(PLAIN, { structured = false }).content)
    end)

    it("puts the text into the structured content where the output schema has a place for it", function()
        assert.same({ result = "t" }, result.from(WITH_RESULT, "t").structuredContent)
        local function structured(value) return result.from(WITH_RESULT, value).structuredContent end
        assert.same({ result = "t", a = 1 }, structured({ content = "t", structured = { a = 1 } }))
        assert.same({ result = "own" }, structured({ content = "t", structured = { result = "own" } }))
        assert.same({ result = "first" }, structured({ "first", "second" }))
    end)

    it("makes an error of nil and a message, and of isError", function()
        assert.same({ content = { item("why") }, isError = true }, result.from(WITH_RESULT, nil, "why"))
        local made = result.from(WITH_RESULT, { content = "t", isError = true })
        assert.is_true(made.isError)
        assert.is_nil(made.structuredContent)
    end)

    it("passes _meta on", function()
        assert.same({ ["x/y"] = 1 }, result.from(PLAIN, { content = "t", _meta = { ["x/y"] = 1 } })._meta)
    end)

    it("says what is wrong with anything else", function()
        for expected, value in pairs({
            ["content is a number"] = 5,
            ["content is a boolean"] = true,
            ["content item 1: type nil is none of audio, image, resource, resource_link and text"] = { { text = "a" } },
            ["content item 2: expected a table with a type, got number"] = { "a", 5 },
            ["content item 1: field text is missing; it is a string"] = { type = "text" },
            ["content item 1: field text must be a string, got number"] = { { type = "text", text = 5 } },
            ["isError must be true or false, got a string"] = { content = "a", isError = "yes" },
            ["_meta is a string"] = { content = "a", _meta = "x" },
            ["unknown field strctured"] = { content = "a", strctured = {} },
        }) do
            local made, complaint = result.from(PLAIN, value)
            assert.is_nil(made)
            assert.is_truthy(complaint:find(expected, 1, true), complaint)
        end
        local made, complaint = result.from(PLAIN, nil)
        assert.is_nil(made)
        assert.matches("returned nothing", complaint)
    end)
end)
