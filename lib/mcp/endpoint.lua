--- MCP over HTTP: the body of a POST becomes a message, the era's engine answers it, and the answer becomes a response.
local accept = require("mcp.accept")
local era = require("mcp.era")
local host = require("host")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local legacy = require("mcp.legacy")
local levels = require("mcp.levels")
local modern = require("mcp.modern")

local endpoint = {}

local ENGINES = { legacy = legacy, modern = modern }

-- An answer that is not there after `after_ms` becomes a stream, so that nobody takes the server for dead.
local SLOW = { after_ms = 5000, every_ms = 15000 }

local STREAM_HEADERS = {
    ["Content-Type"] = "text/event-stream", ["Cache-Control"] = "no-cache", ["X-Accel-Buffering"] = "no",
}

-- A client that takes nothing but a stream gets one with one event.
local function respond(takes, status, body)
    if not body or takes.json then return status, body end
    return status, "event: message\ndata: " .. body .. "\n\n", STREAM_HEADERS
end

local function transport_of(request, message, takes)
    return {
        bytes = #request:body(),
        header = function(name) return request:header(name) end,
        on_long = function(stopped)
            if takes.stream and takes.json then request:stream_when_slow(SLOW) end
            request:on_stop(function(reason)
                return respond(takes, 200, jsonrpc.result(message.id, stopped(reason)))
            end)
        end,
    }
end

-- A refusal before the engine: the handshake revisions want an id of null where there is none, the stateless one no id.
local function refuse(header, message, failure)
    local id = jsonrpc.id_of(message)
    if id == nil and not levels.is_modern(header) then id = json.null end
    return 400, jsonrpc.error(id, failure)
end

local function answer(server, request, takes)
    local header = request:header("mcp-protocol-version")
    local message, complaint = request:json()
    if message == nil then
        return refuse(header, nil, jsonrpc.failure(jsonrpc.PARSE_ERROR, "Parse error: " .. complaint))
    end
    local kind, failure = jsonrpc.classify(message)
    if not kind then return refuse(header, message, failure) end
    local engine
    engine, failure = era.choose(header, message)
    if not engine then return refuse(header, message, failure) end
    if engine == "modern" then request:stop_on_disconnect(true) end -- there, closing the connection is the cancel
    return ENGINES[engine].handle(server, kind, message, transport_of(request, message, takes))
end

---@param server mcp.Server
---@param request request.Request
---@return integer status
---@return string? body
---@return table<string, string>? headers
function endpoint.handle(server, request)
    local takes = accept.read(request:header("accept"))
    if not takes.json and not takes.stream then
        local why = "Not acceptable: answers are application/json or text/event-stream"
        return 406, jsonrpc.error(json.null, jsonrpc.failure(jsonrpc.INVALID_REQUEST, why))
    end
    return respond(takes, answer(server, request, takes))
end

--- The routes of the endpoint.
---@param server mcp.Server
---@return app.Route[]
function endpoint.routes(server)
    local function handle(request) return endpoint.handle(server, request) end
    local routes = {}
    for position, path in ipairs({ "/mcp", "/mcp/" }) do
        routes[position] = {
            path = path, methods = { "POST" }, auth = "bearer", origin = "checked",
            body_limit = host.setting("body_limit"), media_type = "application/json", handle = handle,
        }
    end
    return routes
end

return endpoint
