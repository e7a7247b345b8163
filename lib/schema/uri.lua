--- References to URIs, as RFC 3986 section 5 resolves them.
---@class schema.uri
local uri = {}

local function parse(text)
    local scheme, rest = text:match("^(%a[%w+.-]*):(.*)$")
    rest = rest or text
    local before, query = rest:match("^([^?]*)(%??.*)$")
    local authority, path = before:match("^//([^/]*)(.*)$")
    return { scheme = scheme, authority = authority, path = path or before, query = query }
end

local function write(parts)
    return (parts.scheme and parts.scheme .. ":" or "") .. (parts.authority and "//" .. parts.authority or "")
        .. parts.path .. parts.query
end

local function without_dots(path)
    local out, trailing = {}, path:find("/%.?%.?$")
    for segment in (path:gsub("^/", "") .. "/"):gmatch("([^/]*)/") do
        if segment == ".." then
            out[#out] = nil
        elseif segment ~= "." then
            out[#out + 1] = segment
        end
    end
    local folded = (path:sub(1, 1) == "/" and "/" or "") .. table.concat(out, "/")
    return trailing and folded:sub(-1) ~= "/" and folded .. "/" or folded
end

local function merge(base, path)
    if base.authority and base.path == "" then return "/" .. path end
    return base.path:match("^(.*/)[^/]*$") and base.path:match("^(.*/)[^/]*$") .. path or path
end

local function resolve_parts(base, reference)
    if reference.scheme then return reference end
    reference.scheme = base.scheme
    if reference.authority then return reference end
    reference.authority = base.authority
    if reference.path == "" then
        reference.path = base.path
        if reference.query == "" then reference.query = base.query end
    elseif reference.path:sub(1, 1) == "/" then
        reference.path = without_dots(reference.path)
    else
        reference.path = without_dots(merge(base, reference.path))
    end
    return reference
end

--- A reference as written, seen from `base`: the address without fragment, and the decoded fragment ("" for none).
---@param base string absolute, or "" where no address is known
---@param reference string
---@return string address
---@return string fragment
function uri.resolve(base, reference)
    local text, fragment = reference:match("^([^#]*)#?(.*)$")
    fragment = fragment:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
    return write(resolve_parts(parse(base), parse(text))), fragment
end

return uri
