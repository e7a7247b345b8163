--- The token endpoint: a code, or a refresh token, becomes an access token.
local answer = require("oauth.answer")
local artifact = require("oauth.artifact")
local client_auth = require("oauth.client_auth")
local crypto = require("crypto")
local family = require("oauth.family")
local host = require("host")
local limits = require("oauth.limits")
local log = require("oauth.journal")
local parameters = require("oauth.parameters")
local shared = require("shared")
local uri = require("oauth.uri")

local token = {}

local USED_MS = 180000

local function refuse(description) return nil, answer.failure("invalid_grant", description) end

-- An id of v0.1.0 says nothing about itself, so one that holds no grant is as good as unknown: the client registers anew.
local function not_of(client, description)
    if client.kind ~= "old" then return refuse(description) end
    return nil, answer.failure("invalid_client", "unknown client: register again", 401)
end

local function resource_ok(request, values)
    return not values.resource or uri.is_resource_of(request.origin, values.resource)
end

local function wrong_resource() return nil, answer.failure("invalid_target", "resource: not the one of this server") end

local function challenge_ok(claims, verifier)
    if #verifier < 43 or #verifier > 128 or verifier:find("[^%w%-._~]") then return false end
    return crypto.equal(crypto.base64url(crypto.sha256(verifier)), claims.q)
end

-- The claims of a code that this client may exchange now; nothing is used up yet.
local function check_code(request, client, values)
    local claims = artifact.read("code", values.code or "")
    if not claims then return not_of(client, "the code is unknown or has expired") end
    if claims.c ~= artifact.fingerprint(client.id) then return not_of(client, "the code belongs to another client") end
    if claims.h ~= request.origin then return refuse("the code belongs to another server") end
    if values.redirect_uri ~= claims.r then return refuse("redirect_uri: not the one of the authorization request") end
    if not challenge_ok(claims, values.code_verifier or "") then return refuse("code_verifier: does not fit") end
    if not resource_ok(request, values) then return wrong_resource() end
    return claims
end

-- Of several exchanges of one code the first wins. Whoever can repeat it completely may be a thief, or have been robbed:
-- then the tokens of the first end too.
local function exchange(request, client, values)
    local claims, failure = check_code(request, client, values)
    if not claims then return nil, failure end
    local id = family.id()
    local key = "oauth/code/" .. claims.i
    if not shared.put_new(key, id, USED_MS) then
        local first = shared.get(key)
        if first then family.revoke(first) end
        log.warning("code used twice", { client = claims.n, redirect = uri.shown(claims.r) })
        return refuse("the code was used before")
    end
    local begun, why = family.begin({
        id = id, origin = request.origin, name = claims.n, where = uri.shown(claims.r), client = claims.c, scope = claims.s,
        seconds = host.setting("grant_ttl"),
    })
    if why then log.warning(why) end
    log.info("signed in", { client = claims.n, redirect = uri.shown(claims.r), grant = id })
    return family.tokens(begun, 1)
end

-- Never more than was granted; asking for less is heard where something is left.
local function narrowed(granted, asked)
    local wanted = {}
    for word in (asked or granted):gmatch("%S+") do wanted[word] = true end
    local kept = {}
    for word in granted:gmatch("%S+") do
        if wanted[word] then kept[#kept + 1] = word end
    end
    return #kept > 0 and table.concat(kept, " ") or granted
end

local function refresh(request, client, values)
    local of, generation = family.of_refresh_token(values.refresh_token or "")
    if not of then return not_of(client, "the refresh token is unknown, has expired or was revoked") end
    if of.client ~= artifact.fingerprint(client.id) then return not_of(client, "the refresh token belongs to another client") end
    if of.origin ~= request.origin then return refuse("the refresh token belongs to another server") end
    if not resource_ok(request, values) then return wrong_resource() end
    if not family.use(of, generation) then
        family.revoke(of.id, of.finish)
        log.warning("old refresh token came back, grant revoked", { client = client.name, grant = of.id })
        return refuse("the refresh token was used before")
    end
    local tokens = family.tokens(of, generation + 1)
    tokens.scope = narrowed(of.scope, values.scope)
    return tokens
end

local GRANTS = { authorization_code = exchange, refresh_token = refresh }

local function serve(request)
    local values, failure = parameters.read(request)
    if not values then return nil, failure end
    local grant = values.grant_type and GRANTS[values.grant_type]
    if not values.grant_type or values.grant_type == "" then
        return nil, answer.failure("invalid_request", "grant_type is missing")
    elseif not grant then
        return nil, answer.failure("unsupported_grant_type", "expected authorization_code or refresh_token")
    end
    local client
    client, failure = client_auth.identify(request, values)
    if not client then return nil, failure end
    return grant(request, client, values)
end

local function too_many(seconds)
    local headers = { ["Retry-After"] = tostring(seconds) }
    return answer.refuse(answer.failure("too_many_requests", "too many failed calls: wait a little", 429, headers))
end

function token.handle(request)
    local network = request.network
    if not request.origin then return answer.refuse(answer.failure("invalid_request", "Host: not a host name")) end
    local tokens, failure = serve(request)
    if tokens then return answer.json(200, tokens) end
    log.attempt("token refused", { reason = failure.error, detail = failure.description })
    local seconds = limits.call_failed(network)
    if seconds then return too_many(seconds) end
    return answer.refuse(failure)
end

return token
