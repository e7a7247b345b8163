local json = require("json")
local parameter_headers = require("mcp.parameter_headers")

local function schema(property)
    return { type = "object", properties = { region = property } }
end

local function complaint(source)
    local found, text = parameter_headers.of(source)
    assert.is_nil(found)
    return text
end

describe("parameter_headers.of", function()
    it("finds properties at any depth of properties", function()
        local found = parameter_headers.of({
            type = "object",
            properties = { at = { type = "object", properties = { zone = { type = "string", ["x-mcp-header"] = "Zone" } } } },
        })
        assert.same({ { header = "mcp-param-zone", path = { "at", "zone" } } }, found)
    end)

    it("finds none in a plain schema", function()
        assert.same({}, parameter_headers.of(schema({ type = "string" })))
    end)

    it("refuses what could not be compared, with the reason", function()
        local name = { ["x-mcp-header"] = "Region" }
        assert.matches("needs a property of type", complaint(schema({ type = "number", ["x-mcp-header"] = "Region" })))
        assert.matches("needs a property of type", complaint(schema(name)))
        assert.matches("part of a header name", complaint(schema({ type = "string", ["x-mcp-header"] = "a b" })))
        assert.matches("part of a header name", complaint(schema({ type = "string", ["x-mcp-header"] = 5 })))
        local item = { type = "string", ["x-mcp-header"] = "Region" }
        assert.matches("through properties only", complaint(schema({ type = "array", items = item })))
        assert.matches("through properties only", complaint({ type = "object", anyOf = { schema(item) } }))
        assert.matches("through properties only", complaint({ type = "string", ["x-mcp-header"] = "Region" }))
    end)

    it("refuses the same name twice, whatever its case", function()
        local one, two = { type = "string", ["x-mcp-header"] = "A" }, { type = "string", ["x-mcp-header"] = "a" }
        assert.matches("is used twice", complaint({ type = "object", properties = { x = one, y = two } }))
    end)
end)

describe("parameter_headers.disagreement", function()
    local declared = { { header = "mcp-param-region", path = { "region" } } }

    local function check(value, header)
        return parameter_headers.disagreement(declared, { region = value }, function() return header end)
    end

    it("accepts equal values of every type", function()
        assert.is_nil(check("eu", "eu"))
        assert.is_nil(check("Hello", "=?base64?SGVsbG8=?="))
        assert.is_nil(check(42, "42"))
        assert.is_nil(check(42.0, "42"))
        assert.is_nil(check(42, "42.0"))
        assert.is_nil(check(-5, "-5"))
        assert.is_nil(check(true, "true"))
        assert.is_nil(check(false, "false"))
    end)

    it("expects no header for an argument that is absent or null", function()
        assert.is_nil(check(nil, nil))
        assert.is_nil(check(json.null, nil))
        assert.equal("mcp-param-region has no argument", check(nil, "eu"))
        assert.equal("mcp-param-region has no argument", check(json.null, "eu"))
    end)

    it("names the header that is missing, differs or is no base64", function()
        assert.equal("mcp-param-region is missing", check("eu", nil))
        for _, header in ipairs({ "us", "=?base64?SGVsbG8?=", "EU", "" }) do
            assert.equal("mcp-param-region does not match its argument", check("eu", header))
        end
        assert.equal("mcp-param-region is missing", check(false, nil))
        for _, header in ipairs({ "43", "0x2a", "forty-two", "", " 42 x" }) do assert.is_string(check(42, header)) end
        assert.is_string(check("grüße", "grüße"))
        local function twice() return "eu", 2 end
        assert.equal("mcp-param-region is given twice", parameter_headers.disagreement(declared, { region = "eu" }, twice))
        assert.is_string(check(true, "True"))
    end)

    it("looks below the root", function()
        local deep = { { header = "mcp-param-zone", path = { "at", "zone" } } }
        local function header() return "b" end
        assert.is_nil(parameter_headers.disagreement(deep, { at = { zone = "b" } }, header))
        assert.is_string(parameter_headers.disagreement(deep, { at = { zone = "c" } }, header))
        assert.is_string(parameter_headers.disagreement(deep, { at = "text" }, header))
        assert.is_nil(parameter_headers.disagreement(deep, { at = "text" }, function() return nil end))
    end)
end)
