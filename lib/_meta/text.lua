---@meta text

--- Bytes and UTF-8 text (RFC 3629: no surrogates, no overlong forms). All functions raise if `bytes` is no string.
---@class text
local text = {}

--- The bytes as valid UTF-8: every ill-formed part becomes U+FFFD.
--- ```lua
--- text.clean("a\xFFb") --> "a\u{FFFD}b", 1
--- ```
---@param bytes string
---@return string clean the same string where nothing had to be replaced
---@return integer replacements
function text.clean(bytes) end

--- Whether the bytes are valid UTF-8.
---@param bytes string
---@return boolean
function text.valid(bytes) end

--- The longest prefix of at most `n` bytes that does not end inside a character. Bytes that are no UTF-8 are cut at `n`.
--- Raises unless `n` is an integer that is not negative.
---@param bytes string
---@param n integer bytes
---@return string
function text.cut(bytes, n) end

--- Skips lines, many of them quickly. Where there are fewer, the position is the one after the last byte.
---@param bytes string
---@param from integer position to begin at, from 1
---@param count integer newlines to go past
---@return integer position
---@return integer found newlines that were there, at most `count`
function text.skip_lines(bytes, from, count) end

return text
