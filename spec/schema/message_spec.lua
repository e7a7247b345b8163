local json = require("json")
local message = require("schema.message")

describe("message.describe", function()
    for words, schema in pairs {
        ["a number >= 0 (seconds)"] = { type = "number", minimum = 0, description = "Time to wait, in seconds." },
        ["an integer from 1 to 300"] = { type = "integer", minimum = 1, maximum = 300 },
        ["a number > 0 and < 1"] = { type = "number", exclusiveMinimum = 0, exclusiveMaximum = 1 },
        ["an integer that is a multiple of 5"] = { type = "integer", multipleOf = 5 },
        ["a string"] = { type = "string" },
        ["a string of at least 1 character"] = { type = "string", minLength = 1 },
        ["a string of 2 to 5 characters"] = { type = "string", minLength = 2, maxLength = 5 },
        ["a string of 3 characters matching ^[a-z]+$"] = { type = "string", minLength = 3, maxLength = 3, pattern = "^[a-z]+$" },
        ["a string in the format date"] = { type = "string", format = "date" },
        ["an array of at most 2 items"] = { type = "array", maxItems = 2 },
        ["an object of at least 1 property"] = { type = "object", minProperties = 1 },
        ["an object of 2 to 3 properties"] = { type = "object", minProperties = 2, maxProperties = 3 },
        ["true or false"] = { type = "boolean" },
        ["a string or null"] = { type = { "string", "null" } },
        ["a string, a number or true or false"] = { type = { "string", "number", "boolean" } },
        ['one of "a", 1 or null'] = { enum = { "a", 1, json.null } },
        ['"a"'] = { const = "a" },
        ['"b"'] = { enum = { "b" } },
        ["a number <= 5"] = { type = "number", maximum = 5 },
        ["a number >= 1 and < 5"] = { type = "number", minimum = 1, exclusiveMaximum = 5 },
        ["a number > 1 and <= 5"] = { type = "number", exclusiveMinimum = 1, maximum = 5 },
        ["null"] = { type = "null", default = json.null },
        ["a number"] = { type = { "null", "number" }, default = json.null },
        ["a number or a string"] = { type = { "number", "null", "string" }, default = json.null },
        ["a string or an object"] = { oneOf = { { type = "string" }, { type = "object" } } },
        ["a number (bytes)"] = {
            anyOf = { { type = "number" }, { type = "null" } }, default = json.null, description = "Size in bytes",
        },
    } do
        it(words, function() assert.equal(words, message.describe(schema)) end)
    end

    it("cuts long lists of choices", function()
        local choices = {}
        for i = 1, 100 do choices[i] = i end
        assert.equal("one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …", message.describe { enum = choices })
        for i = 1, 100 do choices[i] = { const = i } end
        assert.equal("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 or 12", message.describe { anyOf = choices })
    end)

    it("has no words for a schema that says nothing", function()
        assert.is_nil(message.describe {})
    end)
end)

describe("message.mismatch", function()
    for words, case in pairs {
        ["expected a number, got string \"5\""] = { { type = "number" }, "5" },
        ["expected a number >= 1, got 0"] = { { minimum = 1 }, 0 },
        ["expected a string, got number 42"] = { { type = "string" }, 42.0 },
        ["expected a string, got boolean true"] = { { type = "string" }, true },
        ["expected a string, got null"] = { { type = "string" }, json.null },
        ["expected a string, got an array of 1 item"] = { { type = "string" }, { 1 } },
        ["expected a string, got an empty object"] = { { type = "string" }, {} },
        ["expected an array, got an object"] = { { type = "array" }, { a = 1 } },
        ["expected an integer, got 1.5"] = { { type = "integer" }, 1.5 },
    } do
        it(words, function() assert.equal(words, message.mismatch(case[1], case[2])) end)
    end
end)

describe("message.quote", function()
    it("keeps to one line and to whole characters", function()
        assert.equal('"a\\n\\"\\\\\\u0000"', message.quote('a\n"\\\0'))
        assert.equal('"' .. ("é"):rep(30) .. '…"', message.quote(("é"):rep(100)))
        assert.equal('"x' .. ("é"):rep(29) .. '…"', message.quote("x" .. ("é"):rep(100)))
        assert.equal('"xy' .. ("€"):rep(19) .. '…"', message.quote("xy" .. ("€"):rep(100)))
        assert.equal('"…"', message.quote(("\x80"):rep(100)))
    end)

    it("leaves what is 60 bytes long, and counts the characters of what is longer", function()
        local text = ("é"):rep(30)
        assert.equal(('string "%s"'):format(text), message.got(text, false))
        assert.equal(('string "%s…" (31 characters)'):format(text), message.got(text .. "x", false))
    end)
end)
