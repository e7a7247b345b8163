--- Who a client id stands for. There are three kinds: registered here (the id says all), documents (cimd), and ids of v0.1.0,
--- of which nothing is known but that they were issued.
local artifact = require("oauth.artifact")
local cimd = require("oauth.cimd")
local host = require("host")
local known_clients = require("oauth.known_clients")
local uri = require("oauth.uri")

local clients = {}

---@class oauth.Client
---@field id string
---@field kind "registered"|"document"|"old"
---@field name string
---@field method string "none", "client_secret_post" or "client_secret_basic"
---@field allows fun(redirect: string): boolean
---@field trust fun(redirect: string): "known"|"described"|"claimed" how far its name can be believed there

local METHODS = { n = "none", p = "client_secret_post", b = "client_secret_basic" }

local function claimed() return "claimed" end

local function registered(id, claims)
    local hashes = {}
    for _, hash in ipairs(claims.r) do hashes[hash] = true end
    return {
        id = id, kind = "registered", name = claims.n, method = METHODS[claims.m],
        trust = claimed, allows = function(comparable) return hashes[artifact.fingerprint(comparable)] ~= nil end,
    }
end

-- A document speaks for the host that it lies on, and for no other.
local function trust_in(id, document)
    return function(redirect)
        if document.known then return "known" end
        return uri.shown(redirect) == uri.shown(id) and "described" or "claimed"
    end
end

local function documented(id, document)
    return {
        id = id, kind = "document", name = document.name, method = "none", trust = trust_in(id, document),
        allows = function(comparable)
            for _, pattern in ipairs(document.redirects) do
                if pattern == comparable or known_clients.matches(pattern, comparable) then return true end
            end
            return false
        end,
    }
end

-- v0.1.0 kept no record of what was registered: only addresses that belong to well-known clients, and loopback, are served.
local VENDORS = {
    ["https://claude.ai/api/mcp/auth_callback"] = true, ["https://claude.com/api/mcp/auth_callback"] = true,
    ["https://chatgpt.com/connector_platform_oauth_redirect"] = true, ["https://vscode.dev/redirect"] = true,
    ["https://insiders.vscode.dev/redirect"] = true, ["https://www.cursor.com/agents/mcp/oauth/callback"] = true,
    ["cursor://anysphere.cursor-mcp/oauth/callback"] = true,
}

local function old(id)
    return {
        id = id, kind = "old", name = "An app registered with an earlier version", method = "none", trust = claimed,
        allows = function(comparable)
            local parsed = uri.redirect(comparable)
            if parsed and uri.is_loopback(parsed) then return true end
            return VENDORS[comparable] or known_clients.matches("https://chatgpt.com/connector/oauth/*", comparable)
        end,
    }
end

--- nil and what a person should be told when there is no such client.
---@param id string
---@return oauth.Client?
---@return string? why
function clients.find(id)
    local claims = artifact.read("client", id)
    if claims then return registered(id, claims) end
    if cimd.is_id(id) then
        local document, why = cimd.find(id)
        if not document then return nil, "The app's own description at " .. id .. " could not be used: " .. why .. "." end
        return documented(id, document)
    end
    if #id == 43 and id:find("^[%w_-]+$") and host.setting("old_clients") == "on" then return old(id) end
    return nil, "This app is not registered here, or was registered with a server that had another secret."
end

return clients
