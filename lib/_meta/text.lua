---@meta text

---Bytes and UTF-8 text (RFC 3629: no surrogates, no overlong forms). All functions raise if `bytes` is no string.
---@class text
local text = {}

---The bytes as valid UTF-8: every ill-formed part becomes U+FFFD.
---```lua
---text.clean("a\xFFb") --> "a\u{FFFD}b", 1
---```
---@param bytes string
---@return string clean the same string where nothing had to be replaced
---@return integer replacements
function text.clean(bytes) end

---Whether the bytes are valid UTF-8.
---@param bytes string
---@return boolean
function text.valid(bytes) end

---The longest prefix of at most `n` bytes that does not end inside a character. Bytes that are no UTF-8 are cut at `n`.
---Raises unless `n` is an integer that is not negative.
---@param bytes string
---@param n integer bytes
---@return string
function text.cut(bytes, n) end

return text
