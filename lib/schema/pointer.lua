--- JSON pointers (RFC 6901) and the shorter way in which messages name a place.
---@class schema.pointer
local pointer = {}

--- `at` with one more token.
---@param at string
---@param token string|integer
---@return string
function pointer.join(at, token)
    return at .. "/" .. (tostring(token):gsub("~", "~0"):gsub("/", "~1"))
end

--- Pointer of a list of tokens.
---@param tokens (string|integer)[]
---@return string
function pointer.of(tokens)
    local at = ""
    for _, token in ipairs(tokens) do at = pointer.join(at, token) end
    return at
end

--- Tokens of a pointer.
---@param text string "" or "/…"
---@return string[]
function pointer.tokens(text)
    local tokens = {}
    for token in text:gmatch("/([^/]*)") do
        tokens[#tokens + 1] = token:gsub("~1", "/"):gsub("~0", "~")
    end
    return tokens
end

local function label(token)
    if token:find("^%d+$") then return "[" .. token .. "]" end
    if token:find("^[%w_-]+$") then return "." .. token end
    return '["' .. token:gsub('[%c"\\]', "?") .. '"]'
end

--- A place as people write it: "/a/0/b" is `a[0].b`, "" is "".
---@param text string
---@return string
function pointer.readable(text)
    local out = {}
    for _, token in ipairs(pointer.tokens(text)) do out[#out + 1] = label(token) end
    return (table.concat(out):gsub("^%.", ""))
end

return pointer
