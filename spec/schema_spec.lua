local json = require("json")
local schema = require("schema")

local null = json.null

local function tool_input()
    return {
        type = "object",
        properties = {
            command = { type = "string", description = "Shell command" },
            path = { type = "string", minLength = 1 },
            timeout = {
                type = { "number", "null" }, minimum = 0, maximum = 1e9, default = null,
                description = "Timeout in seconds (default 30, max 300)",
            },
            recursive = { type = "boolean" },
            pid = { type = "integer", minimum = 1 },
            manager = { anyOf = { { type = "string", enum = { "npm", "pip" } }, { type = "null" } }, default = null },
            tags = { type = "array", items = { type = "string" } },
        },
        required = { "command" },
        additionalProperties = false,
    }
end

local check = schema.compile(tool_input(), { strict = true })

local function explained(arguments)
    local ok, errors = check(arguments)
    return ok and "valid" or schema.explain(errors)
end

local function with(name, value) return { command = "x", [name] = value } end

describe("schema.explain names the argument, what was expected and what came", function()
    local cases = {
        { "a missing argument", {}, "command: required, expected a string, got nothing" },
        { "null", { command = null }, "command: expected a string, got null" },
        { "another type", { command = 5 }, "command: expected a string, got number 5" },
        { "an empty string", with("path", ""), 'path: expected a string of at least 1 character, got ""' },
        { "a fraction", with("pid", 1.5), "pid: expected an integer >= 1, got 1.5" },
        { "a boolean that is none", with("recursive", "maybe"), 'recursive: expected true or false, got string "maybe"' },
        { "no choice", with("manager", "cargo"), 'manager: expected one of "npm" or "pip", got "cargo"' },
        { "an item", with("tags", { "a", 5 }), "tags[1]: expected a string, got number 5" },
        { "an unknown name that is near one", with("pth", 1), 'unknown argument "pth"; did you mean "path"?' },
        {
            "an unknown name", with("zzz", 1),
            'unknown argument "zzz"; known: "command", "manager", "path", "pid", "recursive", "tags", "timeout"',
        },
        { "two errors", { pid = 0 }, "command: required, expected a string, got nothing; pid: expected an integer >= 1, got 0" },
        { "arguments that are no object", 5, "expected an object, got number 5" },
        { "a line end", with("manager", "a\nb"), 'manager: expected one of "npm" or "pip", got "a\\nb"' },
    }
    for _, case in ipairs(cases) do
        it(case[1], function() assert.equal(case[3], explained(case[2])) end)
    end

    it("cuts what is long and says how long it is", function()
        local line = explained(with("manager", ("é"):rep(500)))
        assert.truthy(line:find("… (500 characters)", 1, true) or line:find('…" (500 characters)', 1, true), line)
        assert.truthy(utf8.len(line))
        assert.truthy(#line < 250)
    end)

    it("counts what it leaves out", function()
        local line = explained { a1 = 1, b2 = 1, c3 = 1, d4 = 1, e5 = 1 }
        assert.truthy(line:find("; and 3 more$"), line)
    end)

    it("says property below the top, and what else the caller calls the top", function()
        local nested = schema.compile({ properties = { o = { properties = { depth = {} }, additionalProperties = false } } })
        assert.equal('o: unknown property "dept"; did you mean "depth"?', schema.explain(select(2, nested { o = { dept = 1 } })))
        local field = schema.compile({ properties = {}, additionalProperties = false }, { noun = "field" })
        assert.equal('unknown field "x"', schema.explain(select(2, field { x = 1 })))
    end)
end)

describe("a timeout in seconds", function()
    it("P16 is taken or refused with the bound named, whatever comes", function()
        local outcomes = {
            { 99999999, "valid" }, { 1e18, "timeout: expected a number from 0 to 1000000000 (seconds), got 1e+18" },
            { 0, "valid" }, { -1, "timeout: expected a number from 0 to 1000000000 (seconds), got -1" }, { 0.5, "valid" },
            { "30", "valid" }, { null, "valid" },
            { math.huge, "timeout: expected a number from 0 to 1000000000 (seconds), got inf" },
        }
        for _, outcome in ipairs(outcomes) do
            assert.equal(outcome[2], explained(schema.coerce(tool_input(), with("timeout", outcome[1]))))
        end
    end)

    it("P16 that is not a number is refused", function()
        assert.truthy(explained(with("timeout", 0 / 0)):find("^timeout: expected a number"))
    end)

    it("P17 is refused with its unit in the message", function()
        local said = explained(with("timeout", "soon"))
        assert.equal('timeout: expected a number from 0 to 1000000000 (seconds), got string "soon"', said)
    end)
end)

describe("errors", function()
    it("carry place, keyword and message", function()
        local _, errors = check { command = "x", tags = { 1 } }
        local expected = { path = "/tags/0", keyword = "type", message = "expected a string, got number 1", mismatch = true }
        assert.same(expected, errors[1])
        assert.equal(1, #errors)
    end)

    it("are bounded in number", function()
        local many = json.array {}
        for i = 1, 1000 do many[i] = i end
        local _, errors = check(with("tags", many))
        assert.equal(10, #errors)
        _, errors = schema.compile({ items = false }, { max_errors = 3 })(many)
        assert.equal(3, #errors)
    end)

    it("come from the nearest of several forms", function()
        local edit = schema.compile {
            oneOf = {
                { type = "object", properties = { kind = { const = "a" }, x = { type = "number" } }, required = { "kind", "x" } },
                { type = "object", properties = { kind = { const = "b" }, y = { type = "string" } }, required = { "kind", "y" } },
            },
        }
        assert.equal("y: expected a string, got number 5", schema.explain(select(2, edit { kind = "b", y = 5 })))
        assert.equal("expected an object, got number 7", schema.explain(select(2, edit(7))))
    end)
end)

describe("schema.coerce reads arguments as v0.1.0 did", function()
    local function read(name, value) return schema.coerce(tool_input(), with(name, value))[name] end

    it("numbers in strings (terminal_exec/timeout-string-number, terminal_kill/pid-as-string)", function()
        assert.equal(5, read("timeout", "5"))
        assert.equal(0.5, read("timeout", "0.5"))
        assert.equal("integer", math.type(read("pid", "4194305")))
        assert.equal("integer", math.type(read("pid", "5.0")))
        assert.equal(7, read("pid", " 7 "))
        assert.equal(-1, read("timeout", "-1"))
    end)

    it("whole floats as integers (terminal_kill/float-whole)", function()
        assert.equal("integer", math.type(read("pid", 4194304.0)))
        assert.equal(1.5, read("pid", 1.5))
        assert.equal(1e300, read("pid", 1e300))
    end)

    it("booleans in strings and numbers (file_list/recursive-string-true, recursive-number-1)", function()
        assert.is_true(read("recursive", "true"))
        assert.is_true(read("recursive", 1))
        assert.is_false(read("recursive", "False"))
        assert.is_false(read("recursive", 0.0))
    end)

    it("null as not given, unless the argument is required or null is a value of its own", function()
        assert.is_nil(read("recursive", null))
        assert.is_nil(read("timeout", null))
        assert.is_nil(read("manager", null))
        assert.equal(null, schema.coerce(tool_input(), { command = null }).command)
        assert.equal(null, schema.coerce({ properties = { owner = { type = { "string", "null" } } } }, { owner = null }).owner)
        assert.same({}, schema.coerce(tool_input(), null))
        assert.same({}, schema.coerce(tool_input(), nil))
    end)

    it("what does not fit stays as it came", function()
        for _, case in ipairs {
            { "timeout", "soon" }, { "timeout", true }, { "timeout", "0x10" }, { "timeout", "1e999" }, { "timeout", "" },
            { "timeout", "nan" }, { "pid", "1.5" }, { "recursive", "maybe" }, { "recursive", 2 }, { "command", 5 },
            { "unknown", "5" },
        } do
            assert.equal(case[2], read(case[1], case[2]))
        end
        assert.equal(5, schema.coerce(tool_input(), 5))
    end)

    it("strings stay strings where strings are taken", function()
        local lax = { properties = { id = { type = { "string", "integer" } }, any = true } }
        assert.same({ id = "5", any = "5" }, schema.coerce(lax, { id = "5", any = "5" }))
    end)

    it("leaves the caller's table alone", function()
        local arguments = with("timeout", "5")
        schema.coerce(tool_input(), arguments)
        assert.equal("5", arguments.timeout)
    end)
end)

describe("schema.compile tells an operator what is wrong and what would be right", function()
    local cases = {
        {
            { type = "strin" },
            'schema: /type: expected array, boolean, integer, null, number, object or string, got string "strin"',
        },
        { { properties = { a = { minimum = "0" } } }, 'schema: /properties/a/minimum: expected a number, got string "0"' },
        {
            { properties = { ["a/b"] = { minLength = -1 } } },
            "schema: /properties/a~1b/minLength: expected a whole number >= 0, got number -1",
        },
        { { required = "a" }, 'schema: /required: expected a list of strings, got string "a"' },
        { { required = { "a", "a" } }, 'schema: /required: expected different names, got "a" twice' },
        { { multipleOf = 0 }, "schema: /multipleOf: expected a number > 0, got 0" },
        { { uniqueItems = "yes" }, 'schema: /uniqueItems: expected true or false, got string "yes"' },
        { { allOf = {} }, "schema: /allOf: expected at least one schema" },
        { { enum = "a" }, 'schema: /enum: expected a list of values, got string "a"' },
        {
            { items = { {}, {} } },
            "schema: /items: expected a schema (a table, true or false), got an array of 2 items; "
                .. "a list of schemas goes under prefixItems",
        },
        { { properties = { "a" } }, "schema: /properties: expected a table of schemas by name, got an array of 1 item" },
        {
            { pattern = "(a" },
            'schema: /pattern: expected a regular expression (ECMA-262), got "(a": '
                .. 'a group is not closed: ) is missing (at byte 3)',
        },
        { { ["$ref"] = "#/$defs/x" }, 'schema: /$ref: "#/$defs/x" leads nowhere: there is no "$defs"' },
        { { ["$ref"] = "#x" }, "schema: /$ref: no $anchor is called x" },
        {
            { ["$ref"] = "http://x/y" },
            'schema: /$ref: nothing here has the address "http://x/y", '
                .. 'and references are not fetched; put the schema under $defs',
        },
        {
            { ["$schema"] = "http://json-schema.org/draft-07/schema#" },
            "schema: /$schema: expected https://json-schema.org/draft/2020-12/schema (or nothing), "
                .. "got http://json-schema.org/draft-07/schema#",
        },
        { { ["$id"] = "a#b" }, 'schema: /$id: expected an address without #fragment, got "a#b"' },
        { { ["$anchor"] = "1" }, 'schema: /$anchor: expected a letter or _ and then letters, digits, _ . -, got "1"' },
        { 5, "schema: (root): expected a schema (a table, true or false), got number 5" },
    }
    for _, case in ipairs(cases) do
        it(case[2]:sub(1, 60), function() assert.has_error(function() schema.compile(case[1]) end, case[2]) end)
    end

    it("refuses unknown options and wrong types of options", function()
        local function with_options(options)
            return function() schema.compile({}, options) end
        end
        assert.has_error(with_options { bas = "x" }, 'schema.compile: unknown option "bas"; did you mean "base"?')
        assert.has_error(with_options { base = 5 }, "schema.compile: option base: expected string, got number")
    end)

    it("finds slips in keywords when strict", function()
        local slip = { properties = { a = { requried = { "x" } } } }
        assert.has_error(function() schema.compile(slip, { strict = true }) end,
            'schema: /properties/a: unknown keyword "requried"; did you mean "required"? (x-… is for your own)')
        assert.is_true(schema.compile(slip)(5))
        assert.is_true(schema.compile({ ["x-required"] = 1, ui = 2, properties = { requried = {} } }, { strict = true })(5))
    end)
end)

describe("values made in Lua", function()
    it("are arrays when marked or when they have a first item, else objects", function()
        local array, object = schema.compile { type = "array" }, schema.compile { type = "object" }
        assert.is_true(array(json.array {}))
        assert.is_true(array { 1 })
        assert.is_true(object {})
        assert.is_false(array {})
        assert.is_false(object(json.array {}))
    end)

    it("may be named by an address of the schema's own", function()
        local tree = { ["$id"] = "tree", type = "object", properties = { children = { items = { ["$ref"] = "tree" } } } }
        local is_tree = schema.compile(tree, { base = "http://example.com/schemas/root" })
        assert.is_true(is_tree { children = { { children = { {} } } } })
        assert.is_false(is_tree { children = { { children = { 5 } } } })
    end)
end)

describe("a validator that is interrupted", function()
    it("serves another call meanwhile without mixing the two", function()
        local validate = schema.compile({
            ["$id"] = "https://example.com/strict", ["$dynamicAnchor"] = "node", ["$ref"] = "tree",
            unevaluatedProperties = false,
            ["$defs"] = { tree = {
                ["$id"] = "tree", ["$dynamicAnchor"] = "node", type = "object",
                properties = { under = { type = "array", items = { ["$dynamicRef"] = "#node" } } },
            } },
        })
        local tree = { under = { { under = { { misspelt = true } } } } } -- only the outer resource refuses that
        for step = 1, 150 do -- another call after that many instructions
            local inner
            local outer = coroutine.create(function() return validate(tree) end)
            debug.sethook(outer, function()
                debug.sethook(outer)
                inner = validate({ under = json.array({}) })
            end, "", step)
            local _, valid, errors = coroutine.resume(outer)
            assert.is_false(valid, step)
            assert.equal(1, #errors, step)
            assert.is_true(inner, step)
        end
    end)
end)
