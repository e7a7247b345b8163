--- Revocation (RFC 7009): whoever holds a token of a family can end the family.
local answer = require("oauth.answer")
local artifact = require("oauth.artifact")
local family = require("oauth.family")
local log = require("oauth.journal")
local parameters = require("oauth.parameters")

local revoke = {}

local function claims_of(text)
    local claims = artifact.read("refresh", text)
    if claims then return claims.f, claims.x end
    claims = artifact.read("access", text)
    if claims then return claims.f, nil end
    return nil
end

function revoke.handle(request)
    local values, failure = parameters.read(request)
    if not values then return answer.refuse(failure) end
    if not values.token or values.token == "" then return answer.refuse(answer.failure("invalid_request", "token is missing")) end
    local id, finish = claims_of(values.token)
    if id then
        family.revoke(id, finish)
        log.info("signed out", { grant = id })
    end
    return 200, "{}", { ["Cache-Control"] = "no-store" }
end

return revoke
