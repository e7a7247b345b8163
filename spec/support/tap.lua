--- Reads along on a connection to a server, in both directions: whatever the server answers at /mcp, as JSON or as a
--- stream, is checked. It raises where the bytes are read, so that no spec can forget it.
local conversation = require("spec.support.conversation")

local tap = {}

-- Runs `parse` in steps: `feed(bytes)` goes on with it as far as they reach; nil for bytes is their end.
local function parser(parse)
    local pending, at, source = "", 1, {} -- what came, and how far it was read
    local function more()
        local bytes = coroutine.yield()
        if bytes then pending, at = pending:sub(at) .. bytes, 1 end
        return bytes ~= nil
    end
    function source.line()
        local stop = pending:find("\r\n", at, true)
        while not stop do
            local seen = #pending - at
            if not more() then return nil end
            stop = pending:find("\r\n", math.max(1, seen), true)
        end
        local line = pending:sub(at, stop - 1)
        at = stop + 2
        return line
    end
    function source.take(count)
        local parts, have = { pending:sub(at) }, #pending - at + 1
        while have < count do
            local bytes = coroutine.yield()
            if not bytes then return nil end
            parts[#parts + 1], have = bytes, have + #bytes
        end
        local all = table.concat(parts)
        pending, at = all, count + 1
        return all:sub(1, count)
    end
    function source.rest()
        while more() do end
        return pending:sub(at)
    end
    local running = coroutine.create(function() parse(source) end)
    coroutine.resume(running)
    return function(bytes)
        if coroutine.status(running) == "dead" then return end
        local ok, why = coroutine.resume(running, bytes)
        if not ok then error(why, 0) end
    end
end

-- The header fields up to the empty line; nil for what is none, or ends before.
local function read_headers(source)
    local headers = {}
    for line in source.line do
        if line == "" then return headers end
        local name, value = line:match("^([^:%s]+):[ \t]*(.-)[ \t]*$")
        if not name then return nil end
        name = name:lower()
        headers[name] = headers[name] and headers[name] .. ", " .. value or value
    end
end

-- Hands each piece of a chunked body to `take`; false for what is no such body.
local function read_chunks(source, take)
    for line in source.line do
        local size = tonumber(line:match("^%x+") or "", 16)
        if not size then return false end
        if size == 0 then return read_headers(source) ~= nil end
        local chunk = source.take(size)
        if not chunk or source.line() ~= "" then return false end
        take(chunk)
    end
    return false
end

local function read_body(source, headers)
    if headers["transfer-encoding"] then
        local parts = {}
        local whole = read_chunks(source, function(chunk) parts[#parts + 1] = chunk end)
        return whole and table.concat(parts) or nil
    end
    local length = headers["content-length"] or "0"
    return length:find("^%d+$") and source.take(tonumber(length)) or nil
end

-- What is no request in the eyes of this parser ends it: what the server answers from there on is judged by itself.
local function requests(queue)
    return parser(function(source)
        for line in source.line do
            local method, path = line:match("^(%u+) ([^%s?]*)%S* HTTP/1%.[01]$")
            local headers = method and read_headers(source)
            if not headers then return end
            local request = { method = method, path = path, headers = headers }
            queue[#queue + 1] = request
            request.body = read_body(source, headers)
            if not request.body then return end
        end
    end)
end

local function is_stream(headers) return (headers["content-type"] or ""):find("^text/event%-stream") ~= nil end

-- One event of a stream.
local function hear_event(asked, text)
    local data
    for line in text:gmatch("[^\n]+") do
        local part = line:match("^data: ?(.*)$")
        if part and data then error("an event of several lines of data: " .. text, 0) end
        data = data or part
    end
    if data == "" and not (asked.revision and asked.revision >= "2025-11-25") then
        error("an event without data in " .. tostring(asked.revision), 0)
    end
    if data and data ~= "" then asked:hear(data) end
end

-- A function that takes a stream piece by piece.
local function stream_of(asked)
    local pending = ""
    return function(piece)
        pending = pending .. piece
        for event in function() return pending:match("^(.-)\n\n") end do
            pending = pending:sub(#event + 3)
            hear_event(asked, event)
        end
    end
end

local function hear_body(asked, response, body)
    if response.status == 202 and body ~= "" then error("202 with a body: " .. body, 0) end
    if body == "" then return end
    if is_stream(response.headers) then return stream_of(asked)(body) end
    local is_message = response.status < 300 or body:find('"jsonrpc"', 1, true)
    if is_message then asked:hear(body) end
    local session = response.headers["mcp-session-id"]
    if session and asked.began then conversation.begin(session, asked.began) end
end

local IS_EMPTY = { [204] = true, [304] = true }

local function is_endpoint(request) return request.path == "/mcp" or request.path == "/mcp/" end

local function read_answer(source, request, response)
    if IS_EMPTY[response.status] or request.method == "HEAD" then return true end
    local hears = is_endpoint(request)
    local asked = hears and conversation.of_request(request.headers, request.body)
    local headers = response.headers
    if headers["transfer-encoding"] and is_stream(headers) then
        return read_chunks(source, hears and stream_of(asked) or function() end)
    end
    local body
    if headers["transfer-encoding"] or headers["content-length"] then
        body = read_body(source, headers)
    else
        body = source.rest()
    end
    if body and hears then hear_body(asked, response, body) end
    return body ~= nil
end

local function responses(queue)
    return parser(function(source)
        for line in source.line do
            local status = tonumber(line:match("^HTTP/1%.[01] (%d%d%d)"))
            local headers = status and read_headers(source)
            if not headers then return end
            if status >= 200 then
                local request = table.remove(queue, 1) or { path = "", headers = {} }
                if not read_answer(source, request, { status = status, headers = headers }) then return end
            end
        end
    end)
end

---@class spec.Tap
---@field sent fun(bytes: string) they go to the server
---@field came fun(bytes?: string) they came from it; nil: it has closed

--- Reads along on a new connection.
---@return spec.Tap
function tap.new()
    local queue = {}
    return { sent = requests(queue), came = responses(queue) }
end

--- Checks the body of an answer of /mcp that came in another way, such as through curl.
---@param status integer
---@param headers table<string, string> by lower-case name
---@param body string
---@param asked? spec.Asked
function tap.hear(status, headers, body, asked)
    hear_body(asked or conversation.new(), { status = status, headers = headers }, body)
end

return tap
