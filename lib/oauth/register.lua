--- Dynamic client registration (RFC 7591). Nothing is stored: the client id says what was registered.
local answer = require("oauth.answer")
local artifact = require("oauth.artifact")
local json = require("json")
local log = require("oauth.journal")
local text = require("text")
local uri = require("oauth.uri")
local visible = require("oauth.visible")

local register = {}

local ADDRESSES_MAX, NAME_MAX, NAME_IN_ID = 10, 100, 64
local WANTS_LIST = ": expected a list of strings"
local METHODS = { client_secret_post = "p", client_secret_basic = "b" }
local DEFAULT_GRANTS = json.array({ "authorization_code", "refresh_token" })

local function metadata(description) return nil, answer.failure("invalid_client_metadata", description) end

local function address(description) return nil, answer.failure("invalid_redirect_uri", description) end

--- The comparable forms of a list of redirect addresses; nil and a failure when one may not be registered.
---@return string[]?
---@return oauth.Error?
function register.addresses(list)
    if not json.is_array(list) or #list == 0 then return address("redirect_uris: expected a list with an address") end
    if #list > ADDRESSES_MAX then return address("redirect_uris: at most " .. ADDRESSES_MAX .. " addresses") end
    local comparable = {}
    for position, item in ipairs(list) do
        local parsed = type(item) == "string" and uri.redirect(item)
        if not parsed then
            return address(("redirect_uris[%d]: expected https, http on loopback, or the scheme of an app"):format(position - 1))
        end
        comparable[position] = uri.comparable(item, parsed)
    end
    return comparable
end

-- A text member; nil for absent, null and empty.
local function optional_text(body, name)
    local value = body[name]
    if value == nil or value == json.null or value == "" then return nil end
    if type(value) ~= "string" then return false, name .. ": expected a string" end
    return value
end

-- The wanted ones among those that are offered here; all of them where nothing fits.
local function choose(body, name, offered)
    local asked = body[name]
    if asked ~= nil and asked ~= json.null and not json.is_array(asked) then return nil, name .. WANTS_LIST end
    local chosen, seen = json.array({}), {}
    for _, item in ipairs(json.is_array(asked) and asked or {}) do
        if type(item) ~= "string" then return nil, name .. WANTS_LIST end
        seen[item] = true
    end
    for _, item in ipairs(offered) do
        if seen[item] then chosen[#chosen + 1] = item end
    end
    return #chosen > 0 and chosen or offered
end

local function client_id(name, comparable, method)
    local hashes = json.array({})
    for position, item in ipairs(comparable) do hashes[position] = artifact.fingerprint(item) end
    return artifact.make("client", { n = text.cut(name, NAME_IN_ID), r = hashes, m = METHODS[method] or "n", e = 0 })
end

local function read(body)
    if type(body) ~= "table" or json.is_array(body) or body == json.null then return metadata("expected a JSON object") end
    local comparable, failure = register.addresses(body.redirect_uris)
    if not comparable then return nil, failure end
    local name, complaint = optional_text(body, "client_name")
    if name == false then return metadata(complaint) end
    local scope
    scope, complaint = optional_text(body, "scope")
    if scope == false then return metadata(complaint) end
    local grants
    grants, complaint = choose(body, "grant_types", DEFAULT_GRANTS)
    if not grants then return metadata(complaint) end
    local types
    types, complaint = choose(body, "response_types", json.array({ "code" }))
    if not types then return metadata(complaint) end
    local method = METHODS[body.token_endpoint_auth_method] and body.token_endpoint_auth_method or "none"
    return {
        name = visible.name(name or "", NAME_MAX) or "unknown", scope = scope and text.clean(scope), grants = grants,
        types = types, method = method, addresses = body.redirect_uris, comparable = comparable,
    }
end

local function registered(wanted)
    local id = client_id(wanted.name, wanted.comparable, wanted.method)
    local secret = wanted.method ~= "none" and artifact.client_secret(id) or nil
    return {
        client_id = id,
        client_id_issued_at = artifact.now(),
        client_name = wanted.name,
        redirect_uris = wanted.addresses,
        grant_types = wanted.grants,
        response_types = wanted.types,
        token_endpoint_auth_method = wanted.method,
        scope = wanted.scope,
        client_secret = secret,
        client_secret_expires_at = secret and 0 or nil,
    }
end

function register.handle(request)
    local body, complaint = request:json()
    if body == nil then return answer.refuse(answer.failure("invalid_client_metadata", "no JSON: " .. complaint)) end
    local wanted, failure = read(body)
    if not wanted then return answer.refuse(failure) end
    log.attempt("client registered", { client = wanted.name, redirect = uri.shown(wanted.addresses[1]), method = wanted.method })
    return answer.json(201, registered(wanted))
end

return register
