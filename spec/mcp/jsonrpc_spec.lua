local json = require("json")
local jsonrpc = require("mcp.jsonrpc")

local function classify(text) return jsonrpc.classify(assert(json.decode(text))) end

local function code_of(text)
    local kind, failure = classify(text)
    assert.is_nil(kind)
    return failure.code
end

describe("jsonrpc.classify", function()
    it("tells requests, notifications and answers apart", function()
        assert.equal("request", classify('{"jsonrpc":"2.0","id":1,"method":"ping"}'))
        assert.equal("request", classify('{"jsonrpc":"2.0","id":"","method":"ping","params":{}}'))
        assert.equal("request", classify('{"jsonrpc":"2.0","id":0,"method":"ping","params":null}'))
        assert.equal("notification", classify('{"jsonrpc":"2.0","method":"notifications/initialized"}'))
        assert.equal("response", classify('{"jsonrpc":"2.0","id":7,"result":{}}'))
        assert.equal("response", classify('{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}'))
    end)

    for _, id in ipairs({ "1.5", "1.0", "null", "true", "{}", "[]" }) do
        it("refuses the id " .. id .. ", which could not be answered to", function()
            assert.equal(-32600, code_of('{"jsonrpc":"2.0","id":' .. id .. ',"method":"ping"}'))
        end)
    end

    for name, text in pairs({
        ["J08 an empty array"] = "[]", ["J08 an array of requests"] = '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
        ["a number"] = "5", ["null"] = "null", ["a string"] = '"ping"', ["an object without anything"] = "{}",
        ["another version"] = '{"jsonrpc":"1.0","id":3,"method":"ping"}', ["no version"] = '{"id":3,"method":"ping"}',
        ["a method that is no string"] = '{"jsonrpc":"2.0","id":3,"method":5}', ["no method"] = '{"jsonrpc":"2.0","id":3}',
        ["an answer without id"] = '{"jsonrpc":"2.0","result":{}}',
    }) do
        it("refuses " .. name .. " as an invalid request", function() assert.equal(-32600, code_of(text)) end)
    end

    it("refuses params that are an array", function()
        assert.equal(-32602, code_of('{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}'))
    end)
end)

describe("jsonrpc answers", function()
    it("repeat the id with its type", function()
        assert.equal('{"jsonrpc":"2.0","id":9007199254740993,"result":{}}', jsonrpc.result(9007199254740993, "{}"))
        assert.equal('{"jsonrpc":"2.0","id":"1","result":{}}', jsonrpc.result("1", "{}"))
    end)

    it("find the id even in a message that is no request", function()
        assert.equal(3, jsonrpc.id_of({ id = 3 }))
        assert.is_nil(jsonrpc.id_of({ id = 3.0 }))
        assert.is_nil(jsonrpc.id_of({ id = json.null }))
        assert.is_nil(jsonrpc.id_of("text"))
        assert.is_nil(jsonrpc.id_of(nil))
    end)

    it("wait for no answer unless they are requests", function()
        assert.equal(1, jsonrpc.request_id({ id = 1, method = "ping" }))
        for _, message in ipairs({ { id = 1, result = {} }, { method = "ping" }, { id = 1.5, method = "ping" }, 5 }) do
            assert.is_nil(jsonrpc.request_id(message))
        end
    end)

    it("want no answer when they are notifications, right or wrong", function()
        assert.is_true(jsonrpc.is_notification({ jsonrpc = "2.0", method = "x", params = json.array({}) }))
        assert.is_true(jsonrpc.is_notification({ method = "x" }))
        for _, message in ipairs({ { id = 1, method = "x" }, { id = json.null, method = "x" }, { method = 5 }, {}, 5 }) do
            assert.is_false(jsonrpc.is_notification(message))
        end
    end)

    it("have an id of null, or none, when there is nothing to repeat", function()
        local failure = jsonrpc.failure(-32700, "Parse error")
        assert.equal(json.null, json.decode(jsonrpc.error(json.null, failure)).id)
        assert.is_nil(json.decode(jsonrpc.error(nil, failure)).id)
    end)
end)
