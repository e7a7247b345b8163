local metaschema = require("schema.metaschema")
local schema = require("schema")

describe("schema.metaschema", function()
    local check

    setup(function() check = schema.compile({ ["$ref"] = "https://json-schema.org/draft/2020-12/schema" }) end)

    it("describes itself and all of its parts", function()
        local count = 0
        for address, document in pairs(metaschema) do
            assert.equal(address, document["$id"])
            assert.is_true((check(document)), address)
            count = count + 1
        end
        assert.equal(9, count)
    end)

    for why, source in pairs({
        ["a type that is none"] = { type = "text" }, ["two types that are one"] = { type = { "string", "string" } },
        ["a count below zero"] = { minLength = -1 }, ["names that are the same"] = { required = { "a", "a" } },
        ["an empty choice"] = { anyOf = require("json").array({}) }, ["a divisor of zero"] = { multipleOf = 0 },
        ["an anchor that is no name"] = { ["$anchor"] = "a b" }, ["an address with a fragment"] = { ["$id"] = "#x" },
        ["a wrong schema far below"] = { properties = { a = { items = { ["not"] = { title = 5 } } } } },
        ["a list of schemas under items"] = { items = { {} } },
    }) do
        it("refuses " .. why, function() assert.is_false((check(source))) end)
    end
end)
