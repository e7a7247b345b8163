-- What a client can cost: bodies beyond the limit, bytes that come slowly or not at all, connections without number.
local cjson = require("cjson")
local http = require("spec.support.http")
local program = require("spec.support.program")
local rest = require("spec.support.rest")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local uv = require("luv")
local wire = require("spec.support.wire")

describe("HTTP limits", function()
    local s
    after_each(function() s:stop() end)

    local function post(...)
        return wire.lines("POST /mcp HTTP/1.1", "Authorization: Bearer " .. s.token, "Content-Type: application/json", ...)
    end

    local function ping_works()
        assert.same({}, s:rpc("ping").result)
    end

    -- Sends head and body, all of it before anything is read.
    local function assert_told(status, head, body)
        local response = wire.answer(s, head .. body)
        assert.equal(status, response.status)
        assert.equal("close", response.headers.connection)
        assert.equal(('{"error":"%s"}'):format(response.reason), response.body)
    end

    describe("H03 a body of three times the limit, from a client that sends everything before it reads:", function()
        local limit = 4 * 1024 * 1024
        local body = (" "):rep(3 * limit)
        before_each(function() s = server.start({ env = { SANDSTORM_BODY_LIMIT = tostring(limit) } }) end)

        it("with its length", function()
            assert_told(413, post("Content-Length: " .. #body, ""), body)
            ping_works()
        end)

        it("in chunks", function()
            local chunk = ("10000\r\n%s\r\n"):format((" "):rep(65536))
            assert_told(413, post("Transfer-Encoding: chunked", ""), chunk:rep(#body // 65536) .. "0\r\n\r\n")
            ping_works()
        end)

        it("from a stranger", function()
            assert_told(401, wire.lines("POST /mcp HTTP/1.1", "Content-Length: " .. #body, ""), body)
            ping_works()
        end)

        it("costs the server no memory that grows with it", function()
            assert_told(413, post("Content-Length: " .. #body, ""), body)
            local before = s:status("VmHWM")
            for _ = 1, 5 do assert_told(413, post("Content-Length: " .. #body, ""), body) end
            assert.is_true(s:status("VmHWM") - before < #body / 1024)
        end)

        it("and of one without end no more than 64 MB is discarded", function()
            local connection, sent = s:connect(), 0
            connection:send(post("Content-Length: 1000000000", ""))
            local piece = (" "):rep(1024 * 1024)
            while sent < 200 and connection.sock:send(piece) do sent = sent + 1 end
            assert.is_true(sent < 200, sent .. " MB")
            connection:close()
            ping_works()
        end)

        it("and a body below the limit is read", function()
            local ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}' .. (" "):rep(limit - 40)
            assert.equal(200, s:post(ping).status)
            assert.equal(413, s:post(ping .. " ").status)
        end)
    end)

    describe("H08 deadlines", function()
        before_each(function()
            s = server.start({
                env = { SANDSTORM_HEADER_MS = "500", SANDSTORM_BODY_MS = "500", SANDSTORM_IDLE_MS = "1500" },
            })
        end)

        -- Sends byte after byte, far more than the deadline leaves time for, until an answer is there.
        local function trickle(start, bytes)
            local connection = s:connect()
            connection:send(start)
            for byte in bytes:gmatch(".") do
                connection:patience(0.05)
                local came = connection:fill()
                if came or not connection:send(byte) then break end
            end
            connection:patience(60)
            local response = assert(connection:read_response())
            assert.is_true(connection:is_closed())
            connection:close()
            return response
        end

        it("of a header section are not put off by each byte", function()
            local response = trickle("GET /health HTTP/1.1\r\n", ("X: a\r\n"):rep(200))
            assert.equal(408, response.status)
            assert.equal("close", response.headers.connection)
            assert.equal('{"error":"Request Timeout"}', response.body)
        end)

        it("of a body are not put off by each byte", function()
            assert.equal(408, trickle(post("Content-Length: 1000", ""), (" "):rep(1000)).status)
        end)

        it("of a body in chunks are not put off by each chunk", function()
            assert.equal(408, trickle(post("Transfer-Encoding: chunked", ""), ("1\r\n \r\n"):rep(200)).status)
        end)

        it("of a kept connection end it without a word", function()
            local connection = s:connect()
            assert.equal(200, connection:request({ path = "/health" }).status)
            assert.is_true(connection:is_closed())
            connection:close()
        end)

        it("of a connection without a request end it without a word", function()
            local connection = s:connect()
            assert.is_true(connection:is_closed())
            connection:close()
        end)

        it("do not count while a call runs", function()
            assert.truthy(s:text("terminal_exec", { command = "sleep 2; echo done" }):find("done", 1, true))
        end)

        it("clear away 500 slow clients, while others are served", function()
            local clients = {}
            for i = 1, 500 do
                clients[i] = s:connect()
                if i % 3 == 0 then clients[i]:send("GET /hea") end
                if i % 3 == 1 then clients[i]:send(post("Content-Length: 10", "")) end
                if i % 100 == 0 then ping_works() end
            end
            ping_works()
            for i, client in ipairs(clients) do
                local bytes = client:read_all()
                assert.equal(i % 3 == 2 and "" or "HTTP/1.1 408 Request Timeout", bytes:match("^[^\r]*"))
                client:close()
            end
            ping_works()
        end)
    end)

    describe("H09 a peer that takes its answer", function()
        local SIZE = 10000000 -- more than the sockets of both sides hold

        local function ask(write_ms)
            s = server.start({ env = { SANDSTORM_WRITE_MS = write_ms, SANDSTORM_LOG_LEVEL = "debug" } })
            local connection = s:connect()
            connection:send(wire.exec(s, ("head -c %d /dev/zero | tr '\\0' x"):format(SIZE)))
            return connection
        end

        it("not at all is closed after a while", function()
            local connection = ask("300")
            s:wait_log(function(line) return line.msg:find("takes no output, closed", 1, true) end)
            assert.is_true(#connection:read_all() < SIZE)
            connection:close()
            ping_works()
        end)

        -- A piece of the answer that the server hands out takes longer than the client may take nothing.
        it("slowly gets all of it", function()
            local connection = ask("2000")
            connection.sock:setoption("recv-buffer-size", 65536)
            for number = 1, SIZE // 16384 do
                assert(connection:read(16384))
                if number <= 30 then uv.sleep(200) end
            end
            connection:close()
        end)
    end)

    describe("H11 connections", function()
        it("beyond the limit wait until one closes", function()
            s = server.start({ env = { SANDSTORM_MAX_CONNECTIONS = "2", SANDSTORM_STOP_MS = "100" } })
            local first = wire.begin(s, "terminal_exec", { command = "touch first; sleep 300" })
            local second = wire.begin(s, "terminal_exec", { command = "touch second; sleep 300" })
            for _, name in ipairs({ "first", "second" }) do
                assert(program.wait_until(function() return tmp.kind(s.workspace .. "/" .. name) end))
            end
            local third = s:connect()
            third:send(wire.lines("GET /health HTTP/1.1", ""))
            third:patience(0.3)
            assert.same({ false, "timeout" }, { third:fill() }) -- nobody took it
            first:reset()
            third:patience(60)
            assert.equal(200, third:read_response().status)
            third:close()
            second:close()
        end)

        it("that are idle make room for new ones", function()
            s = server.start({ env = { SANDSTORM_MAX_CONNECTIONS = "4" } })
            local idle = {}
            for i = 1, 4 do
                idle[i] = s:connect()
                assert.equal(200, idle[i]:request({ path = "/health" }).status)
            end
            ping_works()
            assert.is_true(idle[1]:is_closed())
            for i = 1, 4 do idle[i]:close() end
        end)

        -- What a client with a connection of its own asks for: a command, a file, a repository, a session, and a page.
        local function requests()
            local function get(method, path, body)
                return http.format({
                    method = method, path = path, body = body, host = "127.0.0.1",
                    headers = { Authorization = "Bearer " .. s.token, ["Content-Type"] = body and "application/json" or false },
                })
            end
            return {
                wire.exec(s, "echo ran"), wire.call(s, "file_read", { path = "f" }),
                wire.call(s, "git_status", { path = "repo" }),
                get("POST", "/session/create", '{"type":"t"}'), get("GET", "/health"),
            }
        end

        local DONE = { '"ran\\n', "content of f", "On branch", '"workspace_path"', '"ok":true' }

        local function prepare()
            tmp.write(s.workspace .. "/f", "content of f")
            tmp.shell(("cd %s; git init -q repo"):format(s.workspace))
            ping_works()
        end

        local function all_done(connection)
            for i, request in ipairs(requests()) do
                connection:send(request)
                local body = connection:read_response().body
                assert.truthy(body:find(DONE[i], 1, true), body)
            end
        end

        local function sockets() -- databases and the like are opened when they are needed
            return tonumber(tmp.shell(("ls -l /proc/%d/fd | grep -c socket:"):format(s.process.pid)))
        end

        it("leave descriptors for calls, cost nothing while they wait, and are forgotten when they go", function()
            s = server.start({ wrap = { "prlimit", "--nofile=64:64", "--" } })
            prepare()
            local before = sockets()
            local busy, idle = s:connect(), {}
            assert.equal(200, busy:request({ path = "/health" }).status)
            for i = 1, 100 do idle[i] = s:connect() end
            all_done(busy)
            assert.is_true(rest.comes(s.process.pid), "it spins")
            all_done(busy)
            for _, connection in ipairs(idle) do connection:close() end
            busy:close()
            ping_works()
            assert.is_true(program.wait_until(function() return sockets() <= before end))
        end)

        it("find no descriptor left: the server does not spin, calls say what is missing, and all is well again later", function()
            s = server.start()
            prepare()
            local busy, waiting = s:connect(), {}
            assert.equal(200, busy:request({ path = "/health" }).status)
            local free = tonumber(tmp.shell(("cd /proc/%d/fd; n=0; while [ -h $n ]; do n=$((n + 1)); done; echo $n")
                :format(s.process.pid)))
            local limit = ("prlimit --pid %d --nofile="):format(s.process.pid)
            local usual = tmp.shell(limit:gsub("=$", "") .. " --output=SOFT --noheadings"):match("%d+")
            tmp.shell(limit .. free .. ":") -- no new one can be had
            for i = 1, 20 do waiting[i] = s:connect() end
            assert.is_true(rest.comes(s.process.pid), "it spins")
            for i, request in ipairs(requests()) do
                busy:send(request)
                local wanted = i < #DONE and "Too many open files" or DONE[i]
                local body = busy:read_response().body
                assert.truthy(body:find(wanted, 1, true), body)
            end
            local figures = cjson.decode(busy:request({ path = "/health" }).body)
            assert.is_true(figures.memory_mb_available > 0 and figures.disk_mb_available > 0 and figures.uptime_seconds > 0)
            local metrics = busy:request({ path = "/metrics", headers = { Authorization = "Bearer " .. s.token } }).body
            assert.is_true(tonumber(metrics:match("\nprocess_resident_memory_bytes (%S+)")) > 0)
            tmp.shell(limit .. usual .. ":")
            all_done(busy)
            for _, connection in ipairs(waiting) do connection:close() end
            for i = 1, 20 do
                waiting[i] = s:connect()
                assert.equal(200, waiting[i]:request({ path = "/health" }).status)
            end
            for _, connection in ipairs(waiting) do connection:close() end
            busy:close()
        end)
    end)
end)
