--- Talks to the session API of a server.
local cjson = require("cjson")
local http = require("spec.support.http")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local sessions = {}

--- Starts a server (server.start) whose state folder is the default one, in its workspace: the next server there finds
--- what this one left.
---@return spec.Server
function sessions.serve(opts)
    local all = { workspace = tmp.dir("workspace") }
    for name, value in pairs(opts or {}) do all[name] = value end
    local env = { SANDSTORM_STATE_DIR = false }
    for name, value in pairs(all.env or {}) do env[name] = value end
    all.env = env
    return server.start(all)
end

--- A request; returns status, decoded body and response. `body` may be a table, text or nil.
function sessions.ask(s, method, path, body, headers)
    if type(body) == "table" then body = cjson.encode(body) end
    local response = s:request({ method = method, path = path, body = body, headers = headers })
    local ok, decoded = pcall(cjson.decode, response.body)
    return response.status, ok and decoded or nil, response
end

--- Makes a session and returns its id and folder.
function sessions.create(s, fields, headers)
    local all = { type = "spec" }
    for name, value in pairs(fields or {}) do all[name] = value end
    local status, answer = sessions.ask(s, "POST", "/session/create", all, headers)
    if status ~= 201 then error(("create: %d %s"):format(status, answer and answer.error or ""), 2) end
    return answer.id, answer.workspace_path
end

--- Runs a command; returns status and answer.
function sessions.exec(s, id, command, more)
    local fields = { command = command }
    for name, value in pairs(more or {}) do fields[name] = value end
    return sessions.ask(s, "POST", "/session/" .. id .. "/exec", fields)
end

--- The bytes of a request.
function sessions.bytes(s, method, path, body)
    return http.format({ method = method, path = path, body = body, headers = { Authorization = "Bearer " .. s.token } })
end

--- Sends a request on a new connection and does not wait; returns the connection.
function sessions.send(s, method, path, body)
    local connection = s:connect()
    connection:send(sessions.bytes(s, method, path, body))
    return connection
end

--- Starts a command and does not wait: returns a function that waits for its answer.
function sessions.start(s, id, command)
    local body = cjson.encode({ command = command, timeout_ms = 300000 })
    local connection = sessions.send(s, "POST", "/session/" .. id .. "/exec", body)
    return function()
        local response = assert(connection:read_response("POST"))
        connection:close()
        return response.status, cjson.decode(response.body)
    end
end

function sessions.status(s, id)
    local _, answer = sessions.ask(s, "GET", "/session/" .. id .. "/status")
    return answer.status
end

--- Waits for a state.
function sessions.wait_status(s, id, wanted)
    if program.wait_until(function() return sessions.status(s, id) == wanted end) then return end
    error(("session %s is %s, never %s"):format(id, sessions.status(s, id), wanted), 2)
end

--- Waits for a file.
function sessions.wait_file(path)
    if program.wait_until(function() return tmp.kind(path) ~= nil end) then return end
    error("there is no " .. path, 2)
end

function sessions.database(workspace) return workspace .. "/.sandstorm-mcp/sessions.db" end

--- What another process at the database says.
function sessions.sql(workspace, statement)
    local line = "sqlite3 -cmd '.timeout 10000' %s %s"
    return tmp.shell(line:format(tmp.quote(sessions.database(workspace)), tmp.quote(statement)))
end

return sessions
