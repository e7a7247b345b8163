--- An OAuth client for specs: what apps do, step by step, against a running server.
---
---     local app = oauth.new(oauth.start())
---     local tokens = app:sign_in()
local cjson = require("cjson")
local program = require("spec.support.program")
local servers = require("spec.support.server")
local stand_in = require("spec.support.stand_in")
local tmp = require("spec.support.tmp")

local oauth = {}

oauth.VERIFIER = "parity-verifier-0123456789-abcdefghijklmnopqrstuvwxyz"
oauth.CHALLENGE = "bKxGrt9INg-EFfxQ8SAKkrYXz7BqzROUkKH3Lpuf3tY"
oauth.REDIRECT = "https://app.example/callback"
local FORM = "application/x-www-form-urlencoded"

function oauth.encode(text)
    return (text:gsub("[^%w%-._~]", function(char) return ("%%%02X"):format(char:byte()) end))
end

function oauth.decode(text)
    return (text:gsub("+", " "):gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

--- `a=b&c=d` from a table, or a list of {name, value} for repeated names.
function oauth.form(fields)
    local parts = {}
    for name, value in pairs(fields) do
        if type(name) == "number" then name, value = value[1], value[2] end
        if value then parts[#parts + 1] = oauth.encode(name) .. "=" .. oauth.encode(value) end
    end
    table.sort(parts)
    return table.concat(parts, "&")
end

--- The parameters behind `?` of an address.
function oauth.query(address)
    local values = {}
    for name, value in (address:match("%?(.*)$") or ""):gmatch("([^&=]+)=([^&]*)") do
        values[oauth.decode(name)] = oauth.decode(value)
    end
    return values
end

local function merge(defaults, changes)
    local all = {}
    for name, value in pairs(defaults) do all[name] = value end
    for name, value in pairs(changes or {}) do all[name] = value end
    return all
end

--- Starts a server whose state lies in its workspace, so that another one there continues it.
function oauth.start(opts)
    local all = merge({ workspace = tmp.dir("workspace") }, opts)
    all.env = merge({ SANDSTORM_STATE_DIR = all.workspace .. "/.sandstorm-mcp" }, all.env)
    return servers.start(all)
end

---@class spec.App
local App = {}
App.__index = App

function oauth.new(server) return setmetatable({ server = server }, App) end

--- One request without a bearer; `headers` may add one.
function App:request(method, path, body, headers)
    local all = merge({ Authorization = false }, headers)
    local response = self.server:request({ method = method, path = path, body = body, headers = all })
    if response.body:find("^%s*[{%[]") then response.json = cjson.decode(response.body) end
    return response
end

function App:get(path, headers) return self:request("GET", path, nil, headers) end

--- Posts a form (a table) or bytes.
function App:post(path, fields, headers)
    local body = type(fields) == "table" and oauth.form(fields) or fields
    return self:request("POST", path, body, merge({ ["Content-Type"] = FORM }, headers))
end

--- Registers; `changes` go into the metadata. The response has `json`.
function App:register(changes, path)
    local metadata = merge({ client_name = "Spec", redirect_uris = { oauth.REDIRECT } }, changes)
    return self:request("POST", path or "/oauth/register", cjson.encode(metadata), { ["Content-Type"] = "application/json" })
end

--- The id of a newly registered client.
function App:client(changes) return self:register(changes).json.client_id end

local function authorization(client_id, changes)
    return merge({
        response_type = "code", client_id = client_id, redirect_uri = oauth.REDIRECT, state = "state-1",
        code_challenge = oauth.CHALLENGE, code_challenge_method = "S256",
    }, changes)
end

--- GET of the consent page.
function App:page(client_id, changes, headers)
    return self:get("/oauth/authorize?" .. oauth.form(authorization(client_id, changes)), headers)
end

--- What the form of a page carries.
function oauth.blob(page)
    return page.body:match('name="request" value="([^"]+)"') or error("no form: " .. page.status .. " " .. page.body, 2)
end

--- Sends the form.
function App:decide(blob, fields, headers)
    local all = merge({ request = blob, password = self.server.token, decision = "allow" }, fields)
    return self:post("/oauth/authorize", all, headers)
end

--- The code that consent gives.
function App:code(client_id, changes)
    local answer = self:decide(oauth.blob(self:page(client_id, changes)))
    local location = answer.headers.location or error("no redirect: " .. answer.status .. " " .. answer.body, 2)
    return oauth.query(location).code
end

--- The token request for a code.
function App:exchange(client_id, code, changes, headers)
    return self:post("/oauth/token", merge({
        grant_type = "authorization_code", code = code, client_id = client_id, redirect_uri = oauth.REDIRECT,
        code_verifier = oauth.VERIFIER,
    }, changes), headers)
end

function App:refresh(client_id, refresh_token, changes, headers)
    return self:post("/oauth/token",
        merge({ grant_type = "refresh_token", refresh_token = refresh_token, client_id = client_id }, changes), headers)
end

--- The whole way; returns the token response and the client id.
function App:sign_in(changes)
    local id = self:client()
    local answer = self:exchange(id, self:code(id, changes))
    assert(answer.status == 200, answer.body)
    return answer.json, id
end

local PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

--- A call of /mcp with a bearer.
function App:ping(token, headers, path)
    local all = merge({ ["Content-Type"] = "application/json", Authorization = token and "Bearer " .. token }, headers)
    return self:request("POST", path or "/mcp", PING, all)
end

--- Runs Lua in the program with the server's secret and state, to make what a server would only make at another time.
--- `at_ms` shifts its clock.
function App:mint(source, at_ms, ...)
    local head = ([[
        local clock = require("clock")
        local now = clock.now_ms() + %d
        local fakes = { clock = setmetatable({ now_ms = function() return now end }, { __index = clock }) }
        local require = standing_in(fakes, "^oauth.artifact$", "^mcp.seal$")
        local artifact = require("oauth.artifact")
        local args = { ... }
    ]]):format(at_ms or 0)
    local state = self.server.workspace .. "/.sandstorm-mcp"
    return (program.lua(stand_in .. head .. source, {
        args = { ... }, env = { SANDSTORM_MCP_TOKEN = self.server.token, SANDSTORM_STATE_DIR = state },
    }))
end

--- An access token as the server makes it, with other claims and at another time.
function App:access(claims, at_ms)
    local origin = ("http://127.0.0.1:%d"):format(self.server.port)
    local all = merge({ f = "specfamily", h = origin, s = "mcp" }, claims)
    return self:mint([[
        local claims = require("json").decode(args[1])
        claims.b = claims.b or now
        claims.e = claims.e or now // 1000 + 3600
        return artifact.make(args[2], claims)
    ]], at_ms, cjson.encode(all), claims and claims.kind or "access")
end

return oauth
