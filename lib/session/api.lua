--- The REST session API: short-lived workspaces for a backend.
local clock = require("clock")
local fiber = require("fiber")
local host = require("host")
local ledger = require("ledger")
local ordered = require("ordered")
local schemas = require("session.schemas")
local sessions = require("session.sessions")

local api = {}

local RETRY = { ["Retry-After"] = "1" }

local function answer(status, members) return status, ordered.encode(members) end

local function refuse(message, status)
    return status, ordered.encode({ { "error", message } }), status == 503 and RETRY or nil
end

-- What of a request the audit log keeps; the context of a session is its own affair.
local function kept(request)
    local body = request:body() ~= "" and request:json()
    if type(body) ~= "table" then return nil end
    return { type = body.type, ttl_minutes = body.ttl_minutes, requirements = body.requirements, command = body.command,
        timeout_ms = body.timeout_ms, cwd = body.cwd, additional_minutes = body.additional_minutes }
end

-- The handler of an action, with its line in the audit log.
local function recorded(action, handler)
    return function(request)
        local started = clock.monotonic_ms()
        fiber.trace(request:header("traceparent"))
        local status, body, headers = handler(request)
        ledger.session({
            action = action, principal = request:header("authorization") and "session" or "direct", peer = request.client,
            session = request.parameters.id or body:match('^{"id":"([^"]*)'), arguments = kept(request), status = status,
            duration_ms = clock.monotonic_ms() - started, bytes_in = request.size, bytes_out = #body,
        })
        return status, body, headers
    end
end

-- The checked fields of the body; where it may be absent that is {}.
local function fields_of(request, name, may_be_absent)
    local body, complaint
    if may_be_absent and request:body() == "" then
        body = {}
    else
        body, complaint = request:json()
        if body == nil then return nil, "Invalid JSON", complaint end
    end
    return schemas.read(name, body)
end

function api.create(request)
    local fields, complaint = fields_of(request, "create")
    if not fields then return refuse(complaint, 400) end
    local row, message, status = sessions.create(fields, request:body())
    if not row then return refuse(message, status) end
    return answer(201, { { "id", row.id }, { "status", "ready" }, { "workspace_path", row.workspace_path } })
end

-- What is answered for a command whose handler was stopped.
local function stopped(reason)
    reason = reason:match("stopped: (.*)$") or reason
    return refuse("The command was ended: " .. reason, reason:find("^the session ") and 410 or 503)
end

function api.exec(request)
    local fields, complaint = fields_of(request, "exec")
    if not fields then return refuse(complaint, 400) end
    if fields.command:find("\0", 1, true) then return refuse("command: cannot hold a NUL byte", 400) end
    request:on_stop(stopped)
    local members, message, status = sessions.exec(request.parameters.id, fields)
    if not members then return refuse(message, status) end
    return answer(200, members)
end

function api.status(request)
    local row, message, status = sessions.find(request.parameters.id)
    if not row then return refuse(message, status) end
    return answer(200, {
        { "id", row.id }, { "status", row.status }, { "type", row.type }, { "workspace_path", row.workspace_path },
        { "ttl_remaining_minutes", sessions.minutes_left(row) }, { "created_at", row.created_at },
    })
end

function api.extend(request)
    local fields, complaint = fields_of(request, "extend", true)
    if not fields then return refuse(complaint, 400) end
    local row, message, status = sessions.extend(request.parameters.id, fields.additional_minutes)
    if not row then return refuse(message, status) end
    return answer(200, {
        { "id", row.id }, { "status", row.status }, { "expires_at", row.expires_at },
        { "ttl_remaining_minutes", sessions.minutes_left(row) },
    })
end

function api.delete(request)
    local done, message, status = sessions.delete(request.parameters.id)
    if not done then return refuse(message, status) end
    return answer(200, { { "success", true } })
end

local ROUTES = {
    { "/session/create", "POST", recorded("create", api.create) }, { "/session/{id}/exec", "POST", recorded("exec", api.exec) },
    { "/session/{id}/status", "GET", api.status }, { "/session/{id}/extend", "POST", recorded("extend", api.extend) },
    { "/session/{id}", "DELETE", recorded("delete", api.delete) },
}

---@return app.Route[]
function api.routes()
    local routes = {}
    for position, route in ipairs(ROUTES) do
        routes[position] = {
            path = route[1], methods = { route[2] }, auth = "session", origin = "checked",
            body_limit = host.setting("body_limit"), handle = route[3],
        }
    end
    return routes
end

return api
