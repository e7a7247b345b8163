local fake_oauth = require("spec.support.fake_oauth")

describe("oauth.client_auth", function()
    local client_auth, crypto

    setup(function()
        fake_oauth.install()
        client_auth, crypto = require("oauth.client_auth"), require("crypto")
    end)

    local function basic(text) return "Basic " .. crypto.base64(text) end

    --- The id of who calls, or the error and its status.
    local function identify(values, header)
        local client, failure = client_auth.identify(fake_oauth.post({}, { authorization = header }), values)
        if client then return client.id end
        return failure.error, failure.status, failure.headers
    end

    it("knows a public client by its id alone", function()
        local id = fake_oauth.client()
        assert.equal(id, identify({ client_id = id }))
    end)

    for _, method in ipairs({ "client_secret_post", "client_secret_basic" }) do
        it("wants the secret of a client with " .. method .. ", in the form or in the header", function()
            local id, secret = fake_oauth.client(method)
            assert.equal(id, identify({ client_id = id, client_secret = secret }))
            assert.equal(id, identify({}, basic(id .. ":" .. secret)))
            assert.equal(id, identify({ client_id = id }, basic(id .. ":" .. secret)))
            for _, wrong in ipairs({ "", "x", secret .. "x", secret:sub(1, -2) }) do
                assert.same({ "invalid_client", 401 }, { identify({ client_id = id, client_secret = wrong }) })
                local code, status, headers = identify({}, basic(id .. ":" .. wrong))
                assert.same({ "invalid_client", 401, 'Basic realm="sandstorm"' }, { code, status, headers["WWW-Authenticate"] })
            end
            assert.same({ "invalid_client", 401 }, { identify({ client_id = id }) })
        end)
    end

    it("does not take the secret of another client", function()
        local id = fake_oauth.client("client_secret_post")
        local _, secret = fake_oauth.client("client_secret_post", "https://other.example/cb")
        assert.equal("invalid_client", identify({ client_id = id, client_secret = secret }))
    end)

    it("reads a header whose parts are form-encoded, as RFC 6749 wants it", function()
        local id, secret = fake_oauth.client("client_secret_basic")
        local function every_byte(text) return (text:gsub(".", function(c) return ("%%%02X"):format(c:byte()) end)) end
        assert.equal(id, identify({}, basic(every_byte(id) .. ":" .. every_byte(secret))))
    end)

    it("does not guess which of two ways is meant", function()
        local id, secret = fake_oauth.client("client_secret_basic")
        local header = basic(id .. ":" .. secret)
        assert.same({ "invalid_request", 400 }, { identify({ client_secret = secret }, header) })
        assert.same({ "invalid_request", 400 }, { identify({ client_id = fake_oauth.client() }, header) })
    end)

    it("refuses other headers as no credentials", function()
        local id = fake_oauth.client()
        for _, header in ipairs({ "Bearer x", "Basic", "Basic !!!", basic("no colon"), "Basic a b" }) do
            local code, status, headers = identify({ client_id = id }, header)
            assert.same({ "invalid_client", 401 }, { code, status }, header)
            assert.equal('Basic realm="sandstorm"', headers["WWW-Authenticate"])
        end
    end)

    it("names a missing client, and sends an unknown one to register", function()
        assert.same({ "invalid_request", 400 }, { identify({}) })
        assert.same({ "invalid_request", 400 }, { identify({ client_id = "" }) })
        assert.same({ "invalid_client", 401 }, { identify({ client_id = "nobody" }) })
    end)
end)
