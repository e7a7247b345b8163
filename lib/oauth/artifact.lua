--- Everything this authorization server hands out: `s<kind>1.<payload>.<signature>`, both parts base64url. Nothing is stored
--- for it, so it outlives restarts; a code alone ends with the process. Each kind has a key of its own, and its letter is
--- signed too: none can be taken for another.
local clock = require("clock")
local crypto = require("crypto")
local json = require("json")

local artifact = {}

local KINDS = {
    access = { letter = "a" },
    client = { letter = "c" },
    code = { letter = "o", ends_with_process = true },
    form = { letter = "f", length = 12288 },
    refresh = { letter = "r" },
}
local LENGTH_MAX = 4096

local function key_of(kind)
    local label = "oauth " .. kind .. " 1"
    if KINDS[kind].ends_with_process then return crypto.boot_key(label) end
    return assert(crypto.subkey(label))
end

local function prefix_of(kind) return "s" .. KINDS[kind].letter .. "1." end

--- Seconds since 1970.
function artifact.now() return clock.now_ms() // 1000 end

--- Signs claims (JSON values). `t` (issued) is added; `e` (expiry, seconds since 1970) must be there, 0 for none.
---@param kind string
---@param claims table
---@return string
function artifact.make(kind, claims)
    claims.t = claims.t or artifact.now()
    if KINDS[kind].ends_with_process then claims.m = math.floor(clock.monotonic_ms()) end
    local text = prefix_of(kind) .. crypto.base64url(json.encode(claims))
    return text .. "." .. crypto.base64url(crypto.hmac(key_of(kind), text))
end

local function signed_part(kind, text)
    local prefix = prefix_of(kind)
    if #text > (KINDS[kind].length or LENGTH_MAX) or text:sub(1, #prefix) ~= prefix then return nil end
    local payload, signature = text:sub(#prefix + 1):match("^([%w_-]+)%.([%w_-]+)$")
    return payload and prefix .. payload, payload, signature
end

-- What ends with the process ends by a clock that nobody sets, too: a step back must not give it a longer life.
local function has_expired(claims)
    if claims.e == 0 then return false end
    return claims.e <= artifact.now() or (claims.m and clock.monotonic_ms() - claims.m >= (claims.e - claims.t) * 1000)
end

--- The claims of a text that `make` made for this kind and that has not expired; nil for anything else, with true where it
--- has only expired.
---@param kind string
---@param text string
---@return table? claims
---@return boolean? expired
function artifact.read(kind, text)
    local signed, payload, signature = signed_part(kind, text)
    if not signed or not crypto.equal(crypto.base64url(crypto.hmac(key_of(kind), signed)), signature) then return nil end
    local claims = json.decode(assert(crypto.unbase64url(payload)))
    if has_expired(claims) then return nil, true end
    return claims
end

--- A short fingerprint by which one artifact is bound to a long text such as a client id.
function artifact.fingerprint(text) return crypto.base64url(crypto.sha256(text):sub(1, 12)) end

--- The secret of a client that asked for one.
function artifact.client_secret(client_id)
    return crypto.base64url(crypto.hmac(assert(crypto.subkey("oauth client secret 1")), client_id))
end

return artifact
