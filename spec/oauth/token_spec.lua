local fake_oauth = require("spec.support.fake_oauth")
local json = require("json")

describe("oauth.token", function()
    local host, token, family, grants, id

    before_each(function()
        host = fake_oauth.install()
        token, family, grants = require("oauth.token"), require("oauth.family"), require("grants")
        id = fake_oauth.client()
    end)

    --- Posts to the endpoint: the status and the members of the answer.
    local function post(fields, change)
        local request = fake_oauth.post(fields)
        if change then change(request) end
        local status, body, headers = token.handle(request)
        return status, json.decode(body), headers
    end

    local function exchange(changes, claims)
        local fields = { grant_type = "authorization_code", code = fake_oauth.code(id, claims), client_id = id,
            redirect_uri = fake_oauth.REDIRECT, code_verifier = fake_oauth.VERIFIER }
        for name, value in pairs(changes or {}) do fields[name] = value or nil end
        return post(fields)
    end

    local function refresh(refresh_token, changes)
        local fields = { grant_type = "refresh_token", refresh_token = refresh_token, client_id = id }
        for name, value in pairs(changes or {}) do fields[name] = value end
        return post(fields)
    end

    it("gives tokens for a code", function()
        local status, tokens = exchange()
        assert.same({ 200, "Bearer", 3600, "mcp" }, { status, tokens.token_type, tokens.expires_in, tokens.scope })
        local of = assert(family.of_refresh_token(tokens.refresh_token))
        local grant = grants.list()[1]
        assert.same({ of.id, "App", "app.example" }, { grant.id, grant.name, grant.where })
        assert.equal(1796864000, of.finish)
    end)

    for why, case in pairs({
        ["something else than a code"] = { { code = "x" } },
        ["no code"] = { { code = false } },
        ["a code of another client"] = { {}, { c = "another" } },
        ["a code of another server"] = { {}, { h = "https://other.example" } },
        ["a code that has expired"] = { {}, { e = 1796000000 } },
        ["another redirect_uri"] = { { redirect_uri = "https://app.example/cb2" } },
        ["no redirect_uri"] = { { redirect_uri = false } },
        ["another verifier"] = { { code_verifier = ("w"):rep(43) } },
        ["no verifier"] = { { code_verifier = false } },
        ["a resource that is not this server"] = { { resource = "https://other.example/mcp" }, nil, "invalid_target" },
    }) do
        it("gives nothing for " .. why .. ", and leaves a code usable", function()
            local status, failure = exchange(case[1], case[2])
            assert.same({ 400, case[3] or "invalid_grant" }, { status, failure.error })
            assert.same({}, grants.list())
        end)
    end

    it("takes a verifier of 43 to 128 unreserved characters, even where another one would fit", function()
        local crypto = require("crypto")
        for verifier, status in pairs({
            [("v"):rep(43)] = 200, [("~"):rep(128)] = 200, [("v"):rep(42)] = 400, [("v"):rep(129)] = 400,
            [("v"):rep(43) .. "+"] = 400,
        }) do
            local claims = { q = crypto.base64url(crypto.sha256(verifier)) }
            assert.equal(status, (exchange({ code_verifier = verifier }, claims)), verifier)
        end
    end)

    it("takes a code once; who repeats it ends what the first got", function()
        local code = fake_oauth.code(id)
        local _, tokens = exchange({ code = code })
        local status, failure = exchange({ code = code })
        assert.same({ 400, "invalid_grant" }, { status, failure.error })
        assert.is_nil(family.of_refresh_token(tokens.refresh_token))
    end)

    it("a failed exchange of somebody else does not use up a code", function()
        local code = fake_oauth.code(id)
        exchange({ code = code, code_verifier = ("w"):rep(43) })
        assert.equal(200, (exchange({ code = code })))
    end)

    it("refreshes into the next generation", function()
        local _, first = exchange()
        local status, second = refresh(first.refresh_token)
        assert.equal(200, status)
        assert.equal(2, select(2, family.of_refresh_token(second.refresh_token)))
    end)

    it("ends the family when an old refresh token comes back", function()
        local _, first = exchange()
        local _, second = refresh(first.refresh_token)
        local _, third = refresh(second.refresh_token)
        assert.equal(200, (refresh(third.refresh_token)))
        local status, failure = refresh(first.refresh_token)
        assert.same({ 400, "invalid_grant" }, { status, failure.error })
        assert.equal(400, (refresh(third.refresh_token)))
        assert.is_true(grants.list()[1].revoked)
    end)

    it("refreshes for the same client, server and resource only", function()
        local _, tokens = exchange()
        local other = fake_oauth.client(nil, "https://other.example/cb")
        assert.equal("invalid_grant", select(2, refresh(tokens.refresh_token, { client_id = other })).error)
        assert.equal("invalid_target", select(2, refresh(tokens.refresh_token, { resource = "https://other.example" })).error)
        assert.equal("invalid_grant", select(2, refresh(tokens.access_token)).error)
        local fields = { grant_type = "refresh_token", refresh_token = tokens.refresh_token, client_id = id }
        local _, failure = post(fields, function(request) request.origin = "https://other.example" end)
        assert.equal("invalid_grant", failure.error)
        assert.equal(200, (refresh(tokens.refresh_token)))
    end)

    it("gives less where less is asked, and never more than was granted", function()
        local _, tokens = exchange({}, { s = "mcp offline_access" })
        for asked, given in pairs({ ["mcp"] = "mcp", ["mcp admin"] = "mcp", ["admin"] = "mcp offline_access",
            [" offline_access  mcp "] = "mcp offline_access" }) do
            assert.equal(given, select(2, refresh(tokens.refresh_token, { scope = asked })).scope)
        end
    end)

    it("sends a client of v0.1.0 without a grant to register anew", function()
        local status, failure = refresh("x", { client_id = ("o"):rep(43) })
        assert.same({ 401, "invalid_client" }, { status, failure.error })
    end)

    it("refuses other grants, and requests that do not say where they arrived", function()
        assert.equal("invalid_request", select(2, post({ client_id = id })).error)
        assert.equal("invalid_request", select(2, post({ client_id = id, grant_type = "" })).error)
        assert.equal("unsupported_grant_type", select(2, post({ client_id = id, grant_type = "password" })).error)
        local fields = { grant_type = "refresh_token", refresh_token = "x", client_id = id }
        assert.equal("invalid_request", select(2, post(fields, function(request) request.origin = nil end)).error)
    end)

    it("notes who signed in, what was refused, and what only a thief or somebody robbed can do", function()
        local function noted() return { host.lines[#host.lines].level, host.lines[#host.lines].message } end
        local code = fake_oauth.code(id)
        exchange({ code = code })
        assert.same({ "info", "signed in" }, noted())
        local function noted_refusal(message)
            local line = host.lines[#host.lines - 1]
            assert.same({ "info", "token refused" }, noted())
            assert.same({ "warning", message }, { line.level, line.message })
        end
        exchange({ code = code })
        noted_refusal("code used twice")
        local _, tokens = exchange()
        local _, newer = refresh(tokens.refresh_token)
        refresh(newer.refresh_token)
        host.now = host.now + 700000 -- an answer may have got lost, and then the token comes again
        refresh(tokens.refresh_token)
        noted_refusal("old refresh token came back, grant revoked")
    end)

    it("says where grants cannot be written down, and gives tokens", function()
        grants.broken = "/state/grants: No space left on device"
        assert.equal(200, (exchange()))
        local line = host.lines[#host.lines - 1]
        assert.equal("warning", line.level)
        assert.matches("No space left on device", line.message)
    end)

    it("tells who fails without end to wait, and logs no token", function()
        for _ = 1, 120 do assert.equal(400, (refresh("secret-of-somebody"))) end
        local status, failure, headers = refresh("secret-of-somebody")
        assert.same({ 429, "too_many_requests", "60" }, { status, failure.error, headers["Retry-After"] })
        assert.equal(200, (exchange()))
        assert.is_nil(json.encode(host.lines):find("secret-of-somebody", 1, true))
    end)
end)
