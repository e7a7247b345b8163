local json = require("json")
local schema = require("schema")

local COSTLY = "too costly to check: the value is too large for this schema"

local function first_error(check, value)
    local ok, errors = check(value)
    return not ok and errors[1].message or "valid"
end

--- $defs in which each schema applies the one before twice.
local function doubling(keyword, depth)
    local defs = { a0 = { type = "integer" } }
    for i = 1, depth do
        local before = "#/$defs/a" .. i - 1
        defs["a" .. i] = { [keyword] = { { ["$ref"] = before }, { ["$ref"] = before } } }
    end
    return { ["$ref"] = "#/$defs/a" .. depth, ["$defs"] = defs }
end

describe("a hostile schema", function()
    it("that doubles its work at each step ends in an error", function()
        assert.equal(COSTLY, first_error(schema.compile(doubling("allOf", 60)), 1))
        assert.equal(COSTLY, first_error(schema.compile(doubling("oneOf", 60)), 1))
        assert.equal("expected an integer, got string \"x\"", first_error(schema.compile(doubling("allOf", 60)), "x"))
    end)

    it("that leads back to itself is refused", function()
        local message = "leads back to itself for the same value without end; recursion must go through properties or items"
        for at, circle in pairs {
            ["/$ref"] = { ["$ref"] = "#" },
            ["/allOf/0/not/$ref"] = { allOf = { { ["not"] = { ["$ref"] = "#" } } } },
            ["/$defs/b/$ref"] = {
                ["$ref"] = "#/$defs/a", ["$defs"] = { a = { ["$ref"] = "#/$defs/b" }, b = { ["$ref"] = "#/$defs/a" } },
            },
        } do
            local ok, problem = pcall(schema.compile, circle)
            assert.is_false(ok)
            assert.equal("schema: " .. at .. ": " .. message, problem)
        end
    end)

    it("that leads back to itself by $dynamicRef ends in an error", function()
        local loop = {
            ["$id"] = "http://x/outer", ["$ref"] = "inner",
            ["$defs"] = {
                over = { ["$dynamicAnchor"] = "a", ["$ref"] = "inner" },
                inner = { ["$id"] = "inner", ["$dynamicRef"] = "#a", ["$defs"] = { a = { ["$dynamicAnchor"] = "a" } } },
            },
        }
        assert.equal("nested too deep to check", first_error(schema.compile(loop), 1))
    end)

    it("that is nested too deep, contains itself or is too large is refused", function()
        local deep = {}
        for _ = 1, 200 do deep = { allOf = { deep } } end
        assert.is_true(schema.compile(deep, { max_depth = 400 })(1))
        assert.truthy(select(2, pcall(schema.compile, deep)):find("nested deeper than 100 levels", 1, true))
        local round = {}
        round.items = round
        assert.has_error(function() schema.compile(round) end,
            "schema: /items: the table contains itself; use $ref for recursion")
        local wide = {}
        for i = 1, 20 do wide["p" .. i] = {} end
        local _, problem = pcall(schema.compile, { properties = wide }, { max_schemas = 10 })
        assert.truthy(problem:find("more than 10 schemas", 1, true), problem)
    end)

    it("with constants that are too deep is refused", function()
        local deep = {}
        for _ = 1, 2000 do deep = { a = deep } end
        assert.has_error(function() schema.compile { const = deep } end, "schema: /const: nested too deep")
    end)

    it("with patterns that are too large together is refused", function()
        local patterns = {}
        for i = 1, 100 do patterns["a{" .. i .. ",9000}"] = true end
        local _, problem = pcall(schema.compile, { patternProperties = patterns })
        assert.truthy(problem:find("the patterns of this schema are too large together", 1, true), problem)
    end)

    it("chained through thousands of references compiles", function()
        local defs = { a2000 = { type = "integer" } }
        for i = 1, 1999 do defs["a" .. i] = { ["$ref"] = "#/$defs/a" .. i + 1 } end
        local check = schema.compile { ["$ref"] = "#/$defs/a1", ["$defs"] = defs }
        assert.is_true(check(1))
        assert.is_false(check("x"))
    end)
end)

describe("a hostile value", function()
    it("J05 nested deeper than can be checked ends in an error", function()
        local check = schema.compile { properties = { c = { ["$ref"] = "#" } }, items = { ["$ref"] = "#" } }
        for _, key in ipairs { "c", 1 } do
            local value = {}
            for _ = 1, 100000 do value = { [key] = value } end
            assert.equal("nested too deep to check", first_error(check, value))
        end
    end)

    it("J05 nested as deep as the codec allows is checked", function()
        local check = schema.compile { properties = { c = { ["$ref"] = "#" } } }
        local value = {}
        for _ = 1, 512 do value = { c = value } end
        assert.is_true(check(value))
    end)

    it("J05 that contains itself ends in an error", function()
        local check = schema.compile { properties = { c = { ["$ref"] = "#" } } }
        local value = {}
        value.c = value
        assert.equal("nested too deep to check", first_error(check, value))
        assert.equal(COSTLY, first_error(schema.compile { enum = { { c = 1 } } }, value))
        assert.equal(COSTLY, first_error(schema.compile { uniqueItems = true }, { value, value }))
    end)

    it("with many equal or unequal items is no quadratic work", function()
        local items = json.array {}
        for i = 1, 100000 do items[i] = i % 2 == 0 and i or { i } end
        local check = schema.compile { uniqueItems = true }
        assert.is_true(check(items))
        items[100000] = { 1 }
        assert.equal("expected different items, got the same at 0 and 99999", first_error(check, items))
    end)

    it("cannot make a pattern explode", function()
        local check = schema.compile { pattern = "^(a+)+$" }
        assert.truthy(first_error(check, ("a"):rep(30000) .. "b"):find("^expected a string matching"))
        assert.equal(COSTLY, first_error(check, ("a"):rep(2000000) .. "b"))
    end)

    it("of many keys costs what the budget says", function()
        local object = {}
        for i = 1, 1000 do object["k" .. i] = i end
        assert.equal(COSTLY, first_error(schema.compile({ additionalProperties = {} }, { max_steps = 500 }), object))
        assert.equal("valid", first_error(schema.compile({ additionalProperties = {} }, { max_steps = 5000 }), object))
        local many = {}
        for i = 1, 100 do many[i] = { minProperties = 1 } end
        assert.equal(COSTLY, first_error(schema.compile({ allOf = many }, { max_steps = 50000 }), object))
    end)

    it("costs what each keyword says, also where nothing in the value meets it", function()
        local names, items, wants = {}, json.array {}, {}
        for i = 1, 1000 do
            names[i], items[i] = "n" .. i, i
            wants["n" .. i] = { "a" }
        end
        local defs = {}
        for _, name in ipairs(names) do defs[name] = {} end
        for keyword, case in pairs {
            uniqueItems = { true, items }, required = { names, defs }, dependentRequired = { wants, {} },
            dependentSchemas = { defs, {} }, allOf = { { { properties = {} }, {} }, defs },
        } do
            assert.equal(COSTLY, first_error(schema.compile({ [keyword] = case[1] }, { max_steps = 900 }), case[2]), keyword)
            assert.equal("valid", first_error(schema.compile({ [keyword] = case[1] }, { max_steps = 9000 }), case[2]), keyword)
        end
        local long = ("x"):rep(1000000)
        for keyword, argument in pairs { minLength = 1, maxLength = 1000000, format = "json-pointer" } do
            local options = { max_steps = 900, assert_format = true }
            assert.equal(COSTLY, first_error(schema.compile({ [keyword] = argument }, options), long), keyword)
        end
    end)

    it("is looked at no further than what is wanted takes", function()
        local parts, items, object = {}, json.array {}, {}
        for i = 1, 1000 do
            parts[i], items[i] = { type = "string", minLength = i }, 1
            object["n" .. i] = 1
        end
        local text, by_name = parts[1], {}
        for i = 1, 500 do by_name["n" .. i] = text end
        local function first(keyword, argument, value, more)
            local source = { [keyword] = argument }
            for name, extra in pairs(more or {}) do source[name] = extra end
            return first_error(schema.compile(source, { max_steps = 900, max_errors = 1 }), value)
        end
        -- One error is wanted.
        for keyword, case in pairs {
            items = { text, items }, prefixItems = { parts, items }, allOf = { parts, 1 },
            unevaluatedItems = { text, items }, dependentSchemas = { by_name, object },
        } do
            assert.matches("^expected a string", first(keyword, case[1], case[2]), keyword)
        end
        -- One that fits is enough.
        assert.equal("valid", first("anyOf", { {}, table.unpack(parts) }, 1))
        assert.equal("valid", first("contains", { minimum = 0 }, items))
        assert.matches("at most 1 times, got more", first("contains", { minimum = 0 }, items, { maxContains = 1 }))
    end)

    it("leaves the validator as good as new", function()
        local check = schema.compile({ items = { type = "integer" } }, { max_steps = 50 })
        local long = {}
        for i = 1, 1000 do long[i] = i end
        assert.equal(COSTLY, first_error(check, long))
        assert.is_true(check { 1, 2 })
        assert.equal("expected an integer, got string \"x\"", first_error(check, { "x" }))
    end)
end)

describe("an error that is no matter of cost", function()
    it("is not swallowed", function()
        local value = setmetatable({}, { __index = function() error("stopped", 0) end })
        assert.has_error(function() schema.compile { required = { "a" } } (value) end, "stopped")
    end)
end)
