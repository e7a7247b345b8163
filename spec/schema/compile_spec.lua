local compile = require("schema.compile")
local Run = require("schema.run")

local LIMITS = { nesting = 100, subschemas = 1000 }

local function validator(source, documents)
    local node = compile(source, { base = "", documents = documents or {}, assert_format = false, limits = LIMITS })
    return function(value)
        local run = Run.new({ steps = 10000, depth = 100, errors = 10 }, "argument", false)
        return node.run(run, value), run.errors
    end
end

describe("schema.compile", function()
    it("checks the cheapest keyword that says most first", function()
        local source = { pattern = "^a", minLength = 3, enum = { "x" }, type = "number" }
        for _, keyword in ipairs({ "type", "enum", "minLength", "pattern" }) do
            local _, errors = validator(source)("b")
            assert.equal(keyword, errors[1].keyword)
            source[keyword] = nil
        end
    end)

    it("makes of one table one node, so that references may go in circles", function()
        local tree = { properties = { left = { ["$ref"] = "#" }, right = { ["$ref"] = "#" } }, additionalProperties = false }
        local check = validator(tree)
        assert.is_true((check({ left = { right = { left = {} } } })))
        assert.is_false((check({ left = { right = { middle = {} } } })))
        assert.error_matches(function() validator({ ["$ref"] = "#" }) end, "leads back to itself")
    end)

    it("applies only the keywords of the vocabularies in use", function()
        local meta = { ["$id"] = "https://x/meta", ["$vocabulary"] = {
            ["https://json-schema.org/draft/2020-12/vocab/applicator"] = true,
        } }
        local check = validator({ ["$schema"] = "https://x/meta", properties = { a = false }, maxProperties = 0 },
            { ["https://x/meta"] = meta })
        assert.is_true((check({ b = 1 })))
        assert.is_false((check({ a = 1 })))
    end)

    it("compiles what only a dynamic reference leads to, and the documents that this brings", function()
        local root = { ["$id"] = "https://x/root", ["$ref"] = "tree",
            ["$defs"] = { strict = { ["$dynamicAnchor"] = "node", ["$ref"] = "https://x/leaf" } } }
        local check = validator(root, {
            ["https://x/tree"] = { ["$dynamicAnchor"] = "node", properties = { child = { ["$dynamicRef"] = "#node" } } },
            ["https://x/leaf"] = { required = { "ok" } },
        })
        assert.is_true((check({ child = { ok = 1 } })))
        assert.is_false((check({ child = {} })))
    end)

    it("bounds the patterns of a schema together", function()
        local properties = {}
        for number = 1, 60 do properties["p" .. number] = { pattern = ("(a{1,%d})"):format(1000 + number) } end
        assert.error_matches(function() validator({ properties = properties }) end, "too large together")
    end)

    it("runs true and false", function()
        assert.is_true((validator(true)(1)))
        assert.is_false((validator(false)(1)))
    end)
end)
