--- Who calls the token endpoint: a public client by its id, a confidential one with its secret, in the body or as Basic.
local answer = require("oauth.answer")
local artifact = require("oauth.artifact")
local clients = require("oauth.clients")
local crypto = require("crypto")
local form = require("oauth.form")

local client_auth = {}

local function invalid(description, basic)
    local headers = basic and { ["WWW-Authenticate"] = 'Basic realm="sandstorm"' } or nil
    return nil, answer.failure("invalid_client", description, 401, headers)
end

-- Id and secret of a Basic header as written and as decoded: clients differ on whether they encode them (RFC 6749, 2.3.1).
local function read_basic(header)
    local scheme, encoded = header:match("^%s*(%S+)%s+(%S+)%s*$")
    if not scheme or scheme:lower() ~= "basic" then return nil end
    local id, secret = (crypto.unbase64(encoded) or ""):match("^([^:]*):(.*)$")
    if not id then return nil end
    return { id = id, secret = secret, decoded_id = form.decode(id) or id, decoded_secret = form.decode(secret) or secret }
end

local function credentials(request, values)
    local header = request:header("authorization")
    local basic = header and read_basic(header)
    if header and not basic then return invalid("Authorization: expected Basic with client id and secret", true) end
    if not basic then return { id = values.client_id, secrets = { values.client_secret } } end
    if values.client_secret then return nil, answer.failure("invalid_request", "client credentials: given in two ways") end
    local id = values.client_id or basic.decoded_id
    if id ~= basic.id and id ~= basic.decoded_id then
        return nil, answer.failure("invalid_request", "client_id: not the one of the Authorization header")
    end
    return { id = id, secrets = { basic.secret, basic.decoded_secret }, basic = true }
end

local function knows_secret(id, secrets)
    local right, found = artifact.client_secret(id), false
    for _, secret in ipairs(secrets) do found = crypto.equal(right, secret) or found end
    return found
end

--- The client that calls.
---@return oauth.Client?
---@return oauth.Error?
function client_auth.identify(request, values)
    local given, failure = credentials(request, values)
    if not given then return nil, failure end
    if not given.id or given.id == "" then return nil, answer.failure("invalid_request", "client_id is missing") end
    local client = clients.find(given.id)
    if not client then return invalid("unknown client: register again", given.basic) end
    if client.method ~= "none" and not knows_secret(client.id, given.secrets) then
        return invalid("wrong client secret", given.basic)
    end
    return client
end

return client_auth
