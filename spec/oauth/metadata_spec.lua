local fake_host = require("spec.support.fake_host")
local fake_oauth = require("spec.support.fake_oauth")
local json = require("json")

local UNKNOWN = "X-Forwarded-Proto, X-Forwarded-Host: expected http or https, and a host, once"

describe("oauth.metadata", function()
    local host, documents

    before_each(function()
        host = fake_oauth.install()
        documents = require("oauth.metadata").documents()
    end)

    local function read(path, origin)
        local request = fake_host.request({}, "")
        request.origin = origin or fake_oauth.ORIGIN
        local status, body, headers = documents[path](request)
        assert.equal(200, status)
        return json.decode(body), headers
    end

    it("names the resource that was asked for, with its slash or without", function()
        for path, resource in pairs({
            ["/.well-known/oauth-protected-resource"] = "/mcp", ["/.well-known/oauth-protected-resource/mcp"] = "/mcp",
            ["/.well-known/oauth-protected-resource/mcp/"] = "/mcp/",
        }) do
            local document = read(path, "https://a.example")
            assert.same({ "https://a.example" .. resource, { "https://a.example" } },
                { document.resource, document.authorization_servers })
        end
    end)

    it("is what a challenge leads to, as the resource was asked for", function()
        local metadata = require("oauth.metadata")
        for path, of in pairs({ ["/mcp"] = "/mcp", ["/mcp/"] = "/mcp/", ["/mcp/x"] = "/mcp" }) do
            local document, scope = metadata.challenge(path)
            assert.same({ "https://a.example" .. of, "mcp" }, { read(document, "https://a.example").resource, scope })
        end
    end)

    it("promises the endpoints that there are, and nothing that is not", function()
        local document = read("/.well-known/oauth-authorization-server")
        local paths = {}
        for _, route in ipairs(require("oauth.routes").all()) do paths[fake_oauth.ORIGIN .. route.path] = true end
        for _, name in ipairs({ "authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint" }) do
            assert.is_true(paths[document[name]], name)
        end
        assert.equal(fake_oauth.ORIGIN, document.issuer)
        assert.same({ "S256" }, document.code_challenge_methods_supported)
        assert.is_true(document.authorization_response_iss_parameter_supported)
    end)

    it("says whether documents of clients are read", function()
        for mode, read_at_all in pairs({ on = true, table = true, off = false }) do
            host.settings.cimd = mode
            assert.equal(read_at_all, read("/.well-known/oauth-authorization-server").client_id_metadata_document_supported)
        end
    end)

    it("is the same as OpenID discovery, with the members that its schema wants", function()
        local plain, openid = read("/.well-known/oauth-authorization-server"), read("/.well-known/openid-configuration")
        for name, value in pairs(plain) do assert.same(value, openid[name]) end
        assert.same({ fake_oauth.ORIGIN .. "/oauth/jwks", { "public" }, { "RS256" } },
            { openid.jwks_uri, openid.subject_types_supported, openid.id_token_signing_alg_values_supported })
        assert.same({ keys = {} }, read("/oauth/jwks"))
    end)

    it("can be kept for five minutes", function()
        assert.matches("max%-age=300", select(2, read("/.well-known/oauth-authorization-server"))["Cache-Control"])
    end)

    it("is for everybody only where its addresses do not come from the request", function()
        local path = "/.well-known/oauth-authorization-server"
        assert.matches("^private", select(2, read(path))["Cache-Control"])
        host.settings.public_url = "https://mcp.example"
        assert.matches("^public", select(2, read(path))["Cache-Control"])
    end)

    it("names no address where the request names none", function()
        for path, handle in pairs(documents) do
            local status, body = handle(fake_host.request({}, ""))
            assert.same({ 400, UNKNOWN }, { status, json.decode(body).error }, path)
        end
    end)
end)
