--- What real clients send, request by request as it was recorded, and what has broken them elsewhere. Names of rows: A2.n is
--- the n-th thing that breaks clients, B n the n-th fault that operators met.
local cjson = require("cjson")
local oauth = require("spec.support.oauth")

local RESOURCE = "/.well-known/oauth-protected-resource"
local SERVER = "/.well-known/oauth-authorization-server"
local OPENID = "/.well-known/openid-configuration"
local JSON = "application/json"

local INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},' ..
    '"clientInfo":{"name":"spec","version":"1"}}}'
local DISCOVER = '{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{' ..
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},' ..
    '"io.modelcontextprotocol/clientCapabilities":{}}}}'
local DISCOVER_HEADERS = { ["MCP-Protocol-Version"] = "2026-07-28", ["Mcp-Method"] = "server/discover",
    Accept = "application/json, text/event-stream", ["Accept-Encoding"] = "identity", ["User-Agent"] = "claude-code/2.1.332" }

describe("OAuth client", function()
    local s, app, origin, H

    setup(function()
        s = oauth.start()
        app, origin = oauth.new(s), ("http://127.0.0.1:%d"):format(s.port)
        H = origin .. "/mcp"
    end)
    teardown(function() s:stop() end)

    local function with(headers, more)
        local all = {}
        for name, value in pairs(headers or {}) do all[name] = value end
        for name, value in pairs(more or {}) do all[name] = value end
        return all
    end

    local function post_mcp(body, headers, token)
        return app:request("POST", "/mcp", body, with(headers, { ["Content-Type"] = JSON, Authorization = token and "Bearer " ..
            token }))
    end

    local function path_of(address)
        assert.equal(origin, address:sub(1, #origin), address)
        return address:sub(#origin + 1)
    end

    --- Reads a challenge as the SDKs do - scheme with one blank, unanchored parameters - and follows it.
    local function follow(response)
        assert.equal(401, response.status)
        local challenge = response.headers["www-authenticate"]
        assert.matches("^Bearer [^ ]", challenge)
        assert.equal("mcp", challenge:match('scope="([^"]*)"'))
        local resource = app:get(path_of(challenge:match('resource_metadata="([^"]*)"')), { ["MCP-Protocol-Version"] =
            "2025-06-18" })
        assert.equal(200, resource.status)
        local issuer = resource.json.authorization_servers[1]
        local server = app:get(path_of(issuer) .. SERVER, { ["MCP-Protocol-Version"] = "2025-06-18" })
        assert.equal(issuer, server.json.issuer) -- byte for byte
        return resource.json, server.json
    end

    --- Registers with exactly this metadata, at the address that the document names.
    local function register(server, metadata)
        local response = app:request("POST", path_of(server.registration_endpoint), cjson.encode(metadata), {
            ["Content-Type"] = JSON })
        assert.equal(201, response.status, response.body)
        return response.json
    end

    --- The person's part: from the address of the browser to the address of the callback, as a table of parameters.
    local function browse(server, fields)
        local all = with({ response_type = "code", code_challenge = oauth.CHALLENGE, code_challenge_method = "S256",
            state = "client-state" }, fields)
        local page = app:get(path_of(server.authorization_endpoint) .. "?" .. oauth.form(all))
        assert.equal(200, page.status, page.body)
        local answer = app:decide(oauth.blob(page), nil, { Origin = origin, ["Sec-Fetch-Site"] = "same-origin" })
        assert.is_true(answer.status == 302 or answer.status == 303, answer.body) -- B02
        local location = answer.headers.location
        assert.equal(fields.redirect_uri, location:sub(1, #fields.redirect_uri))
        local told = oauth.query(location)
        assert.same({ "client-state", server.issuer }, { told.state, told.iss }) -- C06
        return told
    end

    local function exchange(server, fields, headers)
        return app:post(path_of(server.token_endpoint), with({ grant_type = "authorization_code",
            code_verifier = oauth.VERIFIER }, fields), headers)
    end

    local function refresh(server, fields, headers)
        return app:post(path_of(server.token_endpoint), with({ grant_type = "refresh_token" }, fields), headers)
    end

    --- A client's whole way; answers the tokens.
    local function sign_in(server, client, redirect, more, headers)
        local asked = with({ client_id = client.client_id, redirect_uri = redirect }, more)
        local told = browse(server, asked)
        local response = exchange(server, { code = told.code, client_id = client.client_id, redirect_uri = redirect,
            client_secret = client.client_secret, resource = asked.resource }, headers)
        assert.equal(200, response.status, response.body)
        return response.json
    end

    --- What every client does with its token: a call at once (C10).
    local function works(tokens, headers)
        local response = post_mcp(INITIALIZE, headers, tokens.access_token)
        assert.equal(200, response.status, response.body)
        assert.equal(200, post_mcp('{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
            with(headers, { ["MCP-Protocol-Version"] = "2025-06-18",
                ["Mcp-Session-Id"] = response.headers["mcp-session-id"] }), tokens.access_token).status)
    end

    it("Claude Code 2.1.332: by its document, refreshes with another resource, signs out, C05 C06 C10 C13", function()
        local resource, server = follow(post_mcp(DISCOVER, DISCOVER_HEADERS))
        assert.is_true(server.client_id_metadata_document_supported)
        -- The login does not touch /mcp: the document must lie at the well-known path of the resource.
        assert.same(resource, app:get(RESOURCE .. "/mcp").json)
        local id, redirect = "https://claude.ai/oauth/claude-code-client-metadata", "http://localhost:51789/callback"
        local tokens = sign_in(server, { client_id = id }, redirect, { scope = "mcp offline_access", prompt = "consent",
            resource = origin .. "/" }, { ["User-Agent"] = "Bun/1.2" })
        assert.equal("mcp offline_access", tokens.scope)
        assert.is_true(tokens.expires_in > 300) -- C13: else it would refresh before every request
        assert.equal(200, post_mcp(DISCOVER, DISCOVER_HEADERS, tokens.access_token).status)
        works(tokens, { ["User-Agent"] = "claude-code/2.1.332" })
        assert.equal(405, app:get("/mcp", { Authorization = "Bearer " .. tokens.access_token, Accept = JSON }).status)
        local newer = refresh(server, { client_id = id, refresh_token = tokens.refresh_token, resource = H })
        assert.equal(200, newer.status)
        for _, token in ipairs({ newer.json.refresh_token, newer.json.access_token }) do
            assert.equal(200, app:post(path_of(server.revocation_endpoint), { token = token, client_id = id }).status)
        end
        assert.equal(401, post_mcp(INITIALIZE, nil, newer.json.access_token).status)
    end)

    it("Claude Code 2.1.332 where the server reads no documents: registers, B09", function()
        local server = app:get(SERVER).json
        local redirect = "http://localhost:49152/callback"
        local client = register(server, { client_name = "Claude Code (sandstorm)", redirect_uris = { redirect },
            grant_types = { "authorization_code", "refresh_token" }, response_types = { "code" },
            token_endpoint_auth_method = "none", application_type = "native", scope = "mcp offline_access" })
        works(sign_in(server, client, redirect, { resource = H, scope = "mcp offline_access" }))
        works(sign_in(server, client, "http://localhost:3118/callback", { resource = H })) -- B09: its next port
    end)

    it("claude.ai, Desktop connectors and mobile: by the document, from two addresses, B02 B05 B10 B16 B24", function()
        local cloud = { ["User-Agent"] = "python-httpx/0.28.1", ["X-Forwarded-For"] = "160.79.104.10" }
        local other = { ["User-Agent"] = "python-httpx/0.28.1", ["X-Forwarded-For"] = "160.79.106.35" }
        follow(app:get("/mcp", { ["User-Agent"] = "Claude-User" })) -- B05: sometimes the first request
        local _, server = follow(post_mcp(INITIALIZE, { ["User-Agent"] = "Claude-User" }))
        assert.is_true(server.client_id_metadata_document_supported)
        assert.equal("none", server.token_endpoint_auth_methods_supported[1]) -- B10: both, or it never chooses it
        assert.is_string(server.registration_endpoint)
        local id = "https://claude.ai/oauth/mcp-oauth-client-metadata"
        for _, redirect in ipairs({ "https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback" }) do
            local tokens = sign_in(server, { client_id = id }, redirect, { resource = H }, cloud)
            works(tokens, { ["User-Agent"] = "Claude-User" })
            local fields = { client_id = id, refresh_token = tokens.refresh_token, resource = H }
            local first, second = refresh(server, fields, cloud), refresh(server, fields, other)
            assert.same({ 200, 200 }, { first.status, second.status })
            works(first.json)
            works(second.json)
        end
    end)

    it("claude.ai by registration with a secret in the body, B07 B08; a dead id is told to register again, B22", function()
        local server = app:get(SERVER).json
        local redirect = "https://claude.ai/api/mcp/auth_callback"
        local client = register(server, { client_name = "Claude", redirect_uris = { redirect },
            grant_types = { "authorization_code", "refresh_token" }, response_types = { "code" },
            token_endpoint_auth_method = "client_secret_post", scope = "mcp" })
        assert.is_string(client.client_secret)
        local tokens = sign_in(server, client, redirect, { resource = H })
        works(tokens)
        local dead = refresh(server, { client_id = "dead-id", client_secret = "x", refresh_token = tokens.refresh_token })
        assert.same({ 401, "invalid_client" }, { dead.status, dead.json.error })
    end)

    it("ChatGPT and Codex: the document at the root, odd probes, a callback of each connector, B14", function()
        local resource = app:get(RESOURCE)
        assert.same({ 200, H }, { resource.status, resource.json.resource })
        local server = app:get(SERVER).json
        assert.same({ "S256" }, server.code_challenge_methods_supported)
        assert.equal(200, app:get(path_of(server.token_endpoint) .. OPENID).status)
        local agent = { ["User-Agent"] = "aiohttp" }
        for id, redirect in pairs({
            ["https://chatgpt.com/oauth/g-1/client.json"] = "https://chatgpt.com/connector/oauth/abcDEF123",
            ["https://chatgpt.com/oauth/g-2/client.json"] = "https://chatgpt.com/connector_platform_oauth_redirect",
            ["https://chatgpt.com/oauth/codex/client.json"] = "http://127.0.0.1:1455/callback/x1",
        }) do
            works(sign_in(server, { client_id = id }, redirect, { resource = resource.json.resource }, agent),
                { ["User-Agent"] = "openai-mcp" })
        end
        local client = register(server, { client_name = "ChatGPT", redirect_uris = {
            "https://chatgpt.com/connector/oauth/new-connector" }, token_endpoint_auth_method = "none" })
        works(sign_in(server, client, "https://chatgpt.com/connector/oauth/new-connector", { resource = H }, agent))
    end)

    it("VS Code: its own address as the resource, four callbacks, another port, registers anew at a 401, B13", function()
        local resource, server = follow(post_mcp(INITIALIZE, { ["User-Agent"] = "node" }))
        assert.equal(H, resource.resource) -- else it drops the document
        local wanted = { "https://insiders.vscode.dev/redirect", "https://vscode.dev/redirect", "http://127.0.0.1/",
            "http://127.0.0.1:33418/" }
        local function again()
            local client = register(server, { client_name = "Visual Studio Code", client_uri = "https://code.visualstudio.com",
                redirect_uris = wanted, grant_types = { "authorization_code", "refresh_token" }, response_types = { "code" },
                token_endpoint_auth_method = "none", application_type = "native" })
            assert.same(wanted, client.redirect_uris)
            assert.same({ "authorization_code", "refresh_token" }, client.grant_types)
            return client
        end
        for _, redirect in ipairs({ "https://vscode.dev/redirect", "http://127.0.0.1:33418/", "http://127.0.0.1:40123/" }) do
            works(sign_in(server, again(), redirect, { resource = H, scope = "mcp" }))
        end
        follow(post_mcp(INITIALIZE, nil, "a token that ended")) -- 401 and not another 4xx, which it takes for an old server
    end)

    it("Cursor: one registration with three addresses and an odd application_type, B12", function()
        local _, server = follow(post_mcp(INITIALIZE))
        local wanted = { "cursor://anysphere.cursor-mcp/oauth/callback", "https://www.cursor.com/agents/mcp/oauth/callback",
            "http://localhost:8787/callback" }
        for _, kind in ipairs({ "web", false }) do
            local client = register(server, { client_name = "Cursor", redirect_uris = wanted, application_type = kind or nil,
                token_endpoint_auth_method = "none" })
            for _, redirect in ipairs(wanted) do works(sign_in(server, client, redirect, { resource = H })) end
        end
    end)

    it("mcp-remote 0.15.1: begins with GET, registers with software_id, two initializes, refreshes with a scope", function()
        local both = { Accept = "application/json, text/event-stream" }
        local resource, server = follow(app:get("/mcp", both))
        follow(app:get("/mcp", both))
        follow(post_mcp(INITIALIZE, both))
        assert.same({ "mcp" }, resource.scopes_supported) -- else it asks for `openid email profile`
        local redirect = "http://localhost:13335/oauth/callback"
        local client = register(server, { client_name = "MCP CLI Proxy", redirect_uris = { redirect },
            grant_types = { "authorization_code", "refresh_token" }, response_types = { "code" }, application_type = "native",
            token_endpoint_auth_method = "none", client_uri = "https://github.com/modelcontextprotocol/mcp-cli",
            software_id = "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d", software_version = "0.15.1" })
        local tokens = sign_in(server, client, redirect, { resource = H, scope = "mcp" })
        assert.is_true(tokens.expires_in > 60) -- C13
        works(tokens, { ["Mcp-Method"] = "initialize" })
        works(tokens)
        local newer = refresh(server, { client_id = client.client_id, refresh_token = tokens.refresh_token, scope = "mcp" })
        assert.same({ 200, "mcp" }, { newer.status, newer.json.scope })
    end)

    it("Inspector 2.12.0: an empty scope comes back as none", function()
        local _, server = follow(post_mcp(INITIALIZE))
        for _, redirect in ipairs({ "http://127.0.0.1:6276/oauth/callback", "http://localhost:6274/oauth/callback" }) do
            local client = register(server, { client_name = "MCP Inspector", redirect_uris = { redirect }, scope = "",
                grant_types = { "authorization_code", "refresh_token" }, response_types = { "code" },
                token_endpoint_auth_method = "none", client_uri = "https://github.com/modelcontextprotocol/inspector" })
            assert.is_nil(client.scope)
            works(sign_in(server, client, redirect, { resource = H }))
        end
    end)

    it("the Inspector in a browser: a preflight before each request, every answer may be read", function()
        local page = { Origin = "http://localhost:6274" }
        for _, case in ipairs({ { RESOURCE .. "/mcp", "GET", "mcp-protocol-version" }, { SERVER, "GET", "mcp-protocol-version" },
            { "/oauth/register", "POST", "content-type" }, { "/oauth/token", "POST", "content-type" },
            { "/mcp", "POST", "authorization,content-type,mcp-protocol-version,mcp-session-id" } }) do
            local response = app:request("OPTIONS", case[1], nil, with(page, { ["Access-Control-Request-Method"] = case[2],
                ["Access-Control-Request-Headers"] = case[3] }))
            assert.same({ 204, case[3] }, { response.status, response.headers["access-control-allow-headers"] })
            local body = case[2] == "POST" and "{}" or nil
            local asked = app:request(case[2], case[1], body, with(page, { ["Content-Type"] = JSON }))
            assert.is_string(asked.headers["access-control-allow-origin"], case[1])
            assert.matches("WWW%-Authenticate", asked.headers["access-control-expose-headers"])
        end
    end)

    it("the SDKs take the method of the answer: basic, not encoded, and the discovery again before the exchange", function()
        local _, server = follow(post_mcp(INITIALIZE))
        local client = register(server, { client_name = "sdk", redirect_uris = { "http://localhost:8090/callback" },
            token_endpoint_auth_method = "client_secret_basic" })
        local redirect = "http://localhost:8090/callback"
        local told = browse(server, { client_id = client.client_id, redirect_uri = redirect, resource = H })
        follow(post_mcp(INITIALIZE))
        local basic = app:mint('return require("crypto").base64(args[1])', 0, client.client_id .. ":" .. client.client_secret)
        local response = exchange(server, { code = told.code, redirect_uri = redirect, resource = H },
            { Authorization = "Basic " .. basic })
        assert.equal(200, response.status, response.body)
        works(response.json)
    end)

    it("LibreChat: HEAD, then POST", function()
        local connection = s:connect()
        local response = connection:request({ method = "HEAD", path = "/mcp", host = "127.0.0.1:" .. s.port })
        connection:close()
        follow(response)
        follow(post_mcp(INITIALIZE))
    end)

    it("scripts: the secret as a bearer in any case, no Accept, and token requests in JSON", function()
        for _, scheme in ipairs({ "Bearer", "bearer", "BEARER" }) do
            local response = app:request("POST", "/mcp", '{"jsonrpc":"2.0","id":1,"method":"ping"}', { ["Content-Type"] = JSON,
                Authorization = scheme .. " " .. s.token, Accept = false, ["User-Agent"] = "curl/8.0" })
            assert.equal(200, response.status)
        end
        local id = app:client()
        local body = cjson.encode({ grant_type = "authorization_code", code = app:code(id), client_id = id,
            redirect_uri = oauth.REDIRECT, code_verifier = oauth.VERIFIER })
        works(app:post("/oauth/token", body, { ["Content-Type"] = JSON }).json)
    end)

    it("C01 C02 C03 challenges are read by careless readers: nothing in them looks like another parameter", function()
        for _, response in ipairs({ app:ping(), app:ping("x"), app:ping(app:access(nil, -3700000)), app:get("/mcp/", {}) }) do
            local challenge = response.headers["www-authenticate"]
            assert.not_matches('scope=""', challenge)
            assert.matches("^Bearer %l", challenge)
            for _, name in ipairs({ "scope", "error", "error_description", "resource_metadata" }) do
                local _, count = challenge:gsub("%f[%w_]" .. name .. "=", "")
                assert.is_true(count <= 1, challenge)
            end
        end
    end)

    it("C04 B20 the resource is named as it was typed, with slash or without, and neither is redirected", function()
        for _, path in ipairs({ "/mcp", "/mcp/" }) do
            local response = app:request("POST", path, INITIALIZE, { ["Content-Type"] = JSON })
            assert.equal(origin .. path, (follow(response)).resource)
        end
    end)

    it("C07 clients that found no resource document send no resource", function()
        local tokens, id = app:sign_in({ resource = false })
        works(tokens)
        works(app:refresh(id, tokens.refresh_token).json)
    end)

    it("C08 B04 clients that found nothing use the names at the root", function()
        local server = { issuer = origin, registration_endpoint = origin .. "/register",
            authorization_endpoint = origin .. "/authorize", token_endpoint = origin .. "/token" }
        local client = register(server, { client_name = "lost", redirect_uris = { "http://localhost:1/callback" } })
        works(sign_in(server, client, "http://localhost:2/callback"))
    end)

    it("C09 a refresh that cannot be is invalid_grant or 401 invalid_client, never what ends a client for good", function()
        local tokens, id = app:sign_in()
        app:post("/oauth/revoke", { token = tokens.refresh_token })
        for _, response in ipairs({ app:refresh(id, tokens.refresh_token), app:refresh(id, "x"), app:refresh(id, "") }) do
            assert.same({ 400, "invalid_grant" }, { response.status, response.json.error })
        end
        local unknown = app:refresh("gone", tokens.refresh_token)
        assert.same({ 401, "invalid_client" }, { unknown.status, unknown.json.error })
    end)

    it("C11 C12 documents hold all that their schemas ask for, and no null or empty member", function()
        local openid = app:get(OPENID).json
        for _, name in ipairs({ "jwks_uri", "subject_types_supported", "id_token_signing_alg_values_supported" }) do
            assert.is_truthy(openid[name], name)
        end
        local client = app:register({ client_name = cjson.null, client_uri = "", scope = cjson.null, logo_uri = cjson.null })
        for _, body in ipairs({ app:get(OPENID).body, app:get(RESOURCE).body, client.body, cjson.encode((app:sign_in())) }) do
            assert.not_matches("null", body)
            assert.not_matches('""', body)
        end
        assert.same({ oauth.REDIRECT }, client.json.redirect_uris)
    end)

    it("C14 verifiers with ~ and . come encoded; ids and secrets need no encoding", function()
        local verifier = ("aB3~.-_"):rep(8)
        local challenge = app:mint('local c = require("crypto") return c.base64url(c.sha256(args[1]))', 0, verifier)
        local id = app:client()
        local body = ("grant_type=authorization_code&code=%s&client_id=%s&redirect_uri=%s&code_verifier=%s"):format(
            app:code(id, { code_challenge = challenge }), id, oauth.encode(oauth.REDIRECT), (verifier:gsub("~", "%%7E")))
        assert.equal(200, app:post("/oauth/token", body).status)
        local made = app:register({ token_endpoint_auth_method = "client_secret_basic" }).json
        assert.not_matches("[^%w._-]", made.client_id .. made.client_secret)
    end)

    it("B01 no form-action stands in the way of the redirect", function()
        local page = app:page(app:client())
        assert.not_matches("form%-action", page.headers["content-security-policy"] .. page.body)
    end)

    it("B03 B06 every 401 of /mcp names the document at the resource's path", function()
        for _, response in ipairs({ app:ping(), app:ping("x"), app:get("/mcp"), app:request("DELETE", "/mcp") }) do
            assert.matches('resource_metadata="' .. (origin .. RESOURCE):gsub("%p", "%%%0") .. '/mcp"',
                response.headers["www-authenticate"])
        end
    end)

    it("B11 a document that cannot be fetched is explained on a page", function()
        local page = app:page("https://127.0.0.1:1/client.json")
        assert.equal(400, page.status)
        assert.matches("could not be used", page.body)
    end)

    it("B15 a token counts however the resource was written, and for no other address", function()
        for _, resource in ipairs({ origin, origin .. "/", H, H .. "/" }) do
            local tokens = app:sign_in({ resource = resource })
            local bearer = tokens.access_token
            assert.same({ 200, 200 }, { app:ping(bearer).status, app:ping(bearer, nil, "/mcp/").status })
            assert.equal(401, app:ping(bearer, { Host = "other.example" }).status)
        end
    end)

    it("B17 a refresh token comes without offline_access, and access lasts for hours", function()
        local tokens = app:sign_in({ scope = "mcp" })
        assert.is_string(tokens.refresh_token)
        assert.is_true(tokens.expires_in >= 3600)
    end)

    it("B18 B19 one address everywhere, that of the public URL", function()
        local public = "https://mcp.example.com"
        local other = oauth.start({ env = { SANDSTORM_PUBLIC_URL = public } })
        local their = oauth.new(other)
        for _, path in ipairs({ SERVER, OPENID, RESOURCE .. "/mcp" }) do
            local body = their:get(path, { Host = "127.0.0.1:8080", ["X-Forwarded-Proto"] = "http" }).body
            assert.not_matches("http:", body)
            assert.not_matches("127%.0%.0%.1", body)
        end
        local location = their:decide(oauth.blob(their:page(their:client()))).headers.location
        assert.equal(public, oauth.query(location).iss)
        assert.equal(public, their:get(SERVER).json.issuer)
        other:stop()
    end)

    it("B21 no OAuth path answers with a redirect but the consent", function()
        for _, name in ipairs({ "register", "token", "revoke", "authorize" }) do
            for _, path in ipairs({ "/oauth/" .. name, "/oauth/" .. name .. "/", "/" .. name, "/" .. name .. "/" }) do
                local status = app:request("POST", path, "{}", { ["Content-Type"] = JSON }).status
                assert.is_true(status < 300 or status >= 400, path .. " " .. status)
            end
        end
    end)

    it("B23 many successes behind one address are no abuse", function()
        local from = { ["X-Forwarded-For"] = "160.79.104.99" }
        local tokens, id = app:sign_in()
        for _ = 1, 150 do
            local response = app:refresh(id, tokens.refresh_token, nil, from)
            assert.equal(200, response.status)
            tokens = response.json
        end
    end)

    it("B25 403 is for pages of foreign origin alone: neither tools nor limits answer with it", function()
        local missing = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"file_read","arguments":' ..
            '{"path":"/etc/x"}}}'
        assert.equal(200, post_mcp(missing, nil, s.token).status)
        assert.equal(403, post_mcp(missing, { Origin = "https://evil.example" }, s.token).status)
    end)

    it("B26 a bad request does not burn the code", function()
        local id = app:client()
        local code = app:code(id)
        assert.equal(400, app:exchange(id, code, { code_verifier = ("x"):rep(43) }).status)
        assert.equal(400, app:exchange(id, code, { redirect_uri = "https://other.example/" }).status)
        assert.equal(200, app:exchange(id, code).status)
    end)

    it("B27 what is not there is JSON", function()
        for _, path in ipairs({ "/.well-known/oauth-authorization-server/x", "/oauth/x", "/.well-known/jwks.json" }) do
            local response = app:get(path)
            assert.same({ 404, "application/json", "Not Found" }, { response.status, response.headers["content-type"],
                response.json.error })
        end
    end)
end)
