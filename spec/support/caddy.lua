--- Caddy on loopback with certificates of its own, in front of a server: what people run, without the internet.
local program = require("spec.support.program")
local server = require("spec.support.server")
local tap = require("spec.support.tap")
local tmp = require("spec.support.tmp")

local caddy = {}

local HEAD = [[
{
    admin off
    skip_install_trust
    auto_https disable_redirects
    http_port %d
    https_port %d
    storage file_system %s
    servers {
        protocols h1 h2
    }
}
]]

---@class spec.Caddy
---@field port integer
---@field ca string file of the root certificate
local Caddy = {}
Caddy.__index = Caddy

--- Starts it. `sites(port)` makes the Caddyfile's sites; each answers at https://localhost:<port>.
---@return spec.Caddy
function caddy.start(sites)
    local folder, port = tmp.dir("caddy"), server.free_port()
    local file = tmp.write(folder .. "/Caddyfile", HEAD:format(server.free_port(), port, folder) .. sites(port))
    local self = setmetatable({ port = port, folder = folder, ca = folder .. "/pki/authorities/local/root.crt" }, Caddy)
    self.process = program.spawn({
        command = { "/usr/bin/caddy", "run", "--config", file, "--adapter", "caddyfile" }, env = { HOME = folder },
    })
    local up = program.wait_until(function()
        return not self.process:running() or tmp.read(self.ca) and self:curl("/") ~= nil
    end, 50)
    assert(up and self.process:running(), "caddy does not start\n" .. self.process:stderr())
    return self
end

--- A reverse proxy in front of a port, whatever host is asked for.
function caddy.proxy(upstream)
    return function(port)
        return ("https://localhost:%d, :%d {\n    tls internal\n    reverse_proxy 127.0.0.1:%d\n}\n"):format(port, port, upstream)
    end
end

--- One request by curl: status, headers (lower case) and body; nil when there is no answer. `options` are curl's.
function Caddy:curl(path, ...)
    local words = { "curl", "--silent", "--include", "--path-as-is", "--max-time", "20", "--noproxy", "'*'", "--cacert", self.ca }
    for _, word in ipairs({ ... }) do words[#words + 1] = tmp.quote(word) end
    words[#words + 1] = tmp.quote(("https://localhost:%d%s"):format(self.port, path))
    local pipe = assert(io.popen(table.concat(words, " ") .. " 2>/dev/null"))
    local output = pipe:read("a")
    pipe:close()
    local head, body = output:match("^(.-)\r\n\r\n(.*)$")
    if not head then return nil end
    local headers = {}
    for name, value in head:gmatch("\n([^:\r\n]+): *([^\r\n]*)") do headers[name:lower()] = value end
    local status = tonumber(head:match("^HTTP/[%d.]+ (%d+)"))
    if path:find("^/mcp") then tap.hear(status, headers, body) end
    return { version = head:match("^HTTP/([%d.]+)"), status = status, headers = headers, body = body }
end

function Caddy:stop()
    self.process:signal_with("sigkill")
    self.process:wait()
end

return caddy
