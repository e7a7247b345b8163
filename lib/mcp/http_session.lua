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

local function open(request, current)
    local opened = request:stream({
        id = crypto.random_text(12), owner = current.nonce, kept = true, topics = notify.session_topics(current.nonce),
        every_ms = http_line.EVERY_MS, detached = true,
    })
    if not opened then return refuse(request, 503, "There are too many streams") end
    if revisions.resumes_from_start(current.revision) then opened:prime() end
end

local function listen(request, current)
    if not accept.read(request:header("accept")).stream and request:header("accept") then
        return refuse(request, 406, "Not acceptable: the answer is text/event-stream")
    end
    local last = request:header("last-event-id")
    if not last or last == "" then return open(request, current) end
    if stream.owner(last) ~= current.nonce then return refuse(request, 400, "Last-Event-ID is not known in this session") end
    if not request:resume(last) then return refuse(request, 400, "Last-Event-ID is too old") end
end

local function finish(current)
    session.finish(current)
    cancel.all(current.nonce)
    stream.end_topic(notify.session_topic(current.nonce))
    return 204
end

--- Answers a GET or DELETE.
---@param request request.Request
---@return integer? status nil: the response is a stream that goes on
---@return string? body
---@return table<string, string>? headers
function http_session.handle(request)
    local current, status, body, headers = session_of(request)
    if not current then return status, body, headers end
    if request.method == "DELETE" then return finish(current) end
    if request.method == "GET" then return listen(request, current) end
    return refuse(request, 405, "Method not allowed: HEAD has no stream", NOT_ALLOWED)
end

return http_session
