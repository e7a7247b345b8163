local fake_oauth = require("spec.support.fake_oauth")
local json = require("json")

describe("oauth.revoke", function()
    local host, revoke, family, grants, tokens, of

    before_each(function()
        host = fake_oauth.install()
        revoke, family, grants = require("oauth.revoke"), require("oauth.family"), require("grants")
        of = family.begin({ origin = fake_oauth.ORIGIN, name = "App", where = "app.example", client = "c", scope = "mcp",
            seconds = 1000 })
        tokens = family.tokens(of, 1)
    end)

    local function post(fields)
        local status, body = revoke.handle(fake_oauth.post(fields))
        return status, json.decode(body)
    end

    for _, name in ipairs({ "access_token", "refresh_token" }) do
        it("ends the family of an " .. name, function()
            assert.same({ 200, {} }, { post({ token = tokens[name] }) })
            assert.is_true(grants.is_revoked(of.id, of.start))
            local line = host.lines[#host.lines]
            assert.same({ "signed out", of.id }, { line.message, line.fields.grant })
        end)
    end

    it("says that a client has to try again where the end could not be written down", function()
        grants.broken = "grants: No space left on device"
        local status, body, headers = revoke.handle(fake_oauth.post({ token = tokens.refresh_token }))
        assert.same({ 503, "temporarily_unavailable", "10" },
            { status, json.decode(body).error, headers["Retry-After"] })
        assert.is_true(grants.is_revoked(of.id, of.start))
        grants.broken = nil
        assert.same({ 200, {} }, { post({ token = tokens.refresh_token }) })
    end)

    it("answers the same for what is no token of this server, and ends nothing", function()
        local changed = tokens.access_token:sub(1, -2) .. (tokens.access_token:sub(-1) == "A" and "B" or "A")
        for _, text in ipairs({ "x", "a.b", changed }) do
            assert.same({ 200, {} }, { post({ token = text }) }, text)
        end
        assert.is_false(grants.is_revoked(of.id, of.start))
        assert.equal(1, #grants.list())
    end)

    it("ends a token of v0.1.0 by a name of its own, until it would have ended itself", function()
        local crypto, artifact = require("crypto"), require("oauth.artifact")
        local payload = json.encode({ t = 1796000000000 })
        local token = crypto.base64url(crypto.secret_hmac(payload)) .. "." .. crypto.base64url(payload)
        post({ token = token:gsub("^.", { A = "B" }) .. "x" })
        assert.equal(1, #grants.list())
        post({ token = token })
        local grant = grants.list()[2]
        assert.same({ "old-" .. artifact.fingerprint(token), 1796000000 + 30 * 86400, true },
            { grant.id, grant.finish, grant.revoked })
    end)

    it("wants a token", function()
        for _, fields in ipairs({ {}, { token = "" } }) do
            local status, body = post(fields)
            assert.same({ 400, "invalid_request" }, { status, body.error })
        end
        assert.equal(400, (post("token=%")))
    end)
end)
