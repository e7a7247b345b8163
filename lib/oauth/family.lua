--- A family is everything that came of one consent: an access token and a refresh token, and their successors. Each refresh
--- makes the next generation; an older one that comes back later has been copied, and ends the family.
local artifact = require("oauth.artifact")
local clock = require("clock")
local crypto = require("crypto")
local grants = require("grants")
local host = require("host")
local log = require("oauth.journal")
local shared = require("shared")

local family = {}

local GRACE_MS, MEMORY_MS = 600000, 30 * 86400000

local function key_of(id) return "oauth/family/" .. id end

---@class oauth.Family
---@field id string
---@field start integer when it began, milliseconds since 1970
---@field finish integer when it ends for good, seconds since 1970
---@field origin string
---@field client string fingerprint of the client id
---@field scope string

--- A new id: what operators type to revoke it.
function family.id() return crypto.hex(crypto.random(8)) end

---@class (exact) oauth.Begin
---@field id? string
---@field origin string
---@field name string of the client
---@field where string where its code went
---@field client string fingerprint of the client id
---@field scope string
---@field seconds integer how long it lasts at most

--- Begins a family and writes it into the list that operators see. Where all was revoked by a clock that was ahead it counts
--- as begun behind that.
---@param from oauth.Begin
---@return oauth.Family
---@return string? why it could not be written down
function family.begin(from)
    local now = clock.now_ms()
    local made = {
        id = from.id or family.id(), start = math.max(now, grants.not_before() + 1), finish = now // 1000 + from.seconds,
        origin = from.origin, client = from.client, scope = from.scope,
    }
    local written, why = grants.add({
        id = made.id, name = from.name, where = from.where, start_ms = made.start, finish = made.finish,
    })
    return made, not written and why or nil
end

--- An access token; `seconds` is how long it lives.
---@param of oauth.Family
function family.access(of, seconds)
    local finish = math.min(artifact.now() + seconds, of.finish)
    return artifact.make("access", { f = of.id, b = of.start, h = of.origin, s = of.scope, e = finish })
end

local function refresh_token(of, generation)
    return artifact.make("refresh", {
        f = of.id, b = of.start, x = of.finish, h = of.origin, c = of.client, s = of.scope, g = generation,
        e = math.min(artifact.now() + host.setting("refresh_ttl"), of.finish),
    })
end

--- The members of a token response.
---@param of oauth.Family
---@param generation integer
function family.tokens(of, generation)
    local seconds = math.min(host.setting("access_ttl"), of.finish - artifact.now())
    return {
        access_token = family.access(of, seconds), token_type = "Bearer", expires_in = seconds,
        refresh_token = refresh_token(of, generation), scope = of.scope,
    }
end

--- Ends a family: its tokens are refused from now on. Nil where that could not be written down yet.
---@return true?
function family.revoke(id, finish)
    local written, why = grants.revoke(id, finish)
    if not written then log.warning(why) end
    return written
end

--- The family that a refresh token stands for and its generation; nil when it is none, has expired, or was revoked.
---@param token string
---@return oauth.Family?
---@return integer? generation
function family.of_refresh_token(token)
    local claims = artifact.read("refresh", token)
    if not claims or grants.is_revoked(claims.f, claims.b) then return nil end
    return {
        id = claims.f, start = claims.b, finish = claims.x, origin = claims.h, client = claims.c, scope = claims.s,
    }, claims.g
end

-- What is known of a family: the newest generation that was used, and when that happened first.
local function newest(id)
    local generation, since = (shared.get(key_of(id)) or ""):match("^(%d+) (%d+)$")
    return tonumber(generation), tonumber(since)
end

--- May a refresh token of this generation be used? Two uses at the same time may, and so may the one before while the newest
--- is fresh: its answer may have been lost. What is older was copied. The memory of it ends with the process, which locks
--- nobody out.
---@param of oauth.Family
---@param generation integer
---@return boolean
function family.use(of, generation)
    local known, since = newest(of.id)
    local now = math.floor(clock.monotonic_ms())
    if known == nil or generation > known then
        shared.put(key_of(of.id), ("%d %d"):format(generation, now), MEMORY_MS)
    elseif generation < known - 1 or (generation == known - 1 and now - since >= GRACE_MS) then
        return false
    end
    grants.use(of.id)
    return true
end

return family
