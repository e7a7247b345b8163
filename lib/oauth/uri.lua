--- Addresses that clients name: where a code may be sent to, and which resource a token is asked for.
local uri = {}

local LENGTH_MAX = 2048
local LOOPBACK = { ["localhost"] = true, ["127.0.0.1"] = true, ["[::1]"] = true }
local DEFAULT_PORT = { http = "80", https = "443" }

-- Schemes that run something, show local content or speak another protocol, so that no app waits behind them.
local REFUSED = {}
for scheme in ([[javascript data vbscript livescript file filesystem blob about view-source ws wss ftp jar mhtml chrome
    resource mailto]]):gmatch("%S+") do
    REFUSED[scheme] = true
end

---@class oauth.Uri
---@field scheme string lower case
---@field host? string as written; nil where there is no authority
---@field port? string
---@field path string
---@field query? string

local function split_authority(authority)
    local host, port = authority:match("^(%[[%x:.]+%]):?(%d*)$")
    if not host then host, port = authority:match("^([%w%-._]+):?(%d*)$") end
    if not host or (port ~= "" and tonumber(port) > 65535) then return nil end
    return host, port ~= "" and port or nil
end

--- Reads an absolute URI (RFC 3986) without user info and without fragment; nil for anything else.
---@param text string
---@return oauth.Uri?
function uri.parse(text)
    if #text > LENGTH_MAX or text:find("[^%w%-%._~:/?%[%]@!$&'()*+,;=%%]") then return nil end
    local scheme, rest = text:match("^(%a[%w+.-]*):(.+)$")
    if not scheme then return nil end
    local parsed = { scheme = scheme:lower() }
    local before, query = rest:match("^([^?]*)%??(.*)$")
    parsed.query = rest:find("?", 1, true) and query or nil
    local authority, path = before:match("^//([^/]*)(.*)$")
    parsed.path = path or before
    if not authority then return parsed end
    parsed.host, parsed.port = split_authority(authority)
    return parsed.host and parsed or nil
end

local function is_web(parsed) return parsed.scheme == "http" or parsed.scheme == "https" end

--- Is it an address on the computer where the browser runs?
function uri.is_loopback(parsed) return is_web(parsed) and LOOPBACK[parsed.host] ~= nil end

--- May a client be sent there? https anywhere, http on loopback, and schemes that belong to an app.
---@param text string
---@return oauth.Uri?
function uri.redirect(text)
    local parsed = uri.parse(text)
    if not parsed or REFUSED[parsed.scheme] or text:find("[*,]") then return nil end
    if is_web(parsed) and not parsed.host then return nil end
    if parsed.scheme == "http" and not LOOPBACK[parsed.host] then return nil end
    return parsed
end

--- The form in which redirect addresses are compared: an app that waits on loopback takes whatever port is free, so the port
--- does not count there, and no path is the same as `/` (RFC 8252, 7.3).
---@param text string
---@param parsed oauth.Uri
function uri.comparable(text, parsed)
    if not uri.is_loopback(parsed) then return text end
    local query = parsed.query and "?" .. parsed.query or ""
    return ("%s://%s%s%s"):format(parsed.scheme, parsed.host, parsed.path == "" and "/" or parsed.path, query)
end

--- What people are shown: the host of a web address, else the whole of it.
function uri.shown(text)
    local parsed = uri.parse(text)
    if not parsed or not is_web(parsed) then return text end
    return parsed.port and parsed.host .. ":" .. parsed.port or parsed.host
end

--- Adds parameters to an address that may have a query already.
function uri.join(text, query) return text .. (text:find("?", 1, true) and "&" or "?") .. query end

local function same_origin(a, b)
    local function port(parsed) return parsed.port or DEFAULT_PORT[parsed.scheme] end
    return a.scheme == b.scheme and a.host:lower() == b.host:lower() and port(a) == port(b)
end

local RESOURCE_PATHS = { [""] = true, ["/"] = true, ["/mcp"] = true, ["/mcp/"] = true }

--- Does the resource that a client asks for (RFC 8707) mean this server? Clients write it with and without path and slash.
---@param origin string
---@param resource string
function uri.is_resource_of(origin, resource)
    local ours, theirs = uri.parse(origin), uri.parse(resource)
    if not ours or not theirs or not theirs.host or not is_web(theirs) or theirs.query then return false end
    return same_origin(ours, theirs) and RESOURCE_PATHS[theirs.path] ~= nil
end

return uri
