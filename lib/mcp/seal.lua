--- Texts that only this server can have made. `close` hides and signs a value for whoever will bring it back soon: its key
--- is another one every day. `sign` signs it in the open. Both are bound to a purpose, and end with the secret of the server.
local clock = require("clock")
local crypto = require("crypto")
local json = require("json")

local seal = {}

local MAC_BYTES = 18

-- Without a secret (on standard input and output) nothing needs to outlive the process.
local function key_of(purpose)
    local label = "mcp " .. purpose
    return crypto.subkey(label) or crypto.boot_key(label)
end

local DAY_MS = 86400000

local function today() return clock.now_ms() // DAY_MS end

local function key_of_day(purpose, day) return key_of(("%s %d"):format(purpose, day)) end

--- A text that nobody else can read or change: the day of its key, a dot, and what is sealed.
---@param purpose string
---@param value any
---@return string
function seal.close(purpose, value)
    local day = today()
    local sealed = crypto.seal(key_of_day(purpose, day), json.encode(value, { sort = true }), purpose)
    return ("%d.%s"):format(day, crypto.base64url(sealed))
end

--- What is in a text that `close` made for the same purpose, with the key of today or of the day before; nil for any other.
---@param purpose string
---@param text string
---@return any
function seal.open(purpose, text)
    local day, payload = text:match("^([1-9]%d?%d?%d?%d?%d?)%.([%w_-]+)$")
    day = tonumber(day)
    if not day or day > today() or day < today() - 1 then return nil end
    local sealed = crypto.unbase64url(payload)
    local plain = sealed and crypto.open(key_of_day(purpose, day), sealed, purpose)
    if not plain then return nil end
    return (json.decode(plain))
end

local function mac(purpose, payload)
    return crypto.base64url(crypto.hmac(key_of(purpose), payload):sub(1, MAC_BYTES))
end

--- A text that nobody else can make: letters, digits, `-`, `_` and one dot.
---@param purpose string
---@param value any
---@return string
function seal.sign(purpose, value)
    local payload = crypto.base64url(json.encode(value, { sort = true }))
    return payload .. "." .. mac(purpose, payload)
end

--- What is in a text that `sign` made for the same purpose; nil for any other text.
---@param purpose string
---@param text string
---@return any
function seal.verify(purpose, text)
    local payload, given = text:match("^([%w_-]+)%.([%w_-]+)$")
    if not payload or not crypto.equal(given, mac(purpose, payload)) then return nil end
    local plain = crypto.unbase64url(payload)
    if not plain then return nil end
    return (json.decode(plain))
end

return seal
