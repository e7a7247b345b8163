local json = require("json")
local quick = require("schema.quick")

local function test(text) return quick.test(assert(json.decode(text))) end

local function fits(schema, value) return test(schema)(assert(json.decode("[" .. value .. "]"))[1]) end

describe("schema.quick", function()
    it("says yes to values of a plain type", function()
        for type, values in pairs({
            string = { '""', '"a"' }, boolean = { "true", "false" }, number = { "1", "1.5" }, integer = { "1", "2.0" },
            null = { "null" }, array = { "[]", "[1]" }, object = { "{}", '{"a":1}' },
        }) do
            for _, value in ipairs(values) do assert.is_true(fits(('{"type":"%s"}'):format(type), value), type .. value) end
        end
    end)

    it("says yes to nothing else", function()
        for type, values in pairs({
            string = { "1", "null" }, boolean = { "0", '"true"' }, number = { '"1"' }, integer = { "1.5", '"1"', "null" },
            null = { "0", "{}" }, array = { "{}", '"a"' }, object = { "[]", "[1]", "null" },
        }) do
            for _, value in ipairs(values) do assert.is_false(fits(('{"type":"%s"}'):format(type), value), type .. value) end
        end
    end)

    it("keeps limits, and lets other types of a list pass them", function()
        local schema = '{"type":["integer","null"],"minimum":1,"maximum":3}'
        local values = { ["1"] = true, ["3.0"] = true, null = true, ["0"] = false, ["4"] = false, ['"2"'] = false }
        for value, expected in pairs(values) do
            assert.equal(expected, fits(schema, value), value)
        end
    end)

    it("looks into lists and objects", function()
        local schema = [[{"type":"object","required":["a"],"additionalProperties":false,"properties":{
            "a":{"type":"array","items":{"type":"string"}},"b":{"type":"boolean","description":"…","x-own":1}}}]]
        for value, expected in pairs({
            ['{"a":[]}'] = true, ['{"a":["x"],"b":true}'] = true, ['{"b":true}'] = false, ['{"a":["x",1]}'] = false,
            ['{"a":[],"b":1}'] = false, ['{"a":[],"c":1}'] = false, ['{"a":[1]}'] = false, ['{"a":{}}'] = false,
            ['{"a":{"b":1}}'] = false, ['{"a":"x"}'] = false,
        }) do
            assert.equal(expected, fits(schema, value), value)
        end
        assert.is_true(fits('{"type":"object","properties":{}}', '{"c":1}'))
    end)

    it("leaves what is not so simple to the whole check", function()
        for _, schema in ipairs({
            "{}", '{"type":"string","pattern":"a"}', '{"type":"string","enum":["a"]}', '{"$ref":"#"}',
            '{"type":"string","items":{}}',
            '{"type":"object","additionalProperties":{"type":"string"}}', '{"type":"object","properties":{"a":{"anyOf":[]}}}',
            '{"type":"array","items":{"const":1}}', '{"type":"array","items":true}', '{"type":"string","if":true}',
        }) do
            assert.is_nil(test(schema), schema)
        end
    end)
end)
