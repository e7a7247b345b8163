local run = require("spec.support.session_lua")

--- Sends requests in the program: `send(name, body, id)` gives status, the decoded answer, and headers.
local function with(source)
    return run([[
        local api, asked = require("session.api"), {}
        local function request(body, id)
            local methods = { parameters = { id = id }, size = #body, client = "192.0.2.1", asked = asked }
            function methods.body() return body end
            function methods.json() return json.decode(body) end
            function methods.header() return nil end
            function methods.on_stop(_, answer) asked.stopped = answer end
            return methods
        end
        local function send(name, body, id)
            local status, text, headers = api[name](request(body or "", id))
            return status, json.decode(text), headers, text
        end
        local function told(...)
            local status, answer = ...
            return { status, answer.error }
        end
    ]] .. source)
end

describe("session.api", function()
    it("makes a session and tells of it in the order of v0.1.0", function()
        local seen = with([[
            local function neutral(text)
                return (text:gsub("%x+%-%x+%-%x+%-%x+%-%x+", "ID"):gsub('"/[^"]-/sessions/', '"ROOT/sessions/'))
            end
            local status, made, _, text = send("create", '{"type":"t","ttl_minutes":5}')
            local seen, _, _, told = send("status", "", made.id)
            return { status, neutral(text), seen, neutral(told) }
        ]])
        assert.same({ 201, '{"id":"ID","status":"ready","workspace_path":"ROOT/sessions/ID"}', 200,
            '{"id":"ID","status":"ready","type":"t","workspace_path":"ROOT/sessions/ID","ttl_remaining_minutes":5,' ..
            '"created_at":"2026-11-30T12:00:00Z"}' }, seen)
    end)

    it("runs, extends and deletes", function()
        assert.same({ { 200, { id = "a", status = "ready", expires_at = "2026-11-30T12:45:00Z", ttl_remaining_minutes = 45 } },
            { 200, { exit_code = 0, stdout = "hi\n", stderr = "" } },
            { 200, { success = true } } }, with([[
            insert("a")
            local function pair(status, answer) return { status, answer } end
            return { pair(send("extend", "", "a")), pair(send("exec", '{"command":"echo hi"}', "a")),
                pair(send("delete", "", "a")) }
        ]]))
    end)

    it("extends by the default for an empty body, and for no other body that is none", function()
        assert.same({ 200, 200, { 400, "Invalid JSON" }, { 400, "body: expected a JSON object" } }, with([[
            insert("a")
            return { (send("extend", "", "a")), (send("extend", "{}", "a")), told(send("extend", "{", "a")),
                told(send("extend", "null", "a")) }
        ]]))
    end)

    it("says what is wrong with a body before it looks for a session", function()
        assert.same({ { 400, "Invalid JSON" }, { 400, "type: field required" }, { 400, "Invalid JSON" },
            { 400, "command: cannot hold a NUL byte" }, { 404, "Session not found or expired" },
            { 404, "Session not found or expired" }, { 404, "Session not found" }, { 404, "Session not found" } }, with([[
            return { told(send("create", "")), told(send("create", "{}")), told(send("exec", "", "nobody")),
                told(send("exec", '{"command":"\\u0000b"}', "nobody")), told(send("exec", '{"command":"true"}', "nobody")),
                told(send("extend", "", "nobody")), told(send("status", "", "nobody")), told(send("delete", "", "nobody")) }
        ]]))
    end)

    it("tells who should come again when", function()
        assert.same({ 503, "1" }, with([[
            store.find = function() return nil, "sessions.db: locked", "EBUSY" end
            local status, _, headers = send("status", "", "a")
            return { status, headers["Retry-After"] }
        ]]))
    end)

    it("has an answer for a command that is stopped: 410 with its session, 503 otherwise", function()
        assert.same({ { 410, "The command was ended: the session was deleted" },
            { 503, "The command was ended: the server stops" } }, with([[
            insert("a")
            send("exec", '{"command":"true"}', "a")
            local function stopped(reason)
                local status, body = asked.stopped(reason)
                return { status, json.decode(body).error }
            end
            return { stopped("lib/x.lua:1: stopped: the session was deleted"), stopped("the server stops") }
        ]]))
    end)

    it("keeps of a request what is no context, and of whom it was", function()
        assert.same({ "create", "direct", "192.0.2.1", 201, true, { type = "t", ttl_minutes = 5 } }, with([[
            local lines = {}
            require("ledger").session = function(line) lines[#lines + 1] = line end
            local create
            for _, route in ipairs(api.routes()) do
                if route.path == "/session/create" then create = route.handle end
            end
            local _, text = create(request('{"type":"t","ttl_minutes":5,"context":{"secret":1}}'))
            local line = lines[1]
            return { line.action, line.principal, line.peer, line.status, line.session == json.decode(text).id, line.arguments }
        ]]))
    end)

    it("keeps nothing of a body that is no object, and names the trace that a request belongs to", function()
        assert.same({ { 400, 400, 400 }, 3, { "seen", "seen", "seen" } }, with([[
            local lines, statuses, traces = {}, {}, {}
            require("ledger").session = function(line) lines[#lines + 1] = line.arguments == nil and line or nil end
            require("fiber").trace = function(value) traces[#traces + 1] = value end
            for _, route in ipairs(api.routes()) do
                if route.path == "/session/create" then
                    for _, body in ipairs({ "", "5", '"text"' }) do
                        local asking = request(body)
                        function asking.header(_, name) return name == "traceparent" and "seen" or nil end
                        statuses[#statuses + 1] = (route.handle(asking))
                    end
                end
            end
            return { statuses, #lines, traces }
        ]]))
    end)

    it("lets nobody in without the session's token, and no script of another site", function()
        assert.same({}, with([[
            local open = json.array({})
            for _, route in ipairs(api.routes()) do
                if route.auth ~= "session" or route.origin ~= "checked" then open[#open + 1] = route.path end
            end
            return open
        ]]))
    end)

    it("is there under the paths and methods of v0.1.0", function()
        assert.same({ "POST /session/create", "POST /session/{id}/exec", "GET /session/{id}/status", "POST /session/{id}/extend",
            "DELETE /session/{id}" }, with([[
            local list = {}
            for _, route in ipairs(api.routes()) do list[#list + 1] = table.concat(route.methods, ",") .. " " .. route.path end
            return list
        ]]))
    end)
end)
