--- Addresses with places in them (RFC 6570): `test://item/{id}` matches one segment, `file:///{+path}` any rest.
local uri_template = {}

local function percent_decode(text)
    return (text:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

local function literal(text) return (text:gsub("%W", "%%%0")) end

-- Pattern of the text between two places, and what stands for a place.
local function parse(template)
    local pattern, names, from = { "^" }, {}, 1
    for text, open, name, stop in template:gmatch("([^{}]*){(%+?)([%w_.]+)}()") do
        pattern[#pattern + 1] = literal(text) .. (open == "+" and "(.+)" or "([^/?#]+)")
        names[#names + 1], from = name, stop
    end
    pattern[#pattern + 1] = literal(template:sub(from)) .. "$"
    return table.concat(pattern), names, template:sub(from)
end

--- A function that reads the variables out of an address, or nil where it does not match.
---@param template string
---@return (fun(uri: string): table<string, string>?)?
---@return string? complaint
function uri_template.compile(template)
    local pattern, names, rest = parse(template)
    if #names == 0 then return nil, "it has no place such as {id}; an address without one is a resource" end
    if rest:find("[{}]") then return nil, "places are {name}, or {+name} for anything with slashes" end
    return function(uri)
        local found = { uri:match(pattern) }
        if not found[1] then return nil end
        local variables = {}
        for position, name in ipairs(names) do variables[name] = percent_decode(found[position]) end
        return variables
    end, nil, names
end

return uri_template
