local cjson = require("cjson")
local json = require("json")
local pretty = require("session.pretty")

describe("session.pretty", function()
    it("keeps the order of members, indents by two, and leaves empty ones on their line", function()
        assert.equal('{\n  "z": 1,\n  "a": [\n    1,\n    {}\n  ],\n  "e": [],\n  "n": null\n}',
            pretty.format(' { "z" :1,"a":[1,{ }],"e":[ ],"n":null}\n'))
    end)

    for given, kept in pairs({
        ['"grüße 😀"'] = '"gr\\u00fc\\u00dfe \\ud83d\\ude00"',
        ['"a\\/b\\u00e9\\u0041"'] = '"a/b\\u00e9A"',
        ['"\\u0001\\n\\t\\\\\\""'] = '"\\u0001\\n\\t\\\\\\""',
        ['"a,b:{}[]"'] = '"a,b:{}[]"',
        ["-1.5e+10"] = "-1.5e+10",
        ['"\127"'] = '"\127"',
    }) do
        it("writes " .. given, function() assert.equal(kept, pretty.format(given)) end)
    end

    it("says the same as before to another reader", function()
        local text = '{"a":[1,2.5,"x\\"y",{"b":[[],{},[[]]]}],"ü":"\\u20ac","t":true}'
        assert.same(cjson.decode(text), cjson.decode(pretty.format(text)))
    end)

    it("finds a member of the outermost object only, however its name is written", function()
        local text = '{"x":{"context":1},"y":"context","c\\u006fntext" : {"env":{"A":"1"}} ,"z":2}'
        assert.same({ env = { A = "1" } }, json.decode(pretty.member(text, "context")))
        assert.equal('{"A":"1"}', pretty.member(pretty.member(text, "context"), "env"))
        assert.equal("2", pretty.member(text, "z"))
        assert.is_nil(pretty.member(text, "w"))
        assert.is_nil(pretty.member("{}", "w"))
    end)
end)
