--- MCP over HTTP: the body of a POST becomes a message, the era's engine answers it, and the answer becomes a response.
local accept = require("mcp.accept")
local batch = require("mcp.batch")
local era = require("mcp.era")
local fiber = require("fiber")
local host = require("host")
local http_line = require("mcp.http_line")
local http_session = require("mcp.http_session")
local incident = require("mcp.incident")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local legacy = require("mcp.legacy")
local modern = require("mcp.modern")
local revisions = require("mcp.revisions")

local endpoint = {}

local ENGINES = { legacy = legacy, modern = modern }

-- A refusal before the engine.
local function refuse(line, message, failure)
    return line:respond(400, jsonrpc.error(legacy.id_of(message, line), failure))
end

local function answer(server, request, line, message)
    local kind, failure = jsonrpc.classify(message)
    if not kind then return refuse(line, message, failure) end
    local engine
    engine, failure = era.choose(request:header("mcp-protocol-version"), message)
    if not engine then return refuse(line, message, failure) end
    if engine == "modern" then request:stop_on_disconnect(true) end -- there, closing the connection is the cancel
    return line:respond(incident.guard(message, ENGINES[engine].handle, server, kind, message, line))
end

-- Reads the message and names the handler, before any other has a turn: the next request may cancel this one.
local function take(request, line)
    local message, complaint = request:json()
    if legacy.name(message, line) then line:expect_cancel() end
    return message, complaint
end

local function post(server, request, takes)
    local line = http_line.new(request, takes)
    local message, complaint = fiber.at_once(take, request, line)
    if message == nil then
        return refuse(line, nil, jsonrpc.failure(jsonrpc.PARSE_ERROR, "Parse error: " .. complaint))
    end
    if json.is_array(message) and batch.is_taken(line) then
        line:remember_headers() -- the answer to the first of them may begin a stream
        return line:respond(batch.handle(server, message, line))
    end
    return answer(server, request, line, message)
end

---@param server mcp.Server
---@param request request.Request
---@return integer? status nil: the response is a stream that goes on
---@return string? body
---@return table<string, string>? headers
function endpoint.handle(server, request)
    if request.method ~= "POST" then return http_session.handle(server, request) end
    local takes = accept.read(request:header("accept"))
    if not takes.json and not takes.stream then
        local why = "Not acceptable: answers are application/json or text/event-stream"
        local id = revisions.no_id(request:header("mcp-protocol-version"))
        return 406, jsonrpc.error(id, jsonrpc.failure(jsonrpc.INVALID_REQUEST, why))
    end
    return post(server, request, takes)
end

local FORBIDDEN = jsonrpc.error(nil,
    jsonrpc.failure(jsonrpc.INVALID_REQUEST, "Forbidden: pages of this origin may not call this server"))

--- The routes of the endpoint.
---@param server mcp.Server
---@return app.Route[]
function endpoint.routes(server)
    local function handle(request) return endpoint.handle(server, request) end
    local routes = {}
    for position, path in ipairs({ "/mcp", "/mcp/" }) do
        routes[position] = {
            path = path, methods = { "POST", "GET", "DELETE" }, auth = "bearer", origin = "checked",
            body_limit = host.setting("body_limit"), media_type = "application/json", handle = handle,
            forbidden = FORBIDDEN,
        }
    end
    return routes
end

return endpoint
