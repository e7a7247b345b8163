--- Sessions of the handshake era over HTTP beyond POST: GET listens to a session, or goes on with a stream where the
--- client lost it; DELETE ends the session.
local accept = require("mcp.accept")
local cancel = require("mcp.cancel")
local crypto = require("crypto")
local era = require("mcp.era")
local http_line = require("mcp.http_line")
local jsonrpc = require("mcp.jsonrpc")
local legacy = require("mcp.legacy")
local notify = require("mcp.notify")
local offer = require("mcp.offer")
local revisions = require("mcp.revisions")
local session = require("mcp.session")
local stream = require("stream")

local http_session = {}

local NOT_ALLOWED = { Allow = "POST" }

local function transport_of(request)
    return { header = function(_, name) return request:header(name) end, principal = http_line.principal(request) }
end

local function refuse_with(request, status, failure, headers)
    return status, jsonrpc.error(legacy.id_of(nil, transport_of(request)), failure), headers
end

local function refuse(request, status, text, headers)
    return refuse_with(request, status, jsonrpc.failure(jsonrpc.INVALID_REQUEST, text), headers)
end

-- The session of a request, or the refusal.
local function session_of(request)
    local header = request:header("mcp-protocol-version")
    local current = legacy.session_of(transport_of(request))
    if header and not revisions.is_known(header) then return nil, refuse_with(request, 400, era.unsupported(header)) end
    if revisions.is_modern(header) or (current == nil and header == nil) then
        return nil, refuse(request, 405, "Method not allowed: there is no session", NOT_ALLOWED)
    end
    if current == nil then return nil, refuse(request, 400, "Mcp-Session-Id is missing") end
    if not current then return nil, refuse_with(request, 404, legacy.session_not_found()) end
    return current
end

-- By its id a stream that listens to a session is known even when it is forgotten: another can take its place, as it
-- cannot for one that brings the answer to a request.
local LISTENS = "listen-"

local function open(request, current)
    local opened = request:stream({
        id = LISTENS .. crypto.random_text(12), owner = current.nonce, kept = true,
        topics = notify.session_topics(current.nonce), every_ms = http_line.EVERY_MS, detached = true,
    })
    if opened and revisions.resumes_from_start(current.revision) then opened:prime() end
    return opened
end

local function begin(request, current)
    if not open(request, current) then return refuse(request, 503, "There are too many streams") end
end

-- What came meanwhile is lost; what can be told of it is that something may have come.
local function begin_anew(server, request, current)
    local opened = open(request, current)
    if not opened then return refuse(request, 503, "There are too many streams") end
    notify.lists_may_have_changed(opened, offer.capabilities(server.registry))
end

local function go_on(server, request, current, last)
    if stream.owner(last) == current.nonce and request:resume(last) then return nil end
    if last:sub(1, #LISTENS) == LISTENS then return begin_anew(server, request, current) end
    return refuse(request, 400, "Last-Event-ID is not known in this session, or not any more")
end

local function listen(server, request, current)
    local takes = request:header("accept")
    if takes and not accept.read(takes).stream then
        return refuse(request, 406, "Not acceptable: the answer is text/event-stream")
    end
    local last = request:header("last-event-id")
    if not last or last == "" then return begin(request, current) end
    return go_on(server, request, current, last)
end

local function finish(current)
    session.finish(current)
    cancel.all(current.nonce)
    stream.end_topic(notify.session_topic(current.nonce))
    return 204
end

--- Answers a GET or DELETE.
---@param server mcp.Server
---@param request request.Request
---@return integer? status nil: the response is a stream that goes on
---@return string? body
---@return table<string, string>? headers
function http_session.handle(server, request)
    local current, status, body, headers = session_of(request)
    if not current then return status, body, headers end
    if request.method == "DELETE" then return finish(current) end
    if request.method == "GET" then return listen(server, request, current) end
    return refuse(request, 405, "Method not allowed: HEAD has no stream", NOT_ALLOWED)
end

return http_session
