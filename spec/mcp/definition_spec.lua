local fake_host = require("spec.support.fake_host")
fake_host.install()
local definition = require("mcp.definition")
local json = require("json")

local function minimal(changes)
    local given = {
        name = "echo", description = "Says it", input = { type = "object" }, handler = function() return "x" end,
    }
    for name, value in pairs(changes or {}) do
        if value == json.null then value = nil end
        given[name] = value
    end
    return given
end

local function complaint(changes)
    local tool, text = definition.compile(minimal(changes))
    assert.is_nil(tool)
    return text
end

describe("definition.compile", function()
    it("takes what is needed and no more", function()
        local tool = assert(definition.compile(minimal()))
        assert.equal("echo", tool.name)
        assert.same({ name = "echo", description = "Says it", inputSchema = { type = "object" } }, tool.public)
        assert.same({ a = 1 }, tool.accept({ a = 1 }))
        assert.is_nil(tool.check_output)
    end)

    it("takes everything that a definition may have", function()
        local tool = assert(definition.compile(minimal({
            title = "Echo", annotations = { readOnlyHint = true, title = "E" }, output = { type = "object", required = { "a" } },
            icons = { { src = "data:image/png;base64,AA==" } }, meta = { ["x/y"] = 1 },
        })))
        assert.equal("Echo", tool.public.title)
        assert.same({ ["x/y"] = 1 }, tool.public._meta)
        assert.is_true(json.is_array(tool.public.icons))
        assert.is_string(tool.check_output({}))
    end)

    it("says what is wrong with a definition, and what would be right", function()
        for expected, changes in pairs({
            ["field name is missing; it is a string"] = { name = json.null },
            ["field description is missing; it is a string"] = { description = json.null },
            ["field input is missing; it is a table"] = { input = json.null },
            ["field handler is missing; it is a function"] = { handler = json.null },
            ["field title must be a string, got number"] = { title = 5 },
            ["field handler must be a function, got string"] = { handler = "x" },
            ['field "descripton" is unknown; did you mean "description"?'] = { descripton = "x" },
            ['annotation "readonlyHint" is unknown; did you mean "readOnlyHint"?'] = { annotations = { readonlyHint = true } },
            ["annotation readOnlyHint must be a boolean, got string"] = { annotations = { readOnlyHint = "yes" } },
            ["field name must be 1 to 128 letters, digits, _, - or ."] = { name = "a b" },
            ["field description must not be empty"] = { description = " " },
            ['field input must be a JSON Schema with type = "object"'] = { input = { type = "string" } },
            ["/properties/a/type"] = { input = { type = "object", properties = { a = { type = "strin" } } } },
            ["field output: "] = { output = { type = "strin" } },
            ["field output is no JSON"] = { output = { default = print } },
            ['x-mcp-header "Region"'] = {
                input = { type = "object", properties = { a = { type = "number", ["x-mcp-header"] = "Region" } } },
            },
        }) do
            local text = complaint(changes)
            assert.is_truthy(text:find(expected, 1, true), text)
            assert.is_nil(text:find("\n", 1, true))
        end
    end)

    it("names the tool where it can", function()
        assert.matches('^tool "echo": ', complaint({ title = 5 }))
        assert.matches("^tool: ", complaint({ name = json.null }))
        local tool, text = definition.compile("echo")
        assert.is_nil(tool)
        assert.equal("tool: expected a table { name = … }, got string", text)
    end)

    it("J05 refuses a schema that contains itself", function()
        local input = { type = "object" }
        input.properties = { self = input }
        assert.matches("field input is no JSON: .*json.encode", complaint({ input = input }))
    end)
end)
