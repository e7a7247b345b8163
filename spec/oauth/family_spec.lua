local fake_oauth = require("spec.support.fake_oauth")

describe("oauth.family", function()
    local host, family, artifact, grants

    before_each(function()
        host = fake_oauth.install()
        family, artifact, grants = require("oauth.family"), require("oauth.artifact"), require("grants")
    end)

    local function begin(changes)
        local from = { origin = fake_oauth.ORIGIN, name = "App", where = "app.example", client = "fingerprint", scope = "mcp",
            seconds = 864000 }
        for name, value in pairs(changes or {}) do from[name] = value end
        return family.begin(from)
    end

    it("has ids that operators can type, no two alike", function()
        local one, other = family.id(), family.id()
        assert.matches("^%x+$", one)
        assert.equal(16, #one)
        assert.not_equal(one, other)
    end)

    it("begins in the list of grants, and ends for good when it was told to", function()
        local of = begin({ id = "abc" })
        assert.same({ "abc", host.now, 1796864000 }, { of.id, of.start, of.finish })
        local grant = grants.list()[1]
        assert.same({ "abc", "App", "app.example", host.now, 1796864000 },
            { grant.id, grant.name, grant.where, grant.start_ms, grant.finish })
    end)

    it("gives tokens that say whose they are", function()
        local of = begin({ scope = "mcp offline_access" })
        local tokens = family.tokens(of, 7)
        assert.same({ "Bearer", 3600, "mcp offline_access" }, { tokens.token_type, tokens.expires_in, tokens.scope })
        local claims = artifact.read("access", tokens.access_token)
        assert.same({ of.id, of.start, fake_oauth.ORIGIN, 1796003600 }, { claims.f, claims.b, claims.h, claims.e })
        local read, generation = family.of_refresh_token(tokens.refresh_token)
        assert.same(of, read)
        assert.equal(7, generation)
    end)

    it("gives no token that outlives the family", function()
        local of = begin({ seconds = 100 })
        local tokens = family.tokens(of, 1)
        assert.equal(100, tokens.expires_in)
        assert.equal(of.finish, artifact.read("access", tokens.access_token).e)
        assert.equal(of.finish, artifact.read("refresh", tokens.refresh_token).e)
        assert.equal(of.finish, artifact.read("access", family.access(of, 5000)).e)
    end)

    it("knows no refresh token that is an access token, has expired, or was revoked", function()
        local of = begin()
        local tokens = family.tokens(of, 1)
        assert.is_nil(family.of_refresh_token(tokens.access_token))
        assert.is_nil(family.of_refresh_token(""))
        host.now = host.now + 86400000
        assert.is_nil(family.of_refresh_token(tokens.refresh_token))
        host.now = host.now - 1
        assert.is_truthy(family.of_refresh_token(tokens.refresh_token))
        family.revoke(of.id, of.finish)
        assert.is_nil(family.of_refresh_token(tokens.refresh_token))
    end)

    it("ends with all that began before a time", function()
        local tokens = family.tokens(begin(), 1)
        grants.revoke_all(host.now)
        assert.is_nil(family.of_refresh_token(tokens.refresh_token))
    end)

    it("begins behind a time up to which all was ended, also where the clock was ahead then", function()
        host.clock_is_ahead = 3600000
        grants.revoke_all(require("clock").now_ms())
        host.clock_is_ahead = 0
        local of = begin()
        assert.is_truthy(family.of_refresh_token(family.tokens(of, 1).refresh_token))
    end)

    it("A48 the generation before is good for ten minutes after the new one was used first, then it ends the family", function()
        local of, seen = begin(), {}
        local function use(generation, ms_later)
            host.now = host.now + (ms_later or 0)
            seen[#seen + 1] = family.use(of, generation)
        end
        use(1)
        use(1, 3600000) -- nobody used the second yet
        use(2)
        use(1, 599999)
        use(2) -- used first before
        use(1, 1)
        use(0)
        use(2)
        use(3)
        assert.same({ true, true, true, true, true, false, false, true, true }, seen)
        host.clock_is_ahead = -3600000 -- set back
        use(4)
        use(3, 599999)
        use(3, 1)
        assert.same({ true, true, false }, { table.unpack(seen, 10) })
    end)

    it("notes each use that is allowed, and none that is not", function()
        local of = begin()
        assert.is_true(family.use(of, 5))
        assert.is_false(family.use(of, 3))
        assert.equal(1, grants.list()[1].used)
    end)

    it("is revoked even where the list cannot be written, which is logged", function()
        local of = begin()
        grants.broken = "grants: No space left on device"
        family.revoke(of.id, of.finish)
        assert.is_true(grants.is_revoked(of.id, of.start))
        assert.equal("grants: No space left on device", host.lines[#host.lines].message)
    end)
end)
