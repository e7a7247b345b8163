local fake_oauth = require("spec.support.fake_oauth")
local json = require("json")

describe("oauth.clients", function()
    local host, clients

    before_each(function()
        host = fake_oauth.install()
        clients = require("oauth.clients")
    end)

    it("reads a registered client out of its id", function()
        local id = fake_oauth.client("client_secret_basic", "http://localhost:7777/cb")
        local client = assert(clients.find(id))
        assert.same({ id, "registered", "App", "client_secret_basic" }, { client.id, client.kind, client.name, client.method })
        assert.is_true(client.allows("http://localhost/cb"))
        assert.is_false(client.allows("http://localhost/other"))
        assert.is_false(client.allows("https://evil.example/"))
    end)

    it("does not know an id that somebody changed", function()
        local id = fake_oauth.client()
        local client, why = clients.find(id:sub(1, -2) .. (id:sub(-1) == "A" and "B" or "A"))
        assert.is_nil(client)
        assert.matches("not registered here", why)
    end)

    it("takes a document at the client's own address, and says why it cannot be used", function()
        local id = "https://app.example/client.json"
        local answer = { status = 200, cache_control = "", content_type = "application/json", body = json.encode({
            client_id = id, client_name = "Documented", redirect_uris = { "https://app.example/cb" } }) }
        host.fetch.get = function() return answer end
        local client = assert(clients.find(id))
        assert.same({ "document", "Documented", "none" }, { client.kind, client.name, client.method })
        assert.is_true(client.allows("https://app.example/cb"))
        assert.is_false(client.allows("https://app.example/cb2"))
        host.fetch.get = function() return nil, "no such host" end
        assert.matches("https://app.example/other.json could not be used: no such host.",
            select(2, clients.find("https://app.example/other.json")), 1, true)
    end)

    it("takes the addresses of a well-known document with any of its segments", function()
        local client = assert(clients.find("https://chatgpt.com/oauth/abc/client.json"))
        assert.is_true(client.allows("https://chatgpt.com/connector/oauth/xyz-1"))
        assert.is_false(client.allows("https://chatgpt.com/connector/oauth/x/y"))
    end)

    it("believes a name as far as who vouches for it: the server, the client's own host, or nobody", function()
        local id = "https://app.example/client.json"
        host.fetch.get = function()
            return { status = 200, cache_control = "", content_type = "application/json", body = json.encode({ client_id = id,
                client_name = "App", redirect_uris = { "https://app.example/cb", "http://localhost/cb" } }) }
        end
        local described = clients.find(id)
        assert.same({ "described", "claimed" },
            { described.trust("https://app.example/cb"), described.trust("http://localhost/cb") })
        assert.equal("known", clients.find("https://claude.ai/oauth/claude-code-client-metadata").trust("http://localhost/cb"))
        assert.equal("claimed", clients.find(fake_oauth.client()).trust(fake_oauth.REDIRECT))
        assert.equal("claimed", clients.find(("o"):rep(43)).trust("https://claude.ai/api/mcp/auth_callback"))
    end)

    describe("ids of v0.1.0", function()
        local OLD = ("o"):rep(43)

        it("stand for clients of known vendors and of this computer, and for nobody else", function()
            local client = assert(clients.find(OLD))
            assert.same({ "old", "none" }, { client.kind, client.method })
            for _, address in ipairs({ "http://127.0.0.1/cb", "http://localhost/", "https://claude.ai/api/mcp/auth_callback",
                "https://claude.com/api/mcp/auth_callback", "https://chatgpt.com/connector_platform_oauth_redirect",
                "https://chatgpt.com/connector/oauth/a1", "https://vscode.dev/redirect", "https://insiders.vscode.dev/redirect",
                "https://www.cursor.com/agents/mcp/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback" }) do
                assert.is_true(client.allows(address), address)
            end
            for _, address in ipairs({ "https://evil.example/", "https://claude.ai.evil.example/api/mcp/auth_callback",
                "https://chatgpt.com/connector/oauth/", "javascript:x", "" }) do
                assert.is_falsy(client.allows(address), address)
            end
        end)

        it("have one form, and can be switched off", function()
            for _, id in ipairs({ ("o"):rep(42), ("o"):rep(44), ("o"):rep(42) .. "+", "" }) do
                assert.is_nil(clients.find(id), id)
            end
            host.settings.old_clients = "off"
            assert.is_nil(clients.find(OLD))
        end)
    end)
end)
