--- The paths of the authorization server. Each is served with and without a slash at its end and none is redirected.
local authorize = require("oauth.authorize")
local metadata = require("oauth.metadata")
local register = require("oauth.register")
local revoke = require("oauth.revoke")
local token = require("oauth.token")

local routes = {}

local SMALL, LARGE = 16384, 65536

-- Clients that find no metadata use the names without the folder.
local ENDPOINTS = {
    { name = "authorize", methods = { "GET", "POST" }, handle = authorize.handle, limit = SMALL, page = true },
    { name = "token", methods = { "POST" }, handle = token.handle, limit = LARGE },
    { name = "register", methods = { "POST" }, handle = register.handle, limit = LARGE },
    { name = "revoke", methods = { "POST" }, handle = revoke.handle, limit = LARGE },
}

local function route(path, methods, handle, limit, page)
    return {
        path = path, methods = methods, auth = "none", origin = "any", body_limit = limit, cors = not page, handle = handle,
    }
end

---@return app.Route[]
function routes.all()
    local list = {}
    for _, endpoint in ipairs(ENDPOINTS) do
        local short = "/" .. endpoint.name
        for _, path in ipairs({ "/oauth" .. short, "/oauth" .. short .. "/", short, short .. "/" }) do
            list[#list + 1] = route(path, endpoint.methods, endpoint.handle, endpoint.limit, endpoint.page)
        end
    end
    for path, handle in pairs(metadata.documents()) do list[#list + 1] = route(path, { "GET" }, handle, 0) end
    return list
end

return routes
