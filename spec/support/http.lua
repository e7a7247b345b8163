--- A small blocking HTTP/1.1 client for specs: exact bytes out, everything that comes back in.
local socket = require("socket")
local tap = require("spec.support.tap")

local http = {}

local PATIENCE_S = 60

---@class spec.Connection
local Connection = {}
Connection.__index = Connection

--- Connects; opts.seconds bounds every later wait.
---@return spec.Connection
function http.connect(host, port, opts)
    local sock = assert((host:find(":", 1, true) and socket.tcp6 or socket.tcp4)())
    sock:settimeout(opts and opts.seconds or PATIENCE_S)
    assert(sock:connect(host, port))
    sock:setoption("tcp-nodelay", true)
    return setmetatable({ sock = sock, pending = "", tap = tap.new() }, Connection)
end

function Connection:close() self.sock:close() end

--- Closes so that the peer sees a reset.
function Connection:reset()
    self.sock:setoption("linger", { on = true, timeout = 0 })
    self.sock:close()
end

--- Ends the sending side only.
function Connection:half_close() self.sock:shutdown("send") end

--- Sends bytes; nil and the reason when the peer is gone.
function Connection:send(bytes)
    self.tap.sent(bytes)
    local sent, why = self.sock:send(bytes)
    return sent and true, why
end

--- A request as bytes. request: method ("GET"), path ("/"), headers ({name = value} or a list of {name, value}),
--- body, chunks (list of strings: sent chunked). Host and Content-Length are added unless given or set to false.
function http.format(request)
    local lines = { ("%s %s HTTP/1.1"):format(request.method or "GET", request.path or "/") }
    local seen = {}
    local function add(name, value)
        seen[name:lower()] = true
        if value then lines[#lines + 1] = name .. ": " .. value end
    end
    for name, value in pairs(request.headers or {}) do
        if type(name) == "number" then add(value[1], value[2]) else add(name, value) end
    end
    if not seen.host then add("Host", request.host or "127.0.0.1") end
    local body = request.body or ""
    if request.chunks then
        if not seen["transfer-encoding"] then add("Transfer-Encoding", "chunked") end
        local parts = {}
        for _, chunk in ipairs(request.chunks) do parts[#parts + 1] = ("%x\r\n%s\r\n"):format(#chunk, chunk) end
        body = table.concat(parts) .. "0\r\n\r\n"
    elseif request.body and not seen["content-length"] then
        add("Content-Length", tostring(#body))
    end
    return table.concat(lines, "\r\n") .. "\r\n\r\n" .. body
end

--- More bytes from the peer: true, or false and "closed" or "timeout".
function Connection:fill()
    local bytes, why, partial = self.sock:receive(1)
    bytes = bytes or partial
    if bytes == "" then
        if why ~= "timeout" then self.tap.came(nil) end
        return false, why
    end
    self.sock:settimeout(0)
    local whole, _, part = self.sock:receive(65536)
    self.sock:settimeout(self.seconds or PATIENCE_S)
    bytes = bytes .. (whole or part)
    self.pending = self.pending .. bytes
    self.tap.came(bytes)
    return true
end

--- Bounds every later wait.
function Connection:patience(seconds)
    self.seconds = seconds
    self.sock:settimeout(seconds)
end

--- Exactly `count` bytes, or nil, reason, what came.
function Connection:read(count)
    while #self.pending < count do
        local ok, why = self:fill()
        if not ok then return nil, why, self.pending end
    end
    local bytes = self.pending:sub(1, count)
    self.pending = self.pending:sub(count + 1)
    return bytes
end

--- One line without its CRLF, or nil, reason.
function Connection:line()
    local stop = self.pending:find("\r\n", 1, true)
    while not stop do
        local ok, why = self:fill()
        if not ok then return nil, why end
        stop = self.pending:find("\r\n", 1, true)
    end
    local line = self.pending:sub(1, stop - 1)
    self.pending = self.pending:sub(stop + 2)
    return line
end

--- Everything until the peer closes; the second result is "closed" or "timeout".
function Connection:read_all()
    local ok, why = true, nil
    while ok do ok, why = self:fill() end
    local bytes = self.pending
    self.pending = ""
    return bytes, why
end

--- True when the peer closes (cleanly or by reset) without sending anything more.
function Connection:is_closed()
    local ok, why = self:fill()
    return not ok and why ~= "timeout"
end

---@class spec.Response
---@field status integer
---@field reason string
---@field version string
---@field headers table<string, string> lower-case names; repeated ones joined with ", "
---@field header_names string[] as received, in order
---@field body string

--- The status line and headers; nil, reason when the peer closes or says nothing.
---@return spec.Response?
function Connection:read_head()
    local first, why = self:line()
    if not first then return nil, why end
    local version, status, reason = first:match("^(HTTP/%d%.%d) (%d%d%d) ?(.*)$")
    assert(status, "no status line: " .. first)
    local response =
        { version = version, status = tonumber(status), reason = reason, headers = {}, header_names = {}, body = "" }
    for line in function() return self:line() end do
        if line == "" then return response end
        local name, value = line:match("^([^:]+):[ \t]*(.-)[ \t]*$")
        assert(name, "no header: " .. line)
        response.header_names[#response.header_names + 1] = name
        name = name:lower()
        response.headers[name] = response.headers[name] and response.headers[name] .. ", " .. value or value
    end
    error("the head ends early: " .. first)
end

--- One chunk of a chunked body; "" for the last one.
function Connection:read_chunk()
    local size = tonumber(assert(self:line()):match("^%x+"), 16)
    local chunk = assert(self:read(size))
    assert(self:line() == "", "no CRLF after a chunk")
    return chunk
end

local function body_of(self, response, method)
    local status, headers = response.status, response.headers
    if method == "HEAD" or status == 204 or status == 304 or status < 200 then return "" end
    if (headers["transfer-encoding"] or ""):lower() == "chunked" then
        local parts = {}
        for chunk in function() return self:read_chunk() end do
            if chunk == "" then return table.concat(parts) end
            parts[#parts + 1] = chunk
        end
    end
    if headers["content-length"] then return assert(self:read(tonumber(headers["content-length"]))) end
    return (self:read_all())
end

--- One whole response; answers of 1xx are returned as such. `method` is that of the request ("HEAD" has no body).
---@return spec.Response?
function Connection:read_response(method)
    local response, why = self:read_head()
    if not response then return nil, why end
    response.body = body_of(self, response, method)
    return response
end

--- Sends a request and reads its response.
function Connection:request(request)
    self:send(http.format(request))
    return self:read_response(request.method)
end

--- The events of a text/event-stream body: a list of {event=, id=, data=}; comments are left out.
function http.events(body)
    local events, event = {}, {}
    for line in (body .. "\n"):gsub("\r\n", "\n"):gmatch("([^\n]*)\n") do
        if line == "" then
            if next(event) then events[#events + 1] = event end
            event = {}
        elseif line:sub(1, 1) ~= ":" then
            local name, value = line:match("^([^:]*):? ?(.*)$")
            if name == "data" and event.data then value = event.data .. "\n" .. value end
            event[name] = value
        end
    end
    return events
end

--- The next event of a chunked event stream that was begun with read_head; nil at its end.
function Connection:read_event()
    self.stream = self.stream or ""
    while true do
        local stop = self.stream:find("\n\n", 1, true)
        if stop then
            local event = http.events(self.stream:sub(1, stop + 1))[1]
            self.stream = self.stream:sub(stop + 2)
            if event then return event end
        else
            local chunk = self:read_chunk()
            if chunk == "" then return nil end
            self.stream = self.stream .. chunk:gsub("\r\n", "\n")
        end
    end
end

return http
