---@meta crypto

--- Cryptography, and what may be known of the server's secrets: whether a text is one, and keys made from them. The
--- secrets themselves never come into a script.
---
--- All functions raise for arguments of a wrong type or size. Byte strings are plain Lua strings.
---@class crypto
local crypto = {}

--- Unguessable bytes.
---@param n integer 1 to 65536
---@return string bytes
---@nodiscard
function crypto.random(n) end

--- `n` unguessable bytes as base64url, for identifiers and codes.
---@param n integer 1 to 65536
---@return string text
---@nodiscard
function crypto.random_text(n) end

---@param bytes string
---@return string hash 32 bytes
---@nodiscard
function crypto.sha256(bytes) end

--- HMAC-SHA256.
---@param key string
---@param bytes string
---@return string mac 32 bytes; compare it with `crypto.equal`
---@nodiscard
function crypto.hmac(key, bytes) end

--- HKDF-SHA256 (RFC 5869).
---@param key string
---@param salt string may be empty
---@param info string at most 1024 bytes
---@param length integer 1 to 8160
---@return string bytes
---@nodiscard
function crypto.hkdf(key, salt, info, length) end

--- Are the two equal? The time that it takes tells nothing of where they differ, and of lengths no more than their sum.
---@param a string
---@param b string
---@return boolean
---@nodiscard
function crypto.equal(a, b) end

--- Encrypts, so that nobody without the key can read or change it (AES-256-GCM with a random nonce). The result is 28
--- bytes longer. One key is good for some four billion texts.
---@param key string 32 bytes
---@param plaintext string
---@param associated string bytes that `open` must be given again; they are not in the result
---@return string sealed
---@nodiscard
function crypto.seal(key, plaintext, associated) end

--- Reads what `seal` made. Anything else is `nil, message, "EAUTH"`.
---@param key string 32 bytes
---@param sealed string
---@param associated string
---@return string? plaintext
---@return string? message
---@return "EAUTH"? code
---@nodiscard
function crypto.open(key, sealed, associated) end

--- Base64 with padding (RFC 4648, section 4).
---@param bytes string
---@return string text
---@nodiscard
function crypto.base64(bytes) end

--- Reads what `base64` writes and nothing else: no other character or line end, exact padding, no stray bits.
---@param text string
---@return string? bytes
---@return string? message
---@return "EINVAL"? code
---@nodiscard
function crypto.unbase64(text) end

--- Base64 for URLs without padding (RFC 4648, section 5).
---@param bytes string
---@return string text
---@nodiscard
function crypto.base64url(bytes) end

--- Reads what `base64url` writes and nothing else, so that a value has one text only.
---@param text string
---@return string? bytes
---@return string? message
---@return "EINVAL"? code
---@nodiscard
function crypto.unbase64url(text) end

--- Two lower-case digits a byte.
---@param bytes string
---@return string text
---@nodiscard
function crypto.hex(bytes) end

--- Is this the server's secret (SANDSTORM_MCP_TOKEN)? In constant time; false where none is set.
---@param text string
---@return boolean
---@nodiscard
function crypto.secret_is(text) end

--- Is this the secret of the session API: SESSION_AUTH_TOKEN, or SANDSTORM_MCP_TOKEN where that is not set?
---@param text string
---@return boolean
---@nodiscard
function crypto.session_secret_is(text) end

--- HMAC-SHA256 under the server's secret as it is: what tokens of Sandstorm v0.1.0 are signed with. For reading them
--- only; new things are signed with a subkey. `nil, message, "ENOKEY"` where no secret is set.
---@param bytes string
---@return string? mac 32 bytes
---@return string? message
---@return "ENOKEY"? code
---@nodiscard
function crypto.secret_hmac(bytes) end

--- A key for one purpose, the same as long as the server's secret and the file `key` in the state folder are. That file
--- is made when it is missing; where that cannot be, the secret alone stands behind the key. A handler may ask, a script
--- that is being loaded may not. `nil, message, "ENOKEY"` where no secret is set or the file cannot be read.
---@param label string names the purpose, 1 to 1024 bytes
---@return string? key 32 bytes
---@return string? message
---@return "ENOKEY"? code
---@nodiscard
function crypto.subkey(label) end

--- A key for one purpose that ends with this process: for what must not survive a restart.
---@param label string names the purpose, 1 to 1024 bytes
---@return string key 32 bytes
---@nodiscard
function crypto.boot_key(label) end

return crypto
