local Registry = require("schema.registry")

local LIMITS = { nesting = 100, subschemas = 1000 }

describe("schema.registry", function()
    local function new(source, documents, limits)
        local registry = Registry.new(documents or {}, limits or LIMITS)
        registry:add("https://x/root", source)
        return registry
    end

    --- What a reference at the root of `source` names.
    local function resolve(registry, source, reference)
        return (registry:resolve(registry.places[source], reference, "/$ref"))
    end

    it("finds schemas by pointer, anchor, own address and relative address", function()
        local source = { ["$defs"] = {
            a = { ["$anchor"] = "here", type = "string" }, ["b/c"] = { type = "number" },
            d = { ["$id"] = "other", ["$defs"] = { e = { ["$anchor"] = "deep" } } }, f = { allOf = { {}, { title = "second" } } },
            ["0"] = { anyOf = { {} } },
        } }
        local registry, defs = new(source), source["$defs"]
        for reference, target in pairs({
            ["#"] = source, ["#/$defs/a"] = defs.a, ["#here"] = defs.a, ["#/$defs/b~1c"] = defs["b/c"], ["other"] = defs.d,
            ["https://x/other#deep"] = defs.d["$defs"].e, ["other#/$defs/e"] = defs.d["$defs"].e,
            ["#/$defs/f/allOf/1"] = defs.f.allOf[2], ["#/$defs/0/anyOf/0"] = defs["0"].anyOf[1],
            ["root#here"] = defs.a,
        }) do
            assert.equal(target, resolve(registry, source, reference), reference)
        end
    end)

    it("keeps anchors of one address from another", function()
        local source = { ["$defs"] = { a = { ["$id"] = "a", ["$anchor"] = "x" }, b = { ["$anchor"] = "x" } } }
        local registry = new(source)
        assert.equal(source["$defs"].b, resolve(registry, source, "#x"))
        assert.equal(source["$defs"].a, resolve(registry, source, "a#x"))
    end)

    it("finds documents that it was given and the published ones, and fetches nothing", function()
        local given, source = { title = "given" }, {}
        local registry = new(source, { ["https://x/given"] = given })
        assert.equal(given, resolve(registry, source, "given"))
        assert.is_table(resolve(registry, source, "https://json-schema.org/draft/2020-12/schema"))
        assert.error_matches(function() resolve(registry, source, "https://y/") end,
            '^schema: /%$ref: nothing here has the address "https://y/", and references are not fetched')
    end)

    it("takes what stands at an unusual place for a schema, with the address of what is around it", function()
        local odd = { ["$ref"] = "leaf" }
        local source = { ["$defs"] = { d = { ["$id"] = "https://x/d/", ["x-odd"] = { odd } } } }
        local registry = new(source)
        assert.is_nil(registry.places[odd])
        assert.equal(odd, resolve(registry, source, "#/$defs/d/x-odd/0"))
        assert.equal("https://x/d/", registry.places[odd].resource.address)
    end)

    it("says where a reference leads nowhere", function()
        local source = { maximum = 5, allOf = { {} } }
        local registry = new(source)
        for _, reference in ipairs({ "#/maximum/x", "#/allOf/x", "#/allOf/1" }) do
            assert.error_matches(function() resolve(registry, source, reference) end, "leads nowhere")
        end
        assert.error_matches(function() resolve(registry, source, "#/$defs/x") end,
            '"#/%$defs/x" leads nowhere: there is no "%$defs"')
        assert.error_matches(function() resolve(registry, source, "#x") end, "no %$anchor is called x in https://x/root")
    end)

    for why, case in pairs({
        ["an address with a fragment"] = { { ["$defs"] = { a = { ["$id"] = "a#b" } } },
            "/$defs/a/$id: expected an address without" },
        ["an address that is another's"] = { { ["$defs"] = { a = { ["$id"] = "a" }, b = { ["$id"] = "a" } } },
            "of another schema" },
        ["an anchor that is another's"] = { { ["$anchor"] = "a", items = { ["$dynamicAnchor"] = "a" } },
            "/items/$dynamicAnchor: " },
        ["an anchor that is no name"] = { { ["$anchor"] = "1" }, "/$anchor: expected a letter" },
        ["a list where one schema is due"] = { { items = { {} } }, "a list of schemas goes under prefixItems" },
        ["a schema with a key that is no name"] = { { ["not"] = { [2] = true } }, "/not: expected names as keys, got the key 2" },
        ["a schema where a list is due"] = { { allOf = { a = {} } }, "/allOf: expected a list of schemas" },
        ["a dialect of another draft"] = { { ["$schema"] = "http://json-schema.org/draft-07/schema#" }, "/$schema: expected" },
    }) do
        it("refuses " .. why, function()
            local ok, message = pcall(new, case[1])
            assert.is_false(ok)
            assert.is_truthy(message:find(case[2], 1, true), message)
        end)
    end

    it("bounds depth and number, and refuses a table within itself", function()
        local deep = {}
        for _ = 1, 3 do deep = { ["not"] = deep } end
        new(deep, {}, { nesting = 3, subschemas = 4 })
        assert.error_matches(function() new(deep, {}, { nesting = 2, subschemas = 4 }) end, "nested deeper than 2 levels")
        assert.error_matches(function() new(deep, {}, { nesting = 3, subschemas = 3 }) end, "more than 3 schemas")
        local circle = {}
        circle.items = circle
        assert.error_matches(function() new(circle) end, "/items: the table contains itself")
    end)
end)
