local json = require("json")
local prompt_definition = require("mcp.prompt_definition")

local function nothing() end

describe("a prompt's definition", function()
    it("becomes its entry of the list, and what calls are checked against", function()
        local prompt = assert(prompt_definition.compile({
            name = "p", title = "P", description = "d", handler = nothing, meta = { ["x/y"] = 1 },
            arguments = { { name = "a", required = true }, { name = "b", title = "B" } },
        }))
        assert.same({ "a" }, prompt.required)
        assert.same({ a = true, b = true }, prompt.known)
        assert.same({ ["x/y"] = 1 }, prompt.public._meta)
        assert.equal("P", prompt.public.title)
        assert.equal("[]", json.encode(prompt_definition.compile({
            name = "p", description = "d", handler = nothing, arguments = {},
        }).public.arguments))
    end)

    it("is refused with what would be right", function()
        for complaint, given in pairs({
            ["prompt: expected a table, got string"] = "p",
            ['prompt "p": field description is missing; it is a string'] = { name = "p", handler = nothing },
            ['prompt "p": field "args" is unknown'] = { name = "p", description = "d", handler = nothing, args = {} },
            ['prompt "p": argument 1 must be a table { name = … }'] =
                { name = "p", description = "d", handler = nothing, arguments = { "a" } },
            ['prompt "p": argument 1, field required must be a boolean, got string'] =
                { name = "p", description = "d", handler = nothing, arguments = { { name = "a", required = "yes" } } },
        }) do
            assert.matches(complaint, select(2, prompt_definition.compile(given)), 1, true)
        end
    end)
end)

describe("a completion's definition", function()
    it("is for an argument of a prompt or a place of a template", function()
        local one = prompt_definition.compile_completion({ prompt = "p", argument = "a", handler = nothing })
        assert.same({ "prompt", "p", "a" }, { one.kind, one.of, one.argument })
        local two = prompt_definition.compile_completion({ resource = "a://{id}", argument = "id", handler = nothing })
        assert.same({ "resource", "a://{id}", "id" }, { two.kind, two.of, two.argument })
    end)

    it("is refused with what would be right", function()
        for complaint, given in pairs({
            ["completion: expected a table, got nil"] = false,
            ["give either prompt, the name of one, or resource, the template of one"] = { argument = "a", handler = nothing },
            ["field handler is missing; it is a function"] = { prompt = "p", argument = "a" },
        }) do
            local wrong = select(2, prompt_definition.compile_completion(given or nil))
            assert.matches(complaint, wrong, 1, true)
        end
    end)
end)
