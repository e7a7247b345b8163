--- The session API and its database: other processes at it, no space, no permission, damage, the end of the server.
local cjson = require("cjson")
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local sessions = require("spec.support.sessions")
local tmp = require("spec.support.tmp")
local uv = require("luv")

local ask, create, exec = sessions.ask, sessions.create, sessions.exec

local function ping(s) return s:post({ jsonrpc = "2.0", id = 1, method = "ping" }).status end
local function health(s) return cjson.decode(s:request({ path = "/health" }).body) end

--- A process that holds the database's write lock until it is told to let go; returns a function that does so.
local function lock(workspace)
    local folder = tmp.dir("lock")
    local script = [[cd "$1"; mkfifo in; sqlite3 -cmd '.timeout 10000' "$2" < in > out & exec 3> in
        echo "BEGIN IMMEDIATE; SELECT 'held';" >&3
        until test -e go; do sleep 0.02; done; echo "ROLLBACK;" >&3; exec 3>&-; wait]]
    local process = program.spawn({ command = { "/bin/bash", "-c", script, "lock", folder, sessions.database(workspace) } })
    assert(program.wait_until(function() return (tmp.read(folder .. "/out") or ""):find("held") end))
    return function()
        tmp.write(folder .. "/go", "")
        process:wait()
    end
end

describe("the session database", function()
    it("S01 a short lock of another process is waited for beside the loop, a long one is a 503, and nothing is lost", function()
        local s = sessions.serve()
        local id = create(s)
        local release = lock(s.workspace)
        local connection = sessions.send(s, "POST", "/session/create", '{"type":"t"}')
        assert.equal(200, ping(s))
        assert.equal(1, health(s).active_instances)
        release()
        assert.equal(201, connection:read_response("POST").status)
        connection:close()
        release = lock(s.workspace)
        local status, answer, response = ask(s, "POST", "/session/" .. id .. "/extend", "{}")
        assert.equal(503, status)
        assert.matches("sessions%.db: .*locked", answer.error)
        assert.equal("1", response.headers["retry-after"])
        assert.equal(200, ping(s))
        release()
        assert.equal(200, (ask(s, "POST", "/session/" .. id .. "/extend", "{}")))
        assert.equal("2\n", sessions.sql(s.workspace, "SELECT count(*) FROM sessions WHERE status = 'ready'"))
        s:stop()
    end)

    it("S01 fifty writers at one time are all answered and all there", function()
        local s = sessions.serve()
        local waiting = {}
        for i = 1, 50 do
            waiting[i] = sessions.send(s, "POST", "/session/create", '{"type":"t"}')
        end
        for i = 1, 50 do
            assert.equal(201, waiting[i]:read_response("POST").status)
            waiting[i]:close()
        end
        s:stop()
        assert.equal("50\n", sessions.sql(s.workspace, "SELECT count(*) FROM sessions WHERE status = 'ready'"))
    end)

    --- Makes sessions until one is refused; returns how many were made, the status and the error.
    local function create_until_refused(s)
        for made = 0, 1000 do
            local status, answer = ask(s, "POST", "/session/create", { type = "t" })
            if status ~= 201 then return made, status, answer.error end
        end
        error("1000 sessions were made")
    end

    it("S04 on a full disk a session is a 507 that says so and leaves nothing; with space it works without a restart", function()
        local disk = tmp.dir("disk")
        local s = sessions.serve({
            env = { SANDSTORM_STATE_DIR = disk }, wrap = needs.mounts("mount -t tmpfs -o size=1m tmpfs " .. tmp.quote(disk)),
        })
        local function here(command) -- only the server and its children see that disk
            local result = s:call("terminal_exec", { command = ("cd %s; %s"):format(tmp.quote(disk), command) })
            return result.structuredContent.stdout
        end
        create(s)
        assert.equal("0\n", here("cat /dev/zero > ballast 2>/dev/null; df --output=avail . | tail -n +2 | tr -d ' '"))
        local made, status, message = create_until_refused(s)
        assert.equal(507, status)
        assert.matches("sessions%.db: database or disk is full", message)
        assert.equal(200, ping(s))
        assert.equal(made + 1 .. "\n", here("sqlite3 sessions.db 'SELECT count(*) FROM sessions'"))
        assert.equal(made + 1 .. "\n", tmp.shell(("ls %s/sessions | wc -l"):format(s.workspace)))
        here("rm ballast")
        assert.equal(201, (ask(s, "POST", "/session/create", { type = "t" })))
        assert.equal(("ok\n%d\n"):format(made + 2),
            here("sqlite3 sessions.db 'PRAGMA integrity_check; SELECT count(*) FROM sessions'"))
        s:stop()
    end)

    it("S04 so it is at a limit on the size of files", function()
        local s = sessions.serve()
        create(s)
        local limit = ("prlimit --pid %d --fsize="):format(s.process.pid)
        local size = assert(uv.fs_stat(sessions.database(s.workspace) .. "-wal")).size
        tmp.shell(limit .. size .. ":unlimited")
        local made, status, message = create_until_refused(s)
        assert.equal(507, status)
        assert.matches("sessions%.db: ", message)
        assert.equal(200, ping(s))
        assert.same({ message, true }, { health(s).session_error, health(s).degraded })
        tmp.shell(limit .. "unlimited:unlimited")
        assert.equal(201, (ask(s, "POST", "/session/create", { type = "t" })))
        assert.is_nil(health(s).session_error)
        s:stop()
        assert.equal(made + 2 .. "\n", sessions.sql(s.workspace, "SELECT count(*) FROM sessions"))
        assert.equal(made + 2 .. "\n", tmp.shell(("ls %s/sessions | wc -l"):format(s.workspace)))
    end)

    for name, lines in pairs({
        ["a state folder that is a file"] = "touch state",
        ["a file that is no database"] = "mkdir state; seq 1 20000 > state/sessions.db",
        ["a folder in its place"] = "mkdir -p state/sessions.db",
    }) do
        it("S04 " .. name .. " is a clear 503, /health says it, and the MCP side goes on", function()
            local folder = tmp.dir("broken")
            tmp.shell(("cd %s; %s"):format(folder, lines))
            local s = sessions.serve({ env = { SANDSTORM_STATE_DIR = folder .. "/state" } })
            local status, answer = ask(s, "POST", "/session/create", { type = "t" })
            assert.equal(503, status)
            assert.matches("state", answer.error)
            assert(program.wait_until(function() return health(s).session_error end))
            assert.is_true(health(s).degraded)
            assert.equal(200, ping(s))
            assert.equal("", tmp.shell(("ls %s/sessions 2>/dev/null || true"):format(s.workspace)))
            tmp.shell("rm -rf " .. folder .. "/state")
            assert.equal(201, (ask(s, "POST", "/session/create", { type = "t" })))
            assert.is_nil(health(s).session_error)
            s:stop()
        end)
    end

    it("S03 is not reachable through the tools, by any of its names", function()
        local s = sessions.serve()
        local id, folder = create(s)
        tmp.shell(("ln -s ../../../.sandstorm-mcp/sessions.db %s/workspace/link; ln %s %s/workspace/hard")
            :format(folder, sessions.database(s.workspace), folder))
        for _, path in ipairs({ ".sandstorm-mcp/sessions.db", ".sandstorm-mcp/sessions.db-wal", "sessions/" .. id
            .. "/workspace/link",
            "sessions/" .. id .. "/workspace/hard" }) do
            for tool, arguments in pairs({ file_read = { path = path }, file_write = { path = path, content = "x" } }) do
                assert.is_true(s:call(tool, arguments).isError, tool .. " " .. path)
            end
        end
        assert.equal("ready", sessions.status(s, id))
        s:stop()
        assert.equal("ok\n", sessions.sql(s.workspace, "PRAGMA integrity_check"))
    end)

    it("killed at any moment under load, the server has lost no session that it said was made, and cleans up what was not",
        function()
        local workspace, made = tmp.dir("workspace"), {}
        for round = 1, 6 do
            local s = sessions.serve({ workspace = workspace })
            local connections = {}
            for i = 1, 8 do
                connections[i] = s:connect()
                connections[i]:send(sessions.bytes(s, "POST", "/session/create", '{"type":"t"}'):rep(10))
            end
            local count = 0
            for turn = 1, 3 + 4 * round do
                local response = connections[turn % 8 + 1]:read_response("POST")
                if response and response.status == 201 then
                    count = count + 1
                    made[#made + 1] = cjson.decode(response.body).id
                end
            end
            s:kill()
            for i = 1, 8 do
                while true do
                    local ok, response = pcall(connections[i].read_response, connections[i], "POST")
                    if not ok or not response then break end
                    if response.status == 201 then made[#made + 1] = cjson.decode(response.body).id end
                end
                connections[i]:close()
            end
            assert.is_true(count > 0)
        end
        local s = sessions.serve({ workspace = workspace })
        for _, id in ipairs(made) do
            assert.equal("ready", sessions.status(s, id))
            assert.equal("directory", tmp.kind(workspace .. "/sessions/" .. id .. "/workspace"))
        end
        s:stop()
        assert.equal("ok\n", sessions.sql(workspace, "PRAGMA integrity_check"))
    end)

    it("killed while commands run, the server finds their sessions ready again", function()
        local s = sessions.serve()
        local id, folder = create(s)
        sessions.start(s, id, "touch started; sleep 300")
        sessions.wait_file(folder .. "/workspace/started")
        assert.equal("active", sessions.status(s, id))
        s:kill()
        local again = sessions.serve({ workspace = s.workspace })
        sessions.wait_status(again, id, "ready")
        local status, answer = exec(again, id, "echo on")
        assert.same({ 200, "on\n" }, { status, answer.stdout })
        assert.equal(200, (ask(again, "DELETE", "/session/" .. id)))
        again:stop()
    end)

    it("a removal that was interrupted is finished after the next start", function()
        local s = sessions.serve()
        local id, folder = create(s)
        sessions.sql(s.workspace, "UPDATE sessions SET status = 'expired'")
        s:kill()
        local again = sessions.serve({ workspace = s.workspace })
        sessions.wait_status(again, id, "cleaned")
        assert.is_nil(tmp.kind(folder))
        again:stop()
    end)
end)

describe("the reaper", function()
    --- A workspace whose database has the rows that an INSERT of SQL makes of numbers 1 to `count`.
    local function filled(count, values)
        local s = sessions.serve()
        create(s)
        s:stop()
        sessions.sql(s.workspace, ("DELETE FROM sessions; WITH RECURSIVE n(i) AS "
            .. "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO sessions SELECT %s FROM n")
            :format(count, values:format(s.workspace)))
        return s.workspace
    end

    local ID = "printf('00000000-0000-4000-8000-%%012d', i)"

    it("cleans 10,000 sessions in batches, while requests are answered", function()
        local workspace = filled(10000, ID .. ", 't', 'ready', '%s/sessions/' || " .. ID
            .. ", NULL, NULL, 30, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'")
        for i = 1, 10000, 500 do tmp.shell(("mkdir -p %s/sessions/00000000-0000-4000-8000-%012d/workspace"):format(workspace,
            i)) end
        local s = sessions.serve({ workspace = workspace })
        assert.equal(201, (ask(s, "POST", "/session/create", { type = "t" })))
        s:wait_log(function(line) return line.msg == "Session reaper: cleaned 10000 sessions (0 errors)" end)
        assert.equal(1, health(s).active_instances)
        s:stop()
        assert.equal("2\n", tmp.shell(("ls %s/sessions | wc -l"):format(workspace))) -- with the one that `filled` made
        assert.equal("cleaned|10000\nready|1\n",
            sessions.sql(workspace, "SELECT status, count(*) FROM sessions GROUP BY status ORDER BY status"))
    end)

    it("forgets what was cleaned a day ago, and nothing else", function()
        local workspace = filled(1000, ID .. ", 't', 'cleaned', '%s/sessions/' || " .. ID
            .. ", NULL, NULL, 30, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', CASE WHEN i <= 900 THEN "
            .. "'2026-01-01T00:00:00Z' ELSE strftime('%%Y-%%m-%%dT%%H:%%M:%%SZ', 'now') END")
        local s = sessions.serve({ workspace = workspace })
        assert(program.wait_until(function()
            return sessions.sql(workspace, "SELECT count(*) FROM sessions") == "100\n"
        end, 50))
        s:stop()
    end)

    it("never touches a folder that is not the session's own", function()
        local s = sessions.serve()
        create(s)
        s:stop()
        local keep = tmp.write(s.workspace .. "/keep/file", "x")
        tmp.write(s.workspace .. "/sessions/precious/file", "x")
        local insert = {}
        for position, path in ipairs({
            s.workspace .. "/keep", s.workspace .. "/sessions/precious", s.workspace .. "/sessions", s.workspace, "/", "", "keep",
            s.workspace .. "/sessions/a-8/../../keep", "/etc", "sessions/a-10/",
        }) do
            insert[position] = ("INSERT INTO sessions VALUES "
                .. "('a-%d','t','ready','%s',NULL,NULL,1,'2026-01-01T00:00:00Z','x','x');")
                :format(position, path)
        end
        insert[#insert + 1] = "INSERT INTO sessions VALUES ('..','t','ready','" .. s.workspace
            .. "/sessions/..',NULL,NULL,1,'2026-01-01T00:00:00Z','x','x');"
        sessions.sql(s.workspace, table.concat(insert))
        tmp.shell(("mkdir %s/sessions/a-10"):format(s.workspace))
        local again = sessions.serve({ workspace = s.workspace })
        again:wait_log(function(line) return line.msg == "Session reaper: cleaned 11 sessions (0 errors)" end)
        again:stop()
        assert.equal("x", tmp.read(keep))
        assert.equal("x", tmp.read(s.workspace .. "/sessions/precious/file"))
        assert.is_nil(tmp.kind(s.workspace .. "/sessions/a-10"))
    end)

    it("ends what a session left running", function()
        local s = sessions.serve()
        local id, folder = create(s)
        exec(s, id, "setsid sh -c 'echo $$ > pid; exec sleep 300' >/dev/null 2>&1 & until test -s pid; do sleep 0.02; done")
        local pid = tmp.read(folder .. "/workspace/pid"):match("%d+")
        sessions.sql(s.workspace, "UPDATE sessions SET expires_at = '2026-01-01T00:00:00Z'")
        s:kill()
        assert.is_true(program.is_alive(pid))
        local again = sessions.serve({ workspace = s.workspace })
        sessions.wait_status(again, id, "cleaned")
        assert.is_false(program.is_alive(pid))
        again:stop()
    end)
end)
