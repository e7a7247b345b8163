local arguments = require("mcp.arguments")
local json = require("json")

local INPUT = {
    type = "object",
    properties = {
        path = { type = "string" },
        timeout = { type = { "number", "null" }, minimum = 0, description = "In seconds" },
        count = { type = "integer" },
        recursive = { type = "boolean", default = false },
    },
    required = { "path" },
    additionalProperties = false,
}

local accept = assert(arguments.compile(INPUT))

local function complaint(given)
    local read, text = accept(given)
    assert.is_nil(read)
    return text
end

describe("arguments", function()
    it("are read laxly where the meaning is clear", function()
        assert.same({ path = "a", timeout = 5, count = 3, recursive = true },
            accept({ path = "a", timeout = "5", count = "3", recursive = "true" }))
        assert.equal("integer", math.type(accept({ path = "a", count = 3.0 }).count))
    end)

    it("that no integer can hold are refused, not taken for none", function()
        assert.equal("count: expected an integer of 64 bits, got 1e+300", complaint({ path = "a", count = 1e300 }))
        assert.equal("count: expected an integer of 64 bits, got -1e+19", complaint({ path = "a", count = "-1e19" }))
    end)

    it("that are null are not given, where the schema does not say otherwise", function()
        assert.same({ path = "a" }, accept({ path = "a", timeout = json.null, count = json.null }))
    end)

    it("that are null are wrong where they are required or not giving them means something else", function()
        assert.matches("path.*null", complaint({ path = json.null }))
        assert.matches("recursive.*null", complaint({ path = "a", recursive = json.null }))
    end)

    it("M13 that do not fit are told by name, what was expected, what came, in one line", function()
        for given, words in pairs({
            [{ path = 5 }] = { "path", "string", "5" },
            [{}] = { "path", "required" },
            [{ path = "a", timeout = "soon" }] = { "timeout", "number", "soon" },
            [{ path = "a", timeout = -1 }] = { "timeout", "0", "-1" },
            [{ path = "a", timeout = true }] = { "timeout", "number", "true" },
            [{ path = "a", paht = 1 }] = { "paht", 'did you mean "path"' },
        }) do
            local text = complaint(given)
            assert.is_nil(text:find("\n", 1, true))
            for _, word in ipairs(words) do assert.is_truthy(text:find(word, 1, true), text) end
        end
    end)

    it("are not changed where they come from", function()
        local given = { path = "a", timeout = json.null }
        accept(given)
        assert.same({ path = "a", timeout = json.null }, given)
    end)
end)

describe("schemas of tools", function()
    it("that are wrong are told with their place", function()
        local check, text = arguments.compile({ type = "object", properties = { a = { type = "strin" } } })
        assert.is_nil(check)
        assert.matches("/properties/a/type", text)
    end)

    it("with a slip in a keyword are refused", function()
        local check, text = arguments.compile({ type = "object", propertys = {} })
        assert.is_nil(check)
        assert.matches("did you mean", text)
    end)

    it("check results", function()
        local check = assert(arguments.checker({ type = "object", required = { "pid" } }))
        assert.is_nil(check({ pid = 1 }))
        assert.matches("pid", check({}))
    end)
end)
