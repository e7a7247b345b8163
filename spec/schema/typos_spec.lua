local typos = require("schema.typos")

describe("schema.typos", function()
    it("finds slips of keywords at every place that holds a schema", function()
        for at, source in pairs({
            ["(root)"] = { requried = {} }, ["/items"] = { items = { requried = {} } },
            ["/properties/a"] = { properties = { a = { requried = {} } } },
            ["/anyOf/1"] = { anyOf = { {}, { requried = {} } } }, ["/not/if"] = { ["not"] = { ["if"] = { requried = {} } } },
        }) do
            assert.has_error(function() typos.refuse(source) end,
                ('schema: %s: unknown keyword "requried"; did you mean "required"? (x-… is for your own)'):format(at))
        end
    end)

    it("takes what is known, one's own, what is near nothing, and names of properties", function()
        typos.refuse({ type = "string", ["x-requried"] = 1, zebra = 1, properties = { requried = { type = "string" } },
            const = { requried = 1 }, default = { requried = 1 }, ["$comment"] = "x" })
        typos.refuse(true)
    end)
end)
