local properties = require("schema.properties")

--- A build of a schema that stands at `keyword`; its patterns are plain text.
local function build_at(source, keyword)
    local build = { schema = source, argument = source[keyword], at = "/" .. keyword, asked = {} }
    function build.parent() return "" end
    function build.children_by_name(_, parts)
        local nodes = {}
        for name, part in pairs(parts) do nodes[name] = { schema = part } end
        return nodes
    end
    function build:pattern(text, at)
        self.asked[#self.asked + 1] = at
        return function(name) return name:find(text, 1, true) ~= nil end
    end
    return build
end

describe("schema.properties", function()
    it("knows a name by either keyword, and lists the plain ones in order", function()
        local is_known, names = properties.known(build_at({ properties = { b = true, a = false },
            patternProperties = { ["x-"] = true } }, "additionalProperties"))
        assert.same({ "a", "b" }, names)
        local run = { charge = function() end }
        for name, known in pairs({ a = true, b = true, ["x-1"] = true, c = false, [""] = false }) do
            assert.equal(known, is_known(run, name), name)
        end
    end)

    it("knows nothing where neither keyword is there, or is none", function()
        for _, source in ipairs({ {}, { properties = 5, patternProperties = "x" } }) do
            local is_known, names = properties.known(build_at(source, "additionalProperties"))
            assert.same({ false, {} }, { is_known({}, "a"), names })
        end
    end)

    it("makes the rules of patternProperties in order, each named where it stands", function()
        local build = build_at({ patternProperties = { ["b/c"] = 2, a = 1 } }, "patternProperties")
        local rules = properties.rules(build)
        assert.same({ 1, 2 }, { rules[1].node.schema, rules[2].node.schema })
        assert.same({ "/patternProperties/a", "/patternProperties/b~1c" }, build.asked)
        assert.is_true(rules[2].matches("xb/c"))
    end)
end)
