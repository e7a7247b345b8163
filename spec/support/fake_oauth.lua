--- What the specs of lib/oauth need of an authorization server: its settings, clients, requests and tokens. The modules
--- are the real ones, on the stand-ins of fake_host.
local fake_host = require("spec.support.fake_host")

local fake_oauth = {}

fake_oauth.ORIGIN = "https://mcp.example"
fake_oauth.REDIRECT = "https://app.example/cb"
fake_oauth.VERIFIER = ("v"):rep(43)

--- @return table as fake_host.install gives it
function fake_oauth.install()
    local host = fake_host.install()
    host.now = 1796000000000
    local settings = { access_ttl = 3600, refresh_ttl = 86400, grant_ttl = 864000, cimd = "on", old_clients = "on",
        public_url = "", port = 8000 }
    for name, value in pairs(settings) do host.settings[name] = value end
    return host
end

--- A request that posts `fields` (a table, or bytes) as a form.
function fake_oauth.post(fields, headers)
    local body = fields
    if type(fields) == "table" then
        local list = {}
        for name, value in pairs(fields) do list[#list + 1] = { name, value } end
        body = require("oauth.form").write(list)
    end
    local all = { ["content-type"] = "application/x-www-form-urlencoded" }
    for name, value in pairs(headers or {}) do all[name] = value or nil end
    local request = fake_host.request(all, body)
    request.origin, request.network, request.host = fake_oauth.ORIGIN, "192.0.2.1", "mcp.example"
    return request
end

--- Registers a client; returns its id and its secret, if it wants one.
function fake_oauth.client(method, redirect)
    local json = require("json")
    local request = fake_host.request({}, {
        client_name = "App", redirect_uris = json.array({ redirect or fake_oauth.REDIRECT }),
        token_endpoint_auth_method = method,
    })
    local _, body = require("oauth.register").handle(request)
    local made = json.decode(body)
    return made.client_id, made.client_secret
end

--- A code as the consent page gives it for `client_id`; `changes` are claims.
function fake_oauth.code(client_id, changes)
    local artifact, crypto = require("oauth.artifact"), require("crypto")
    local claims = {
        i = crypto.random_text(12), h = fake_oauth.ORIGIN, c = artifact.fingerprint(client_id), n = "App",
        r = fake_oauth.REDIRECT, q = crypto.base64url(crypto.sha256(fake_oauth.VERIFIER)), s = "mcp",
        e = artifact.now() + 60,
    }
    for name, value in pairs(changes or {}) do claims[name] = value end
    return artifact.make("code", claims)
end

return fake_oauth
