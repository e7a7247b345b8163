local Build = require("schema.build")

describe("schema.build", function()
    local compiler, node

    before_each(function()
        compiler = { patterns = {}, counted = 0, dynamic = {}, assert_format = false }
        function compiler.node(_, part) return { schema = part } end
        function compiler.count_pattern(_, size) compiler.counted = compiler.counted + size end
        node = { schema = { allOf = { true, false } }, in_place = {},
            place = { at = "/a", resource = { vocabularies = { validation = true } } } }
    end)

    local function new(keyword) return Build.new(compiler, node, keyword or "allOf") end

    it("knows its argument and where it stands", function()
        local build = new()
        assert.same({ { true, false }, "/a/allOf", "/a" }, { build.argument, build.at, build:parent() })
        assert.same({ true, false }, { build:enabled("validation"), build:enabled("unevaluated") })
    end)

    it("remembers the schemas for the same value, and no others", function()
        local build = new()
        build:child(true)
        build:children({ true, false })
        build:children_by_name({ a = true })
        assert.same({}, node.in_place)
        build:in_place_list(build.argument)
        assert.same({ { node = { schema = true }, at = "/a/allOf" }, { node = { schema = false }, at = "/a/allOf" } },
            node.in_place)
        assert.has_error(function() build:in_place_list({}) end, "schema: /a/allOf: expected at least one schema")
    end)

    it("asserts formats where the caller or the dialect wants it", function()
        assert.is_false(new():asserts_format())
        compiler.assert_format = true
        assert.is_true(new():asserts_format())
        compiler.assert_format = false
        node.place.resource.vocabularies["format-assertion"] = true
        assert.is_true(new():asserts_format())
    end)

    it("makes each pattern once, and counts its size", function()
        local build = new()
        local matches = build:pattern("^a", "/a/pattern")
        assert.is_true(matches("ab", function() end))
        local size = compiler.counted
        assert.is_true(size > 0)
        assert.equal(matches, build:pattern("^a", "/a/pattern"))
        assert.equal(size, compiler.counted)
        assert.error_matches(function() build:pattern("(", "/a/pattern") end,
            '^schema: /a/pattern: expected a regular expression %(ECMA%-262%), got "%(": ')
        assert.error_matches(function() build:pattern(5, "/a/pattern") end, "expected a string")
    end)

    it("tells a dynamic reference from a plain one by the anchor that it meets", function()
        local target, resource = { title = "t" }, { dynamic = {} }
        compiler.registry = { resolve = function() return target, resource, "x" end }
        local build = new()
        local found, name = build:dynamic_reference("#x")
        assert.same({ target, nil, 1 }, { found.schema, name, #node.in_place })
        resource.dynamic.x = target
        found, name = build:dynamic_reference("#x")
        assert.same({ target, "x", 1 }, { found.schema, name, #node.in_place })
        assert.equal(build:dynamic_targets("x"), compiler.dynamic.x)
    end)
end)
