--- Revocation (RFC 7009): whoever holds a token of a family can end the family.
local answer = require("oauth.answer")
local artifact = require("oauth.artifact")
local crypto = require("crypto")
local family = require("oauth.family")
local json = require("json")
local log = require("oauth.journal")
local parameters = require("oauth.parameters")

local revoke = {}

local OLD_LIFE_MS = 30 * 86400000

-- RFC 7009, 2.2.1: the client has to try again.
local NOT_WRITTEN = "the token is refused now, but that could not be written down and may not outlive a restart"
local RETRY = { ["Retry-After"] = "10" }

-- An access token of v0.1.0 is a family of its own, named as runtime/token.c does.
local function of_old(text)
    local signature, payload = text:match("^([%w_-]+)%.([%w_-]+)$")
    local bytes = payload and crypto.unbase64url(payload)
    local signed = bytes and crypto.secret_hmac(bytes)
    if not signed or not crypto.equal(crypto.base64url(signed), signature) then return nil end
    local claims = json.decode(bytes)
    local issued = type(claims) == "table" and math.tointeger(claims.t) or nil
    return "old-" .. artifact.fingerprint(text), issued and (issued + OLD_LIFE_MS) // 1000
end

local function family_of(text)
    local claims = artifact.read("refresh", text)
    if claims then return claims.f, claims.x end
    claims = artifact.read("access", text)
    if claims then return claims.f, nil end
    return of_old(text)
end

function revoke.handle(request)
    local values, failure = parameters.read(request)
    if not values then return answer.refuse(failure) end
    if not values.token or values.token == "" then return answer.refuse(answer.failure("invalid_request", "token is missing")) end
    local id, finish = family_of(values.token)
    if id then
        local lasting = family.revoke(id, finish)
        log.info("signed out", { grant = id })
        if not lasting then return answer.refuse(answer.failure("temporarily_unavailable", NOT_WRITTEN, 503, RETRY)) end
    end
    return 200, "{}", { ["Cache-Control"] = "no-store" }
end

return revoke
