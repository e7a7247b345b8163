--- JSON text in the form of the files in a session's context folder: two blanks a level, members in their order, everything
--- beyond ASCII as \u escapes. Works on the text that a client sent, for a decoded value has lost the order of its members.
--- The text must be valid JSON.
local json = require("json")

local pretty = {}

local SHORT = { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function escape_rune(rune)
    local code = utf8.codepoint(rune)
    if code < 0x10000 then return ("\\u%04x"):format(code) end
    code = code - 0x10000
    return ("\\u%04x\\u%04x"):format(0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF))
end

local function write_string(token)
    if not token:find("[\\\x80-\xFF]") then return token end
    local text = json.decode(token)
    text = text:gsub('[%c"\\]', function(c)
        return SHORT[c] or (c ~= "\127" and ("\\u%04x"):format(c:byte())) or nil
    end)
    return '"' .. text:gsub("[\xC2-\xF4][\x80-\xBF]+", escape_rune) .. '"'
end

-- Position behind the string that begins at `from`.
local function string_end(text, from)
    local at = from + 1
    while true do
        local stop = text:find('["\\]', at)
        if text:byte(stop) == 34 then return stop + 1 end
        at = stop + 2
    end
end

--- The next token from `from`: its text, and the position behind it; nil at the end.
local function token_at(text, from)
    from = text:find("[^ \t\r\n]", from)
    if not from then return nil end
    if text:byte(from) == 34 then
        local behind = string_end(text, from)
        return text:sub(from, behind - 1), behind
    end
    local word = text:match("^[%w+.-]+", from) or text:sub(from, from)
    return word, from + #word
end

--- The text of the member `name` of the object that `text` is; nil when it has none.
---@param text string
---@param name string
---@return string?
function pretty.member(text, name)
    local depth, start, is_key = 0, nil, false
    local from, token, at = 1, token_at(text, 1)
    while token do
        local first = token:byte()
        if start and depth == 1 and (token == "," or token == "}") then return text:sub(start, from - 1) end
        if token == "{" or token == "[" then depth = depth + 1 end
        if token == "}" or token == "]" then depth = depth - 1 end
        if depth == 1 and token == ":" and is_key then start = start or at end
        if token ~= ":" then is_key = depth == 1 and first == 34 and json.decode(token) == name end
        from = at
        token, at = token_at(text, at)
    end
end

local CLOSES = { ["{"] = "}", ["["] = "]" }

--- The text, formatted.
---@param text string
---@return string
function pretty.format(text)
    local parts, depth = {}, 0
    local token, at = token_at(text, 1)
    local function line() parts[#parts + 1] = "\n" .. ("  "):rep(depth) end
    while token do
        local following, behind = token_at(text, at)
        if CLOSES[token] and following == CLOSES[token] then
            parts[#parts + 1] = token .. following
            following, behind = token_at(text, behind)
        elseif CLOSES[token] then
            parts[#parts + 1], depth = token, depth + 1
            line()
        elseif token == "}" or token == "]" then
            depth = depth - 1
            line()
            parts[#parts + 1] = token
        elseif token == "," or token == ":" then
            parts[#parts + 1] = token == ":" and ": " or ","
            if token == "," then line() end
        else
            parts[#parts + 1] = token:byte() == 34 and write_string(token) or token
        end
        token, at = following, behind
    end
    return table.concat(parts)
end

return pretty
