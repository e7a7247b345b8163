--- A stand-in for the module crypto in specs of lib/: real base64, and hashes that differ where their input does. What
--- it seals is readable; that the real one hides and protects it is told in spec/runtime/crypto_spec.lua.
local mime = require("mime")

local fake_crypto = {}

local function hash(bytes)
    local sum = 1469598103934665603
    for position = 1, #bytes do sum = (sum ~ bytes:byte(position)) * 1099511628211 end
    return ("%016x"):format(sum):rep(2)
end

local function strict(text, pattern)
    if not text:find(pattern) then return nil, "no base64", "EINVAL" end
    local bytes = mime.unb64(text .. ("="):rep(-#text % 4)) or ""
    return bytes
end

--- @return table as lib/_meta/crypto.lua says
function fake_crypto.new()
    local count = 0 -- what is random elsewhere is a number here
    local crypto = { sha256 = hash, SECRET = "the token of the server" }
    function crypto.random_text(n)
        count = count + 1
        return ("%0" .. math.ceil(n * 4 / 3) .. "d"):format(count)
    end
    function crypto.random(n)
        count = count + 1
        return ("%0" .. n .. "d"):format(count)
    end
    function crypto.hex(bytes) return (bytes:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end)) end
    function crypto.secret_is(text) return text == crypto.SECRET end
    function crypto.secret_hmac(bytes) return hash(crypto.SECRET .. "\0" .. bytes) end
    function crypto.hmac(key, bytes) return hash(key .. "\0" .. bytes) end
    function crypto.equal(a, b) return a == b end
    function crypto.subkey(label) return ("key of " .. label .. (" "):rep(32)):sub(1, 32) end
    function crypto.boot_key(label) return ("boot key of " .. label .. (" "):rep(32)):sub(1, 32) end
    function crypto.seal(key, plain, associated) return hash(key .. plain .. associated) .. plain end
    function crypto.open(key, sealed, associated)
        local plain = sealed:sub(33)
        if hash(key .. plain .. associated) == sealed:sub(1, 32) then return plain end
        return nil, "it was changed", "EAUTH"
    end
    function crypto.base64(bytes) return (mime.b64(bytes)) or "" end
    function crypto.unbase64(text) return strict(text, "^[%w+/]*=?=?$") end
    function crypto.base64url(bytes) return (crypto.base64(bytes):gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" })) end
    function crypto.unbase64url(text)
        return strict((text:gsub("[-_]", { ["-"] = "+", ["_"] = "/" })), "^[%w+/]*$")
    end
    return crypto
end

return fake_crypto
