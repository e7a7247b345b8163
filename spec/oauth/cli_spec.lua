local fake_oauth = require("spec.support.fake_oauth")

describe("oauth.cli", function()
    local host, cli, artifact

    before_each(function()
        host = fake_oauth.install()
        cli, artifact = require("oauth.cli"), require("oauth.artifact")
    end)

    local function fails(words, pattern)
        local ok, message = cli.run(words)
        assert.is_falsy(ok)
        assert.matches(pattern, message)
    end

    it("says how it is used, and is no failure where nothing was asked", function()
        local ok, usage = cli.run({})
        assert.is_true(ok)
        for _, name in ipairs({ "secret", "generate", "list", "revoke" }) do assert.matches("token " .. name, usage) end
        assert.is_false((cli.run({ "nonsense" })))
    end)

    it("makes a secret of 32 bytes, another each time", function()
        local ok, one = cli.run({ "secret" })
        local _, other = cli.run({ "secret" })
        assert.same({ true, 43 }, { ok, #one })
        assert.not_equal(one, other)
    end)

    it("makes a token for a script that can be revoked alone", function()
        local ok, token = cli.run({ "generate", "nightly", "10", "https://mcp.example" })
        assert.is_true(ok)
        local claims = artifact.read("access", token)
        assert.same({ "https://mcp.example", "mcp", 1796000000 + 864000 }, { claims.h, claims.s, claims.e })
        local grant = host.grants.list()[1]
        assert.same({ claims.f, "nightly" }, { grant.id, grant.name })
        assert.is_true((cli.run({ "revoke", claims.f })))
        assert.is_true(host.grants.is_revoked(claims.f, claims.b))
    end)

    it("makes it for 90 days and the server's own address, unless told otherwise", function()
        local claims = artifact.read("access", select(2, cli.run({ "generate", "x" })))
        assert.same({ "http://127.0.0.1:8000", 1796000000 + 90 * 86400 }, { claims.h, claims.e })
        assert.is_true((cli.run({ "generate", "x", "3650" })))
        host.settings.public_url = "https://mcp.example"
        assert.equal("https://mcp.example", artifact.read("access", select(2, cli.run({ "generate", "x" }))).h)
    end)

    it("refuses what it cannot make, and writes nothing down", function()
        fails({ "generate" }, "^generate: expected a name")
        for _, days in ipairs({ "0", "3651", "x", "-1" }) do fails({ "generate", "x", days }, "^generate: DAYS: ") end
        host.crypto.subkey = function() return nil, "no secret", "ENOKEY" end
        fails({ "generate", "x" }, "SANDSTORM_MCP_TOKEN")
        assert.same({}, host.grants.list())
    end)

    it("takes no word that it does not know", function()
        local many = { { "secret", "x" }, { "list", "x" }, { "revoke", "a", "x" }, { "generate", "a", "1", "b", "x" } }
        for _, words in ipairs(many) do fails(words, '^%l+: one word too many: "x"') end
        fails({ "generate", "x", "1.5" }, "^generate: DAYS: ")
        for _, url in ipairs({ "mcp.example", "ftp://mcp.example", "https://mcp.example/mcp", "https://mcp.example?x" }) do
            fails({ "generate", "x", "1", url }, "^generate: URL: ")
        end
        assert.same({}, host.grants.list())
    end)

    it("gives no token that could not be revoked", function()
        host.grants.broken = "grants: Permission denied"
        fails({ "generate", "x" }, "Permission denied.*could not be revoked")
    end)

    it("lists who has access, the oldest first, and what became of it", function()
        assert.same({ true, "No grants." }, { cli.run({ "list" }) })
        local function add(id, start_ms, finish)
            host.grants.add({ id = id, name = "App", where = "a.example", start_ms = start_ms, finish = finish })
        end
        add("never\xFF", 1795600000000, 0)
        add("second", 1795000000000, 1797000000)
        add("first", 1790000000000, 1791000000)
        add("third", 1795500000000, 1797000000)
        host.grants.revoke("third")
        host.grants.list()[2].used = 1795900000
        local ok, text = cli.run({ "list" })
        local lines = {}
        for line in text:gmatch("[^\n]+") do lines[#lines + 1] = line end
        assert.same({ true, 5 }, { ok, #lines })
        assert.matches("^first .* never +expired$", lines[2])
        assert.matches("^second .* 2026%-11%-18 11:06  2026%-11%-28 21:06  .*2026%-12%-11 14:40$", lines[3])
        assert.matches("^third .* revoked$", lines[4])
        assert.matches("^never\xFF .* never$", lines[5])
    end)

    it("revokes what there is, by its id, or everything", function()
        fails({ "revoke" }, "^revoke: expected an id")
        fails({ "revoke", "nobody" }, "no grant")
        host.grants.add({ id = "abc", name = "App", where = "", start_ms = 1, finish = 0 })
        fails({ "revoke", "ab" }, 'no grant "ab"; did you mean abc %(App%)%?')
        fails({ "revoke", "bc" }, "see `sandstorm%-mcp token list`$")
        fails({ "revoke", "" }, "see `sandstorm%-mcp token list`$")
        assert.is_false(host.grants.is_revoked("abc", 1))
        assert.same({ true, "Revoked: App" }, { cli.run({ "revoke", "abc" }) })
        assert.same({ true, "Was revoked before: App" }, { cli.run({ "revoke", "abc" }) })
        assert.is_true((cli.run({ "revoke", "all" })))
        assert.is_true(host.grants.is_revoked("other", host.now))
        assert.is_false(host.grants.is_revoked("other", host.now + 1))
    end)

    it("says why it does not know who has access", function()
        host.grants.list = function() return nil, "/state/grants: Permission denied", "EACCES" end
        fails({ "list" }, "^/state/grants: Permission denied$")
        fails({ "revoke", "abc" }, "^/state/grants: Permission denied$")
    end)

    it("does not say revoked where that could not be written down", function()
        host.grants.add({ id = "abc", name = "App", where = "", start_ms = 1, finish = 0 })
        host.grants.broken = "grants: Permission denied"
        fails({ "revoke", "abc" }, "Permission denied")
        fails({ "revoke", "all" }, "Permission denied")
    end)
end)
