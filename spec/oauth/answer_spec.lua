local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("oauth.answer", function()
    local answer

    setup(function()
        fake_host.install()
        answer = require("oauth.answer")
    end)

    it("may not be kept by anybody on the way", function()
        local status, body, headers = answer.json(200, { b = 1, a = 2 }, { ["Retry-After"] = "3" })
        assert.same({ 200, '{"a":2,"b":1}' }, { status, body })
        assert.same({ ["Cache-Control"] = "no-store", Pragma = "no-cache", ["Retry-After"] = "3" }, headers)
    end)

    it("does not carry the headers of one answer into the next", function()
        answer.json(200, {}, { ["Retry-After"] = "3" })
        assert.is_nil(select(3, answer.json(200, {}))["Retry-After"])
    end)

    it("says an error as RFC 6749 does, 400 unless told otherwise", function()
        local status, body = answer.refuse(answer.failure("invalid_request", "x is missing"))
        assert.same({ 400, { error = "invalid_request", error_description = "x is missing" } }, { status, json.decode(body) })
    end)

    it("says it with another status and headers where they are given", function()
        local failure = answer.failure("invalid_client", "who?", 401, { ["WWW-Authenticate"] = "Basic" })
        local status, _, headers = answer.refuse(failure)
        assert.same({ 401, "Basic" }, { status, headers["WWW-Authenticate"] })
    end)
end)
