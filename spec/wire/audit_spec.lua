local cjson = require("cjson")
local mcp = require("spec.support.mcp")
local program = require("spec.support.program")
local server = require("spec.support.server")
local sessions = require("spec.support.sessions")
local tmp = require("spec.support.tmp")

local TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

local function lines_of(path)
    local list = {}
    for line in (tmp.read(path) or ""):gmatch("[^\n]+") do list[#list + 1] = cjson.decode(line) end
    return list
end

describe("the audit log", function()
    local s, path

    before_each(function()
        path = tmp.dir("audit") .. "/audit.log"
        s = server.start({ env = { SANDSTORM_AUDIT_FILE = path } })
    end)
    after_each(function() s:stop() end)

    --- The one line for which `wanted` holds; it is written at the end of a turn of the loop.
    local function line_with(wanted)
        local found
        program.wait_until(function()
            for _, line in ipairs(lines_of(path)) do
                if wanted(line) then found = line end
            end
            return found
        end)
        return assert(found, tmp.read(path) or "no file")
    end

    it("has a line for what happens at the sign-in, without secrets", function()
        local registration = cjson.encode({ redirect_uris = { "https://client.example/callback" }, client_name = "Spec" })
        local made = s:request({
            method = "POST", path = "/oauth/register", body = registration, headers = { Authorization = false },
        })
        assert.equal(201, made.status)
        local registered = line_with(function(line) return line.action == "client registered" end)
        assert.same({ "auth", "Spec" }, { registered.event, registered.client })
        local refused = s:request({
            method = "POST", path = "/oauth/token", body = "grant_type=authorization_code&code=sesame&client_id=x",
            headers = { Authorization = false, ["Content-Type"] = "application/x-www-form-urlencoded" },
        })
        assert.is_true(refused.status == 400 or refused.status == 401, refused.status)
        line_with(function(line) return line.action == "token refused" and line.event == "auth" end)
        assert.is_nil(tmp.read(path):find("sesame", 1, true))
    end)

    it("has a line for each tool call: who, what, how it ended", function()
        s:call("terminal_exec", { command = "echo hi; API_TOKEN=abc sleep 0.1" })
        local line = line_with(function(line) return line.event == "tool" end)
        assert.same({ "terminal_exec", "ok", "echo hi; API_TOKEN=[redacted] sleep 0.1" }, { line.tool, line.outcome,
            line.arguments.command })
        assert.is_true(line.duration_ms >= 100 and line.bytes_in > 0 and line.bytes_out > 0)
        for _, name in ipairs({ "ts", "principal", "client" }) do assert.is_string(line[name], name) end
        s:call("file_write", { path = "a", content = ("x"):rep(100000) })
        line = line_with(function(other) return other.tool == "file_write" end)
        assert.is_true(#cjson.encode(line) < 1500)
    end)

    it("has a line for a call that its client cancelled, or as a task, too", function()
        local function running() return tmp.kind(s.workspace .. "/runs") ~= nil end
        local arguments = { command = "touch runs; sleep 300" }
        local client = mcp.session(s, "2025-11-25")
        client:open("tools/call", { name = "terminal_exec", arguments = arguments })
        assert.is_true(program.wait_until(running))
        client:notify("notifications/cancelled", { requestId = client.last_id })
        local line = line_with(function(other) return other.outcome == "stopped" end)
        assert.same({ "terminal_exec", "touch runs; sleep 300" }, { line.tool, line.arguments.command })
        os.remove(s.workspace .. "/runs")
        local tasks = { extensions = { ["io.modelcontextprotocol/tasks"] = {} } }
        local modern = mcp.modern(s, tasks)
        local id = modern:call("terminal_exec", arguments).taskId
        assert.is_true(program.wait_until(running))
        modern:result("tasks/cancel", { taskId = id })
        local function ends()
            local list = {}
            for _, other in ipairs(lines_of(path)) do
                if other.event == "tool" then list[#list + 1] = other.outcome end
            end
            return list
        end
        program.wait_until(function() return #ends() >= 2 end)
        assert.same({ "stopped", "stopped" }, ends())
    end)

    it("has a line for each refused bearer, without what was offered, and one for many", function()
        s:request({ path = "/mcp?x=secret-in-query", headers = { Authorization = "Bearer offered-secret" } })
        local line = line_with(function(line) return line.event == "auth" end)
        assert.same({ "mcp", "refused", "127.0.0.1", "GET", "/mcp" }, { line.area, line.outcome, line.peer, line.method,
            line.path })
        assert.not_matches("secret", tmp.read(path))
        s:request({ path = "/mcp", headers = { Authorization = "Bearer x", ["X-Forwarded-For"] = "203.0.113.9" } })
        line_with(function(other) return other.peer == "203.0.113.9" end)
        local refused = 0
        local function refuse()
            s:request({ path = "/session/create", method = "POST", headers = { Authorization = false } })
            refused = refused + 1
        end
        local function counted()
            local count, left_out = 0, 0
            for _, other in ipairs(lines_of(path)) do
                if other.event == "auth" and other.area == "session" then
                    count, left_out = count + 1, left_out + (other.left_out or 0)
                end
            end
            return count + left_out, left_out
        end
        for _ = 1, 60 do refuse() end
        assert(program.wait_until(function() -- the next second has a line that counts for those of this one
            refuse()
            return select(2, counted()) > 0
        end, 200))
        assert(program.wait_until(function() return counted() == refused end), ("%d of %d"):format(counted(), refused))
    end)

    it("has a line for each request that changes a session", function()
        local id = sessions.create(s, { context = { env = { PASSWORD = "hunter2" } } })
        sessions.exec(s, id, "echo --token hunter2")
        sessions.ask(s, "DELETE", "/session/" .. id)
        for _, action in ipairs({ "create", "exec", "delete" }) do
            local line = line_with(function(line) return line.action == action end)
            assert.same({ "session", id, "session", "ok" }, { line.event, line.session, line.principal, line.outcome }, action)
        end
        assert.not_matches("hunter2", tmp.read(path))
    end)

    it("cannot be filled by strangers: beyond 20 a second what they try is only counted", function()
        local function register()
            s:request({ method = "POST", path = "/oauth/register", body = '{"redirect_uris":["https://app.example/cb"]}',
                headers = { Authorization = false, ["Content-Type"] = "application/json" } })
        end
        local registered = 0
        local function told() -- by the first line of a later second
            register()
            registered = registered + 1
            for _, line in ipairs(lines_of(path)) do
                if line.action == "client registered" and line.left_out then return true end
            end
            return false
        end
        assert(program.wait_until(told))
        local lines, count
        program.wait_until(function()
            lines, count = 0, 0
            for _, line in ipairs(lines_of(path)) do
                if line.action == "client registered" then lines, count = lines + 1, count + 1 + (line.left_out or 0) end
            end
            return count == registered
        end)
        assert.equal(registered, count)
        assert.is_true(lines < registered)
    end)

    it("never holds the server's token", function()
        s:call("terminal_exec", { command = "echo hello" })
        line_with(function(line) return line.event == "tool" end)
        assert.is_nil(tmp.read(path):find(s.token, 1, true))
    end)

    it("goes on in a new file when others renamed it", function()
        s:call("file_list", {})
        line_with(function(line) return line.tool == "file_list" end)
        os.rename(path, path .. ".moved")
        s:call("workspace_info", {})
        line_with(function(line) return line.tool == "workspace_info" end)
        assert.equal("file_list", lines_of(path .. ".moved")[1].tool)
    end)

    it("that cannot be written is told by /health and loses nothing until it can be", function()
        local folder = path:match("^(.*)/")
        s:stop()
        s = server.start({ env = { SANDSTORM_AUDIT_FILE = folder .. "/later/audit.log" } })
        s:call("file_list", {})
        local health
        assert(program.wait_until(function()
            health = cjson.decode(s:request({ path = "/health" }).body)
            return health.audit_error
        end))
        assert.same({ true, folder .. "/later/audit.log: No such file or directory" }, { health.degraded, health.audit_error })
        tmp.shell("mkdir " .. folder .. "/later")
        path = folder .. "/later/audit.log"
        assert(program.wait_until(function()
            s:request({ path = "/health" })
            return tmp.kind(path)
        end, 50))
        line_with(function(line) return line.tool == "file_list" end)
        assert.is_nil(cjson.decode(s:request({ path = "/health" }).body).audit_error)
    end)

    it("inside the workspace is not reachable through the tools", function()
        s:stop()
        local workspace = tmp.dir("workspace")
        s = server.start({ workspace = workspace, env = { SANDSTORM_AUDIT_FILE = workspace .. "/audit.log" } })
        s:call("file_list", {})
        path = workspace .. "/audit.log"
        line_with(function(line) return line.tool == "file_list" end)
        for tool, arguments in pairs({ file_read = {}, file_write = { content = "x" }, file_delete = {} }) do
            arguments.path = "audit.log"
            assert.is_true(s:call(tool, arguments).isError, tool)
        end
        assert.is_true(s:call("file_write", { path = "audit.log.1", content = "x" }).isError)
    end)
end)

describe("a trace", function()
    local s

    setup(function() s = server.start() end)
    teardown(function() s:stop() end)

    local function exec(headers, meta)
        local answer = s:rpc("tools/call", { name = "terminal_exec", arguments = { command = 'echo "[$TRACEPARENT]"' },
            _meta = meta }, headers)
        return answer.result.structuredContent.stdout
    end

    it("goes from the header, or _meta before it, into children and log", function()
        assert.equal("[" .. TRACE .. "]\n", exec({ traceparent = TRACE }))
        local other = TRACE:gsub("^00%-0a", "00-0b")
        assert.equal("[" .. other .. "]\n", exec({ traceparent = TRACE }, { traceparent = other }))
        s:wait_log(function(line) return line.msg == "tools/call" and line.traceparent == TRACE end)
        s:wait_log(function(line) return line.msg == "tools/call" and line.traceparent == other end)
    end)

    it("that is none is nobody's, and none stays behind for the next call", function()
        for _, text in ipairs({ "", "x", TRACE:upper(), TRACE .. "0", "ff" .. TRACE:sub(3), "00-" .. ("0"):rep(32)
            .. TRACE:sub(36),
            TRACE:sub(1, 36) .. ("0"):rep(16) .. "-01", "$(touch x)" .. TRACE:sub(11) }) do
            assert.equal("[]\n", exec({}, { traceparent = text }), text)
        end
        exec({ traceparent = TRACE })
        assert.equal("[]\n", exec({}, { traceparent = 5 }))
    end)

    it("goes into background jobs and the commands of sessions", function()
        s:rpc("tools/call", { name = "terminal_exec_background", arguments = { command = "echo $TRACEPARENT > trace" } },
            { traceparent = TRACE })
        assert(program.wait_until(function() return tmp.read(s.workspace .. "/trace") == TRACE .. "\n" end))
        local id = sessions.create(s)
        local _, answer = sessions.ask(s, "POST", "/session/" .. id .. "/exec", { command = "echo $TRACEPARENT" },
            { traceparent = TRACE })
        assert.equal(TRACE .. "\n", answer.stdout)
    end)
end)
