--- The documents by which clients find their way: protected resource (RFC 9728), authorization server (RFC 8414), and the same
--- as OpenID discovery for clients that look nowhere else.
local host = require("host")
local json = require("json")

local metadata = {}

local SCOPES = { "mcp", "offline_access" }
local FRESH = "max-age=300"

--- What a challenge leads to and asks for: the document of /mcp as the client wrote it, with slash or without.
---@param path string of the route that was asked for
---@return string metadata path
---@return string scope
function metadata.challenge(path)
    return "/.well-known/oauth-protected-resource/mcp" .. (path == "/mcp/" and "/" or ""), "mcp"
end

---@param origin string
---@param path string path of the resource
function metadata.resource(origin, path)
    return {
        resource = origin .. path,
        authorization_servers = json.array({ origin }),
        bearer_methods_supported = json.array({ "header" }),
        scopes_supported = json.array({ "mcp" }),
        resource_name = "Sandstorm",
    }
end

---@param origin string
function metadata.server(origin)
    local methods = json.array({ "none", "client_secret_post", "client_secret_basic" })
    return {
        issuer = origin,
        authorization_endpoint = origin .. "/oauth/authorize",
        token_endpoint = origin .. "/oauth/token",
        registration_endpoint = origin .. "/oauth/register",
        revocation_endpoint = origin .. "/oauth/revoke",
        response_types_supported = json.array({ "code" }),
        response_modes_supported = json.array({ "query" }),
        grant_types_supported = json.array({ "authorization_code", "refresh_token" }),
        token_endpoint_auth_methods_supported = methods,
        revocation_endpoint_auth_methods_supported = methods,
        code_challenge_methods_supported = json.array({ "S256" }),
        scopes_supported = json.array(SCOPES),
        authorization_response_iss_parameter_supported = true,
        client_id_metadata_document_supported = host.setting("cimd") ~= "off",
    }
end

-- There is no ID token: the members that the schema of such documents asks for are there, and the key set is empty.
local function openid(origin)
    local document = metadata.server(origin)
    document.jwks_uri = origin .. "/oauth/jwks"
    document.subject_types_supported = json.array({ "public" })
    document.id_token_signing_alg_values_supported = json.array({ "RS256" })
    return document
end

local function jwks() return { keys = json.array({}) } end

-- Without a public URL the addresses in a document are those of one request: no shared cache may give them to others.
local function caching() return (host.setting("public_url") ~= "" and "public, " or "private, ") .. FRESH end

local UNKNOWN = "X-Forwarded-Proto, X-Forwarded-Host: expected http or https, and a host, once"

local function serve(make)
    return function(request)
        local origin = request.origin
        if not origin then return 400, json.encode({ error = UNKNOWN }) end
        return 200, json.encode(make(origin), { sort = true }), { ["Cache-Control"] = caching() }
    end
end

local function resource_at(path)
    return function(origin) return metadata.resource(origin, path) end
end

--- Path and handler of every document.
function metadata.documents()
    local server, oidc = serve(metadata.server), serve(openid)
    return {
        ["/.well-known/oauth-protected-resource"] = serve(resource_at("/mcp")),
        ["/.well-known/oauth-protected-resource/"] = serve(resource_at("/mcp")),
        ["/.well-known/oauth-protected-resource/mcp"] = serve(resource_at("/mcp")),
        ["/.well-known/oauth-protected-resource/mcp/"] = serve(resource_at("/mcp/")),
        ["/.well-known/oauth-authorization-server"] = server,
        ["/.well-known/oauth-authorization-server/"] = server,
        ["/.well-known/oauth-authorization-server/mcp"] = server,
        ["/.well-known/oauth-authorization-server/mcp/"] = server,
        ["/mcp/.well-known/oauth-authorization-server"] = server,
        ["/.well-known/openid-configuration"] = oidc,
        ["/.well-known/openid-configuration/"] = oidc,
        ["/.well-known/openid-configuration/mcp"] = oidc,
        ["/.well-known/openid-configuration/mcp/"] = oidc,
        ["/mcp/.well-known/openid-configuration"] = oidc,
        ["/oauth/token/.well-known/openid-configuration"] = oidc,
        ["/token/.well-known/openid-configuration"] = oidc,
        ["/oauth/jwks"] = serve(jwks),
        ["/oauth/jwks/"] = serve(jwks),
    }
end

return metadata
