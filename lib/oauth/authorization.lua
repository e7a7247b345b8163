--- The request that brings a person here (RFC 6749, 4.1.1, with PKCE): is it one, and may it be answered to its client?
local clients = require("oauth.clients")
local form = require("oauth.form")
local uri = require("oauth.uri")

local authorization = {}

local STATE_MAX, SCOPE_MAX = 4096, 2048
local OURS = {
    "response_type", "client_id", "redirect_uri", "state", "scope", "code_challenge", "code_challenge_method", "resource",
    "response_mode",
}

---@class oauth.Request
---@field origin string of this server
---@field client oauth.Client
---@field redirect string
---@field state? string
---@field challenge string
---@field scope string what will be granted

---@class oauth.Complaint
---@field why string for a person
---@field detail? string what it is about
---@field redirect? string where to say it instead
---@field state? string
---@field error? string

local function complain(request, code, why)
    return nil, { redirect = request.redirect, state = request.state, error = code, why = why }
end

-- Who asks and where the answer goes; until both are certain there is no redirect.
local function read_target(origin, parsed)
    local values, repeated = parsed.values, parsed.repeated
    local id, redirect = values.client_id, values.redirect_uri
    if not id or id == "" or repeated.client_id then return nil, "The address lacks a client_id, or has more than one." end
    if not redirect or repeated.redirect_uri then return nil, "The address lacks a redirect_uri, or has more than one." end
    local client, why = clients.find(id)
    if not client then return nil, why end
    local where = uri.redirect(redirect)
    if not where or not client.allows(uri.comparable(redirect, where)) then
        return nil, "The app wants the answer sent to an address that it did not register:", redirect
    end
    return { origin = origin, client = client, redirect = redirect }
end

local function granted_scope(asked)
    for word in (asked or ""):gmatch("%S+") do
        if word == "offline_access" then return "mcp offline_access" end
    end
    return "mcp"
end

local function check_challenge(request, values)
    local method = values.code_challenge_method or "S256"
    if method ~= "S256" then return complain(request, "invalid_request", "code_challenge_method: only S256 is supported") end
    local challenge = values.code_challenge or ""
    if #challenge ~= 43 or challenge:find("[^%w_-]") then
        return complain(request, "invalid_request", "code_challenge: expected 43 characters of base64url")
    end
    request.challenge = challenge
    return request
end

local function check(request, parsed)
    local values = parsed.values
    local state = values.state
    if state and #state > STATE_MAX then return complain(request, "invalid_request", "state: too long") end
    request.state = state
    for _, name in ipairs(OURS) do
        if parsed.repeated[name] then return complain(request, "invalid_request", name .. ": given more than once") end
    end
    local kind = values.response_type
    if not kind then return complain(request, "invalid_request", "response_type is missing") end
    if kind ~= "code" then return complain(request, "unsupported_response_type", "only code is supported") end
    if (values.response_mode or "query") ~= "query" then
        return complain(request, "invalid_request", "response_mode: only query is supported")
    end
    if values.resource and not uri.is_resource_of(request.origin, values.resource) then
        return complain(request, "invalid_target", "resource: not the one of this server")
    end
    if values.scope and #values.scope > SCOPE_MAX then return complain(request, "invalid_scope", "scope: too long") end
    request.scope = granted_scope(values.scope)
    return check_challenge(request, values)
end

--- Reads the query of an authorization request.
---@param origin string
---@param query string
---@return oauth.Request?
---@return oauth.Complaint?
function authorization.read(origin, query)
    local parsed, why = form.parse(query)
    if not parsed then return nil, { why = "The address is damaged: " .. why .. "." } end
    local request, detail
    request, why, detail = read_target(origin, parsed)
    if not request then return nil, { why = why, detail = detail } end
    return check(request, parsed)
end

--- The address that a client is sent back to, with what it is told.
---@param origin string
---@param redirect string
---@param state? string
---@param parameters {[1]: string, [2]: string?}[]
function authorization.back(origin, redirect, state, parameters)
    local all = table.move(parameters, 1, #parameters, 1, {})
    all[#all + 1] = { "state", state }
    all[#all + 1] = { "iss", origin }
    return uri.join(redirect, form.write(all))
end

return authorization
