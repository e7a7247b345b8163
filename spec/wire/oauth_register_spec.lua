local cjson = require("cjson")
local oauth = require("spec.support.oauth")

describe("Client registration", function()
    local s, app

    setup(function()
        s = oauth.start()
        app = oauth.new(s)
    end)
    teardown(function() s:stop() end)

    local function refused(response, code, name)
        assert.equal(400, response.status, name)
        assert.equal(code, response.json.error, name)
        assert.is_string(response.json.error_description)
        assert.equal("no-store", response.headers["cache-control"])
    end

    local function raw(body)
        return app:request("POST", "/oauth/register", body, { ["Content-Type"] = "application/json" })
    end

    it("A23 what is no object is invalid_client_metadata, never a failure of the server", function()
        for _, body in ipairs({ "", "{", "[]", "null", "1", '"x"', "true", "[[]]", "a=b", "\xFF", '{"a":1,"a":2}' }) do
            refused(raw(body), "invalid_client_metadata", body)
        end
        assert.equal(413, raw('{"x":"' .. ("y"):rep(65536) .. '"}').status)
    end)

    it("A23 redirect_uris must be a list of 1 to 10 texts of at most 2 KB", function()
        for _, value in ipairs({ "[]", "null", '""', '"https://a.example/"', "{}", "1", "[1]", "[null]", "[[]]", "[{}]",
            '[""]' }) do
            refused(raw(('{"redirect_uris":%s}'):format(value)), "invalid_redirect_uri", value)
        end
        refused(raw("{}"), "invalid_redirect_uri")
        local ten = {}
        for number = 1, 10 do ten[number] = "https://a.example/" .. number end
        assert.equal(201, app:register({ redirect_uris = ten }).status)
        ten[11] = "https://a.example/11"
        refused(app:register({ redirect_uris = ten }), "invalid_redirect_uri")
        local long = "https://a.example/" .. ("x"):rep(2030)
        assert.equal(201, app:register({ redirect_uris = { long } }).status)
        refused(app:register({ redirect_uris = { long .. "x" } }), "invalid_redirect_uri")
    end)

    it("A23 members of a wrong type are refused or do not matter, and never a 5xx", function()
        for _, name in ipairs({ "client_name", "scope", "grant_types", "response_types", "token_endpoint_auth_method",
            "application_type", "client_uri", "contacts", "software_id", "jwks" }) do
            for _, value in ipairs({ "1", "1.5", "true", "null", "[]", "{}", "[1]", '[null]', '""', '"x"', '["x"]' }) do
                local body = ('{"redirect_uris":["https://a.example/"],"%s":%s}'):format(name, value)
                local status = raw(body).status
                assert.is_true(status == 201 or status == 400, body)
            end
        end
        refused(raw('{"redirect_uris":["https://a.example/"],"client_name":1}'), "invalid_client_metadata")
    end)

    it("A24 https anywhere, http on loopback, schemes of apps", function()
        for _, address in ipairs({
            "https://claude.ai/api/mcp/auth_callback", "https://a.example:8443/x?y=z", "https://[2001:db8::1]/cb",
                "https://a.example",
            "http://localhost/callback", "http://localhost:4711/callback", "http://127.0.0.1/", "http://127.0.0.1:33418/",
            "http://[::1]:5000/cb", "cursor://anysphere.cursor-mcp/oauth/callback", "com.example.app:/oauth", "vscode://x.y/z",
            "claude://callback",
        }) do
            local response = app:register({ redirect_uris = { address }, application_type = "nonsense" })
            assert.equal(201, response.status, address)
            assert.same({ address }, response.json.redirect_uris)
        end
        for _, address in ipairs({
            "http://a.example/", "http://localhost.evil.example/", "http://127.0.0.2/", "http://127.1/", "http://[::2]/", "http:",
            "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
                "blob:https://a/x",
            "about:blank", "view-source:https://a.example/", "ws://a.example/", "wss://a.example/", "filesystem:x", "mailto:a@b",
            "https://a.example/#x", "https://u@a.example/", "https://u:p@a.example/", "cursor://u@x/y", "https://a.example/ x",
            "https://a.example/\n", "https://a.example/\0", "https:\\\\a.example\\", "https://a.example\\@b.example/",
                "relative", "/x",
            "//a.example/x", "https://", "https:///x", "https:a.example", "", " https://a.example/", "https://*.example.com/cb",
            "https://a.example/a,https://b.example/b", "https://a.example:99999/", "https://a.example/\xC3\xBC",
                "https://é.example/",
            "https://[::1", "https://a.example/<b>", 'https://a.example/"',
        }) do
            refused(app:register({ redirect_uris = { address } }), "invalid_redirect_uri", address)
            refused(app:register({ redirect_uris = { "https://a.example/", address } }), "invalid_redirect_uri", address)
        end
    end)

    it("A25 echoes what was registered, and gives a secret when asked", function()
        local both = { "http://localhost:1234/cb", "https://a.example/cb" }
        local response = app:register({
            client_name = "Näme", redirect_uris = both, grant_types = { "refresh_token", "authorization_code", "password" },
            response_types = { "code", "token" }, scope = "openid mcp", token_endpoint_auth_method = "none",
                application_type = "native",
        })
        local client = response.json
        assert.equal(201, response.status)
        assert.equal("no-store", response.headers["cache-control"])
        assert.equal("*", response.headers["access-control-allow-origin"])
        assert.is_true(math.abs(client.client_id_issued_at - os.time()) < 60)
        client.client_id_issued_at, client.client_id = nil, nil
        assert.same({
            client_name = "Näme", redirect_uris = both, grant_types = { "authorization_code", "refresh_token" },
            response_types = { "code" }, scope = "openid mcp", token_endpoint_auth_method = "none",
        }, client)
        for asked, got in pairs({ client_secret_post = "client_secret_post", client_secret_basic = "client_secret_basic",
            private_key_jwt = "none", none = "none" }) do
            local answer = app:register({ token_endpoint_auth_method = asked }).json
            assert.equal(got, answer.token_endpoint_auth_method)
            assert.equal(got ~= "none", answer.client_secret ~= nil)
            assert.equal(got ~= "none" and 0 or nil, answer.client_secret_expires_at)
        end
        local unnamed = app:register({ client_name = cjson.null }).json
        assert.same({ "unknown", "none" }, { unnamed.client_name, unnamed.token_endpoint_auth_method })
        assert.equal(100, #app:register({ client_name = ("n"):rep(500) }).json.client_name)
    end)

    it("A26 ids say all about themselves, are short and made of plain characters", function()
        local ten = {}
        for number = 1, 10 do ten[number] = ("https://a%d.example/%s"):format(number, ("x"):rep(1500)) end
        for _, changes in ipairs({
            { redirect_uris = ten, client_name = ("日本"):rep(200) }, { client_name = ('"\\\1'):rep(30),
                redirect_uris = ten }, {},
        }) do
            changes.token_endpoint_auth_method = "client_secret_basic"
            local client = app:register(changes).json
            assert.is_true(#client.client_id <= 1024, #client.client_id)
            assert.not_matches("[^%w._-]", client.client_id)
            assert.not_matches("[^%w._-]", client.client_secret)
        end
        local id = app:client({ redirect_uris = { "http://localhost:1234/cb" } })
        assert.equal(200, app:page(id, { redirect_uri = "http://localhost:9999/cb" }).status)
    end)

    it("A27 ids of v0.1.0 sign in at well-known clients and loopback, with a warning; their token calls register anew", function()
        local id = "8cYDm5f7gl86BM0bFPt1CEoo12RU7J2_H3eXfCnfd0w"
        for _, redirect in ipairs({ "https://claude.ai/api/mcp/auth_callback", "http://localhost:7777/x", "http://127.0.0.1/",
            "https://chatgpt.com/connector/oauth/abc123", "cursor://anysphere.cursor-mcp/oauth/callback" }) do
            local page = app:page(id, { redirect_uri = redirect })
            assert.equal(200, page.status, redirect)
            assert.matches("An old registration", page.body)
        end
        for _, redirect in ipairs({ "https://evil.example/", "https://claude.ai.evil.example/", "https://claude.ai/other",
            "evil://x/y" }) do
            assert.equal(400, app:page(id, { redirect_uri = redirect }).status, redirect)
        end
        local loopback = { redirect_uri = "http://localhost:7777/x" }
        local code = app:code(id, loopback)
        local tokens = app:exchange(id, code, loopback)
        assert.equal(200, tokens.status)
        assert.equal(200, app:refresh(id, tokens.json.refresh_token).status)
        for _, response in ipairs({ app:exchange(id, "x"), app:refresh(id, "x"), app:exchange("unknown", "x"),
            app:exchange(("A"):rep(43), "x") }) do
            assert.same({ 401, "invalid_client" }, { response.status, response.json.error })
        end
        local other = oauth.start({ env = { SANDSTORM_OLD_CLIENTS = "off" } })
        assert.equal(400, oauth.new(other):page(id, { redirect_uri = "https://claude.ai/api/mcp/auth_callback" }).status)
        other:stop()
    end)
end)
