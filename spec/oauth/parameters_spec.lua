local fake_host = require("spec.support.fake_host")

describe("oauth.parameters", function()
    local parameters

    setup(function()
        fake_host.install()
        parameters = require("oauth.parameters")
    end)

    local function read(kind, body) return parameters.read(fake_host.request({ ["content-type"] = kind }, body)) end

    it("reads forms and JSON objects, whatever stands behind the type", function()
        assert.same({ a = "1", b = "x y" }, read("application/x-www-form-urlencoded", "a=1&b=x+y"))
        assert.same({ a = "1" }, read(" Application/JSON; charset=utf-8", '{"a":"1","b":null}'))
    end)

    for why, case in pairs({
        ["another type"] = { "text/plain", "a=1", "Content%-Type" },
        ["no type"] = { nil, "a=1", "Content%-Type" },
        ["a type that only begins so"] = { "application/jsonp", "{}", "Content%-Type" },
        ["a damaged form"] = { "application/x-www-form-urlencoded", "a=%", "percent" },
        ["a repeated name, without what could act in a log"] =
            { "application/x-www-form-urlencoded", "%0Aa=1&%0Aa=2", "^%?a: given more than once$" },
        ["what is no JSON"] = { "application/json", "{", "^no JSON: " },
        ["a list"] = { "application/json", "[]", "object" },
        ["null"] = { "application/json", "null", "object" },
        ["a number"] = { "application/json", '{"code":5}', "^code: expected a string$" },
    }) do
        it("refuses " .. why, function()
            local values, failure = read(case[1], case[2])
            assert.is_nil(values)
            assert.same({ "invalid_request", 400 }, { failure.error, failure.status })
            assert.matches(case[3], failure.description)
        end)
    end
end)
