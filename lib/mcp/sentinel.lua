--- Header values that are no plain text travel as `=?base64?<data>?=`.
local sentinel = {}

local ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local VALUES = {}
for position = 1, #ALPHABET do VALUES[ALPHABET:byte(position)] = position - 1 end

local function group(a, b, c, d)
    local bits = VALUES[a] << 18 | VALUES[b] << 12 | (VALUES[c] or 0) << 6 | (VALUES[d] or 0)
    local bytes = string.char(bits >> 16, bits >> 8 & 255, bits & 255)
    local kept = VALUES[d] and 3 or VALUES[c] and 2 or 1
    local rest = bits & ((1 << (3 - kept) * 8) - 1)
    return rest == 0 and bytes:sub(1, kept) or nil
end

-- Strict: whole groups, padding only at the end, no bits left over.
local function base64(data)
    if #data % 4 ~= 0 or not data:find("^[%w+/]*=?=?$") then return nil end
    local pieces = {}
    for position = 1, #data, 4 do
        local piece = group(data:byte(position, position + 3))
        if not piece then return nil end
        pieces[#pieces + 1] = piece
    end
    return table.concat(pieces)
end

--- What a header value stands for; nil when it claims to be encoded and is not, or has bytes that had to be encoded.
---@param value string
---@return string?
function sentinel.decode(value)
    local data = value:match("^=%?base64%?(.*)%?=$")
    if data then return base64(data) end
    if not value:find("[^\t\32-\126]") then return value end
    return nil
end

return sentinel
