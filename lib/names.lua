--- File names as text. A name is any bytes, text is UTF-8: a name that is none is shown the way bash writes it,
--- `$'a\xff'`, and every path argument may be given in that form, folder by folder: `src/$'a\xff'/x.txt`.
--- A name that happens to look like that form is shown in it too, so that reading back is never ambiguous.
local text = require("text")

local names = {}

local function escaped(byte) return ("\\x%02x"):format(byte:byte()) end

-- The bytes inside $'…', or nil for anything else.
local function quoted_body(name)
    local body = name:match("^%$'(.*)'$")
    if body and body:find("\\x%x%x") then return body end
    return nil
end

--- Whether a name or path can be shown as it is.
function names.is_plain(path)
    if not text.valid(path) then return false end
    for name in path:gmatch("[^/]+") do
        if quoted_body(name) then return false end
    end
    return true
end

--- A path, or one name, as text.
---@param path string any bytes
---@return string
function names.show(path)
    if names.is_plain(path) then return path end
    return (path:gsub("[^/]+", function(name)
        if names.is_plain(name) then return name end
        return "$'" .. name:gsub("[^]-~ -&(-[]", escaped) .. "'" -- all but printable ASCII; also ' and backslash
    end))
end

--- The bytes of a path argument.
---@param path string as an agent gives it
---@return string
function names.read(path)
    if not path:find("$'", 1, true) then return path end
    return (path:gsub("[^/]+", function(name)
        local body = quoted_body(name)
        return body and body:gsub("\\x(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
    end))
end

return names
