--- What the wire specs share: exact bytes to a server, and every answer until it closes.
local cjson = require("cjson")
local http = require("spec.support.http")

local wire = {}

--- Lines joined by CRLF; the last one ends the header section when it is "".
function wire.lines(...) return table.concat({ ... }, "\r\n") .. "\r\n" end

--- Sends bytes on a new connection and reads every answer until the server closes it.
--- opts.half_close: end the sending side first. Returns the list of responses; raises unless the end is a clean one.
---@return spec.Response[]
function wire.answers(server, bytes, opts)
    local connection = server:connect()
    assert(connection:send(bytes))
    if opts and opts.half_close then connection:half_close() end
    local responses = {}
    local response, why = connection:read_response(opts and opts.method)
    while response do
        responses[#responses + 1] = response
        response, why = connection:read_response(opts and opts.method)
    end
    connection:close()
    if why ~= "closed" then error(("after %d answers: %s"):format(#responses, why), 2) end
    return responses
end

--- The one answer to bytes after which the server closes; raises if there are more.
---@return spec.Response
function wire.answer(server, bytes, opts)
    local responses = wire.answers(server, bytes, opts)
    if #responses ~= 1 then error(("%d answers to one request"):format(#responses), 2) end
    return responses[1]
end

--- A tools/call as the bytes of a request to /mcp. Further headers replace those of that name; false leaves one out.
function wire.call(server, name, arguments, headers)
    local message = {
        jsonrpc = "2.0", id = 1, method = "tools/call",
        params = { name = name, arguments = arguments and next(arguments) and arguments or nil },
    }
    local all = {
        Authorization = "Bearer " .. server.token, Accept = "application/json, text/event-stream",
        ["Content-Type"] = "application/json",
    }
    for field, value in pairs(headers or {}) do all[field] = value end
    return http.format({
        method = "POST", path = "/mcp", headers = all, body = cjson.encode(message),
        host = ("%s:%d"):format(server.host, server.port),
    })
end

--- A tools/call of terminal_exec as the bytes of a request to /mcp.
function wire.exec(server, command, headers) return wire.call(server, "terminal_exec", { command = command }, headers) end

--- Sends a call on a connection of its own and does not wait for its answer.
---@return spec.Connection
function wire.begin(server, name, arguments)
    local connection = server:connect()
    assert(connection:send(wire.call(server, name, arguments)))
    return connection
end

--- Waits for the answer to the call of wire.begin and closes; the CallToolResult.
function wire.result(connection)
    local response = assert(connection:read_response("POST"))
    connection:close()
    local body = response.body
    if (response.headers["content-type"] or ""):find("^text/event%-stream") then
        local events = http.events(body)
        body = events[#events].data
    end
    local answer = cjson.decode(body)
    return answer.result or error(cjson.encode(answer.error), 2)
end

--- Processor time that the server used so far, in seconds.
function wire.cpu_seconds(server)
    local file = assert(io.open("/proc/" .. server.process.pid .. "/stat"))
    local fields, at = file:read("a"):match("%) (.*)"), 0
    file:close()
    local total = 0
    for field in fields:gmatch("%S+") do
        at = at + 1
        if at == 12 or at == 13 then total = total + tonumber(field) end
    end
    return total / 100
end

return wire
