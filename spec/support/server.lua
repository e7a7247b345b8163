--- Starts a real server on a free loopback port with a workspace, a home and a token of its own, and talks to it.
---
---     local s = server.start({ tools = "spec/fixtures/tools.lua" })
---     local result = s:call("file_read", { path = "a" })
---     s:stop() -- SIGTERM; raises unless it ends with exit code 0
local cjson = require("cjson")
local socket = require("socket")
local http = require("spec.support.http")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")
local uv = require("luv")

local server = {}

---@class spec.Server
---@field host string
---@field port integer
---@field token string
---@field workspace string
---@field process spec.Process
local Server = {}
Server.__index = Server

-- Runs at one time have a range each (spec/run says which), below the ports that the kernel gives to clients: what is
-- free now is still free when the server that it is for binds it.
local PORTS = 5000
local first = tonumber(os.getenv("SPEC_PORTS") or 20000)
local offset = math.floor(uv.hrtime() / 1000) % PORTS

--- A port that nobody listens on now.
function server.free_port(host)
    for _ = 1, PORTS do
        offset = (offset + 1) % PORTS
        local sock = socket.bind(host or "127.0.0.1", first + offset)
        if sock then
            sock:close()
            return first + offset
        end
    end
    error("no port is free")
end

--- Does anybody accept connections there?
function server.accepts(host, port)
    local sock = (host:find(":", 1, true) and socket.tcp6 or socket.tcp4)()
    sock:settimeout(1)
    local ok = sock:connect(host, port)
    sock:close()
    return ok
end

local state_dirs = {} -- a server that is started again on its workspace finds its data again

local function state_dir(workspace)
    state_dirs[workspace] = state_dirs[workspace] or tmp.dir("state")
    return state_dirs[workspace]
end

local function launch(opts)
    local host, port = opts.host or "127.0.0.1", opts.port or server.free_port()
    local token = opts.token or "spec-token-0123456789abcdef"
    local env = { SANDSTORM_MCP_HOST = host, SANDSTORM_MCP_PORT = tostring(port), SANDSTORM_MCP_TOKEN = token }
    local workspace = opts.workspace or tmp.dir("workspace")
    env.SANDSTORM_STATE_DIR = state_dir(workspace)
    env.SANDSTORM_TOOLS = opts.tools and (opts.tools:match("^/") and opts.tools or program.root .. "/" .. opts.tools)
    for name, value in pairs(opts.env or {}) do env[name] = value end
    local args = { "serve" }
    table.move(opts.args or {}, 1, #(opts.args or {}), 2, args)
    local process = program.spawn({
        args = args, env = env, workspace = workspace, cwd = opts.cwd, wrap = opts.wrap,
    })
    local self = setmetatable(
        { host = opts.reach or host, port = port, token = token, workspace = process.workspace, process = process },
        Server)
    program.wait_until(function() return not process:running() or server.accepts(self.host, port) end, opts.poll_ms)
    return self, process:running() and server.accepts(self.host, port)
end

--- Starts a server and waits until it accepts connections.
--- opts: tools (root scripts file), env (changes; false removes), args (further flags), workspace, host, port, token,
--- cwd, wrap (see program.spawn), reach (address to talk to when `host` is none, such as "localhost"),
--- poll_ms (how often to try, default 5).
---@return spec.Server
function server.start(opts)
    opts = opts or {}
    local self, up
    for _ = 1, opts.port and 1 or 3 do -- another process may have taken the free port
        self, up = launch(opts)
        if up then return self end
    end
    self:kill()
    error("the server does not start\n" .. self.process:stdout() .. self.process:stderr(), 2)
end

--- A new connection.
---@return spec.Connection
function Server:connect(opts) return http.connect(self.host, self.port, opts) end

--- One request on a new connection, with the bearer unless headers name another Authorization (false: none).
---@return spec.Response
function Server:request(request)
    local all = { method = request.method, path = request.path, body = request.body, chunks = request.chunks }
    all.headers = { Authorization = "Bearer " .. self.token, Connection = "close" }
    if request.body or request.chunks then all.headers["Content-Type"] = "application/json" end
    for name, value in pairs(request.headers or {}) do all.headers[name] = value end
    all.host = ("%s:%d"):format(self.host, self.port)
    local connection = self:connect()
    local response, why = connection:request(all)
    connection:close()
    return response or error("no answer: " .. tostring(why), 2)
end

--- POSTs bytes or a table to /mcp; returns the response with `json`, the decoded message (the last event's where
--- the answer is a stream), if there is one.
function Server:post(message, headers)
    local body = type(message) == "string" and message or cjson.encode(message)
    local accept = { Accept = "application/json, text/event-stream" }
    for name, value in pairs(headers or {}) do accept[name] = value end
    local response = self:request({ method = "POST", path = "/mcp", body = body, headers = accept })
    local text = response.body
    if (response.headers["content-type"] or ""):find("^text/event%-stream") then
        local events = http.events(text)
        text = events[#events] and events[#events].data or ""
    end
    if text ~= "" and text:find("^%s*[{%[]") then response.json = cjson.decode(text) end
    return response
end

--- A JSON-RPC request without session: the whole decoded answer ({result=} or {error=}).
function Server:rpc(method, params, headers)
    self.last_id = (self.last_id or 0) + 1
    local message = { jsonrpc = "2.0", id = self.last_id, method = method, params = params }
    local response = self:post(message, headers)
    return response.json or error(("%s: status %d, no JSON: %s"):format(method, response.status, response.body), 2)
end

--- tools/call: the CallToolResult; raises when the answer is a JSON-RPC error.
function Server:call(name, arguments)
    if arguments and next(arguments) == nil then arguments = nil end
    local answer = self:rpc("tools/call", { name = name, arguments = arguments })
    return answer.result or error(name .. ": " .. cjson.encode(answer.error), 2)
end

--- The text of the first content item of a call, and whether it is an error.
function Server:text(name, arguments)
    local result = self:call(name, arguments)
    return result.content[1].text, result.isError or false
end

--- The log so far: a list of decoded lines.
function Server:log()
    local lines = {}
    for line in self.process:stdout():gmatch("[^\n]+") do lines[#lines + 1] = cjson.decode(line) end
    return lines
end

--- Waits for a log line for which `matches(line)` holds and returns it; raises when none comes.
function Server:wait_log(matches)
    local found
    program.wait_until(function()
        for _, line in ipairs(self:log()) do
            if matches(line) then found = line end
        end
        return found ~= nil
    end)
    return found or error("no such log line:\n" .. self.process:stdout(), 2)
end

--- A number of /proc/<pid>/status, such as "VmRSS" (kB).
function Server:status(field)
    local text = tmp.read("/proc/" .. self.process.pid .. "/status") or ""
    return tonumber(text:match(field .. ":%s*(%d+)"))
end

--- How many descriptors the server has open.
function Server:descriptors()
    return tonumber(tmp.shell(("ls /proc/%d/fd | wc -l"):format(self.process.pid)))
end

--- Ends it with SIGTERM; raises unless it leaves with exit code 0. A second call does nothing.
function Server:stop()
    if self.stopped then return end
    self.stopped = true
    self.process:signal_with("sigterm")
    local code, signal = self.process:wait()
    if code ~= 0 or signal ~= 0 then
        error(("the server ended with exit code %d, signal %d\n%s%s"):format(code, signal,
            self.process:stdout():sub(-4000), self.process:stderr()), 2)
    end
end

--- Ends it at once, whatever it does.
function Server:kill()
    self.stopped = true
    self.process:signal_with("sigkill")
    self.process:wait()
end

return server
