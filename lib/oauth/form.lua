--- application/x-www-form-urlencoded, read strictly: what is no such text is an error, never a guess.
local form = {}

local PARAMETERS_MAX = 100

form.MEDIA_TYPE = "application/x-www-form-urlencoded"

--- The type in a Content-Type header, without its parameters and in lower case; "" without a header.
---@param header? string
---@return string
function form.media_type(header) return (header or ""):match("^%s*([^;%s]*)"):lower() end

--- One name or value decoded; nil where a `%` stands without two hex digits.
---@return string?
function form.decode(encoded)
    local spaced = encoded:gsub("+", " ")
    if spaced:gsub("%%%x%x", ""):find("%%") then return nil end
    return (spaced:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

--- A value as it may stand in a query: everything but unreserved characters is percent-encoded.
function form.encode(value)
    return (value:gsub("[^%w%-%._~]", function(char) return ("%%%02X"):format(char:byte()) end))
end

---@class oauth.Form
---@field values table<string, string> the first of each name
---@field repeated table<string, boolean> names that came more than once

--- Reads `a=1&b=2`; nil and what is wrong for anything else.
---@param encoded string
---@return oauth.Form?
---@return string? message
function form.parse(encoded)
    local values, repeated, count = {}, {}, 0
    for pair in encoded:gmatch("[^&]+") do
        local name, value = pair:match("^([^=]*)=?(.*)$")
        name, value = form.decode(name), form.decode(value)
        count = count + 1
        if not name or not value then return nil, "a percent sign needs two hex digits behind it" end
        if count > PARAMETERS_MAX then return nil, "too many parameters" end
        if values[name] then repeated[name] = true else values[name] = value end
    end
    return { values = values, repeated = repeated }
end

--- Writes a list of {name, value}; pairs without a value are left out.
---@param pairs_of {[1]: string, [2]: string?}[]
function form.write(pairs_of)
    local parts = {}
    for _, pair in ipairs(pairs_of) do
        if pair[2] then parts[#parts + 1] = form.encode(pair[1]) .. "=" .. form.encode(pair[2]) end
    end
    return table.concat(parts, "&")
end

return form
