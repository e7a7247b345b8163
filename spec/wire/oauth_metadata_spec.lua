local cjson = require("cjson")
local oauth = require("spec.support.oauth")
local program = require("spec.support.program")

local RESOURCE = "/.well-known/oauth-protected-resource"
local SERVER = "/.well-known/oauth-authorization-server"
local OPENID = "/.well-known/openid-configuration"

describe("OAuth metadata", function()
    local s, app, origin

    setup(function()
        s = oauth.start()
        app, origin = oauth.new(s), ("http://127.0.0.1:%d"):format(s.port)
    end)
    teardown(function() s:stop() end)

    it("A10 issuer, authorization_servers[1] and iss are one string without a slash at its end", function()
        assert.equal(origin, app:get(SERVER).json.issuer)
        assert.same({ origin }, app:get(RESOURCE).json.authorization_servers)
        local location = app:decide(oauth.blob(app:page(app:client()))).headers.location
        assert.equal(origin, oauth.query(location).iss)
    end)

    it("A11 A12 the resource document names what it is asked for, with slash or without", function()
        for path, resource in pairs({
            [RESOURCE] = "/mcp", [RESOURCE .. "/"] = "/mcp", [RESOURCE .. "/mcp"] = "/mcp", [RESOURCE .. "/mcp/"] = "/mcp/",
        }) do
            assert.same({
                resource = origin .. resource, authorization_servers = { origin }, bearer_methods_supported = { "header" },
                scopes_supported = { "mcp" }, resource_name = "Sandstorm",
            }, app:get(path).json, path)
        end
    end)

    it("A11 the challenge leads to the document of the path that was called", function()
        for path, suffix in pairs({ ["/mcp"] = "/mcp", ["/mcp/"] = "/mcp/", ["/mcp/x"] = "/mcp" }) do
            local challenge = app:ping(nil, nil, path).headers["www-authenticate"]
            local document = challenge:match('resource_metadata="' .. origin:gsub("%p", "%%%0") .. '([^"]*)"')
            assert.equal(RESOURCE .. suffix, document)
            assert.equal(200, app:get(document).status)
        end
    end)

    it("A13 the server document is whole at each of its addresses", function()
        local wanted = {
            issuer = origin, authorization_endpoint = origin .. "/oauth/authorize", token_endpoint = origin .. "/oauth/token",
            registration_endpoint = origin .. "/oauth/register", revocation_endpoint = origin .. "/oauth/revoke",
            response_types_supported = { "code" }, response_modes_supported = { "query" },
            grant_types_supported = { "authorization_code", "refresh_token" },
            token_endpoint_auth_methods_supported = { "none", "client_secret_post", "client_secret_basic" },
            revocation_endpoint_auth_methods_supported = { "none", "client_secret_post", "client_secret_basic" },
            code_challenge_methods_supported = { "S256" }, scopes_supported = { "mcp", "offline_access" },
            authorization_response_iss_parameter_supported = true, client_id_metadata_document_supported = true,
        }
        for _, path in ipairs({ SERVER, SERVER .. "/", SERVER .. "/mcp", SERVER .. "/mcp/", "/mcp" .. SERVER }) do
            assert.same(wanted, app:get(path).json, path)
        end
    end)

    it("A14 OpenID discovery is a superset of it with all that its schema asks for", function()
        local plain = app:get(SERVER).json
        for _, path in ipairs({ OPENID, OPENID .. "/mcp", "/mcp" .. OPENID, "/oauth/token" .. OPENID, "/token" .. OPENID }) do
            local document = app:get(path).json
            for name, value in pairs(plain) do assert.same(value, document[name], path .. " " .. name) end
            assert.same({ "public" }, document.subject_types_supported)
            assert.same({ "RS256" }, document.id_token_signing_alg_values_supported)
            local keys = app:get(document.jwks_uri:sub(#origin + 1))
            assert.equal('{"keys":[]}', keys.body)
        end
    end)

    it("A15 no document has a null, an empty text or a number with a fraction", function()
        local function check(value, where)
            assert.not_equal(cjson.null, value, where)
            assert.not_equal("", value, where)
            if type(value) == "number" then assert.equal(value, math.floor(value), where) end
            for name, member in pairs(type(value) == "table" and value or {}) do check(member, where .. "." .. name) end
        end
        for _, path in ipairs({ SERVER, RESOURCE, OPENID }) do check(app:get(path).json, path) end
        check(app:register({ client_name = "", scope = "", client_uri = "" }).json, "registration")
        check((app:sign_in()), "tokens")
    end)

    it("A16 GET and HEAD without auth, any Accept, any query, readable by every page, kept for minutes", function()
        for _, path in ipairs({ SERVER, RESOURCE .. "/mcp", OPENID }) do
            local plain = app:get(path)
            local odd = app:get(path .. "?x=1&y", { Accept = "image/png", Origin = "https://any.example" })
            local head = s:connect():request({ method = "HEAD", path = path, host = "127.0.0.1:" .. s.port })
            assert.same({ 200, 200, 200 }, { plain.status, odd.status, head.status })
            assert.equal(plain.body, odd.body)
            assert.equal(plain.headers["content-length"], head.headers["content-length"])
            for _, response in ipairs({ plain, odd, head }) do
                assert.equal("application/json", response.headers["content-type"])
                assert.equal("*", response.headers["access-control-allow-origin"])
                -- Its addresses come from the request: a shared cache would give them to others.
                assert.equal("private, max-age=300", response.headers["cache-control"])
            end
            assert.equal(405, app:request("POST", path, "{}").status)
        end
    end)

    it("A60 unknown OAuth paths are JSON 404s, and nothing is redirected", function()
        for _, path in ipairs({ "/oauth/introspect", "/oauth", "/.well-known/x", SERVER .. "/other", "/oauth/token/x",
            "/nowhere" }) do
            local response = app:get(path)
            assert.equal(404, response.status, path)
            assert.equal("Not Found", response.json.error)
        end
        for _, path in ipairs({ "/oauth/register", "/oauth/register/", "/register", "/register/" }) do
            assert.equal(201, app:register(nil, path).status, path)
        end
        for _, path in ipairs({ "/oauth/token", "/oauth/token/", "/token", "/token/" }) do
            local response = app:post(path, { grant_type = "password" })
            assert.same({ 400, "unsupported_grant_type" }, { response.status, response.json.error }, path)
        end
        for _, path in ipairs({ "/oauth/authorize", "/oauth/authorize/", "/authorize", "/authorize/" }) do
            local response = app:get(path)
            assert.same({ 400, "text/html; charset=utf-8" }, { response.status, response.headers["content-type"] }, path)
        end
        for _, path in ipairs({ "/oauth/revoke", "/oauth/revoke/", "/revoke", "/revoke/" }) do
            assert.equal(200, app:post(path, { token = "x" }).status, path)
        end
    end)

    it("A09 without a public URL the address is what a trusted peer forwards, else Host; what is no address is 400", function()
        local function issuer(headers)
            local response = app:get(SERVER, headers)
            return response.status == 200 and response.json.issuer or response.status
        end
        assert.equal("http://mcp.example.com:8443", issuer({ Host = "mcp.example.com:8443" }))
        assert.equal("https://mcp.example.com", issuer({ Host = "mcp.example.com", ["X-Forwarded-Proto"] = "https" }))
        assert.equal("https://out.example", issuer({ Host = "in", ["X-Forwarded-Proto"] = "https",
            ["X-Forwarded-Host"] = "out.example" }))
        assert.equal("http://h", issuer({ Host = "h", Forwarded = "proto=https;host=evil.example" }))
        for _, headers in ipairs({
            { ["X-Forwarded-Host"] = "a.example, b.example" }, { ["X-Forwarded-Host"] = "a b" }, { ["X-Forwarded-Host"] = "x@y" },
            { ["X-Forwarded-Proto"] = "https, http" }, { ["X-Forwarded-Proto"] = "javascript" }, { ["X-Forwarded-Host"] = "a/b" },
        }) do
            assert.equal(400, issuer(headers), cjson.encode(headers))
            assert.equal(400, app:ping(nil, headers).status)
            assert.equal(400, app:page("x", nil, headers).status)
            assert.equal(400, app:post("/oauth/token", { grant_type = "x" }, headers).status)
        end
    end)
end)

describe("The public URL", function()
    it("A09 is the only source of addresses, and what is forwarded does not matter", function()
        local s = oauth.start({ env = { SANDSTORM_PUBLIC_URL = "https://mcp.example.com", SANDSTORM_CIMD = "off" } })
        local app = oauth.new(s)
        local headers = { Host = "evil.example", ["X-Forwarded-Proto"] = "http", ["X-Forwarded-Host"] = "evil.example",
            Forwarded = "host=evil.example" }
        local document = app:get(SERVER, headers).json
        assert.equal("public, max-age=300", app:get(SERVER, headers).headers["cache-control"])
        local resource = app:get(RESOURCE, headers).json
        local challenge = app:ping(nil, headers).headers["www-authenticate"]
        s:stop()
        assert.equal("https://mcp.example.com", document.issuer)
        assert.equal("https://mcp.example.com/oauth/token", document.token_endpoint)
        assert.equal("https://mcp.example.com/mcp", resource.resource)
        assert.not_matches("evil", challenge .. cjson.encode(document) .. cjson.encode(resource))
        assert.is_false(document.client_id_metadata_document_supported) -- A13 follows the setting
    end)

    it("A09 must be https, or http on loopback, without anything behind the host", function()
        for _, url in ipairs({ "https://a.example/", "https://a.example/mcp", "https://a.example?x", "https://a.example#x",
            "http://a.example", "ftp://a.example", "a.example", "https://u@a.example", "https://" }) do
            local run = program.run({ args = { "serve" }, env = {
                SANDSTORM_MCP_TOKEN = "spec-token-0123456789", SANDSTORM_PUBLIC_URL = url, SANDSTORM_MCP_PORT = "0" } })
            assert.equal(1, run.code, url)
            assert.matches("SANDSTORM_PUBLIC_URL: expected https", run.stderr)
        end
        local s = oauth.start({ env = { SANDSTORM_PUBLIC_URL = "http://localhost:8080" } })
        assert.equal("http://localhost:8080", oauth.new(s):get(SERVER).json.issuer)
        s:stop()
    end)
end)
