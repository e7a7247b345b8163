--- Texts that only this server can have made. `close` hides and signs a value for whoever will bring it back, `sign`
--- signs it in the open. Both are bound to a purpose, and last until the keys of the server change.
local crypto = require("crypto")
local json = require("json")

local seal = {}

local MAC_BYTES = 18

-- Without a secret (on standard input and output) nothing needs to outlive the process.
local function key_of(purpose)
    local label = "mcp " .. purpose
    return crypto.subkey(label) or crypto.boot_key(label)
end

--- A text that nobody else can read or change.
---@param purpose string
---@param value any
---@return string
function seal.close(purpose, value)
    return crypto.base64url(crypto.seal(key_of(purpose), json.encode(value, { sort = true }), purpose))
end

--- What is in a text that `close` made for the same purpose; nil for any other text.
---@param purpose string
---@param text string
---@return any
function seal.open(purpose, text)
    local sealed = crypto.unbase64url(text)
    local plain = sealed and crypto.open(key_of(purpose), sealed, purpose)
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
