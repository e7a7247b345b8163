-- Where the server listens, and how it ends.
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local wire = require("spec.support.wire")

describe("D04 the server", function()
    local reached = {
        { host = "localhost", at = { "127.0.0.1", "::1", "localhost" }, says = { "127.0.0.1:", "[::1]:" } },
        { host = "127.0.0.1", at = { "127.0.0.1" }, not_at = { "::1" }, says = { "127.0.0.1:" } },
        { host = "::1", at = { "::1" }, not_at = { "127.0.0.1" }, says = { "[::1]:" } },
        { host = "0.0.0.0", at = { "127.0.0.1" }, not_at = { "::1" }, says = { "0.0.0.0:" } },
        { host = "", at = { "127.0.0.1", "::1", "localhost" }, says = { "0.0.0.0:", "[::]:" } },
        { host = "::", at = { "127.0.0.1", "::1", "localhost" }, says = { "[::]:" } },
    }

    local function assert_says(s, address)
        local line = "listening on " .. address .. s.port
        assert.equal("sandstorm_mcp.http", s:wait_log(function(entry) return entry.msg == line end).logger)
    end

    for _, case in ipairs(reached) do
        it("on " .. case.host .. " is reached at " .. table.concat(case.at, ", "), function()
            local s = server.start({ host = case.host, reach = case.at[1] })
            for _, address in ipairs(case.at) do
                s.host = address
                local name = address:find(":", 1, true) and "[" .. address .. "]" or address
                assert.equal(200, s:request({ path = "/health", headers = { Host = name .. ":" .. s.port } }).status)
            end
            for _, address in ipairs(case.not_at or {}) do assert.is_falsy(server.accepts(address, s.port)) end
            for _, address in ipairs(case.says) do assert_says(s, address) end
            s:stop()
        end)
    end

    -- Prints what the server says it listens on, and the statuses at the addresses of version 4.
    local ASK = [[
        "$0" serve > log & server=$!
        until curl -s -o health http://127.0.0.1:8080/health; do kill -0 $server || { cat log; exit 1; }; sleep 0.02; done
        for name in localhost 127.0.0.1; do curl -s -o health -w '%{http_code}\n' http://$name:8080/health; done
        kill $server; wait $server
        grep -o 'listening on [^"]*' log
    ]]

    for host, says in pairs({ ["localhost"] = "127.0.0.1", ["127.0.0.1"] = "127.0.0.1", ["0.0.0.0"] = "0.0.0.0" }) do
        it(("on %q is reached where there is no IPv6"):format(host), function()
            local result = program.run({
                wrap = needs.network("ip link set lo up; echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6"),
                command = { "/bin/bash" }, args = { "-c", ASK, program.path }, cwd = tmp.dir("network"),
                env = { SANDSTORM_MCP_TOKEN = "a-token-of-the-spec-0123456789", SANDSTORM_MCP_HOST = host },
            })
            local expected = "200\n200\nlistening on " .. says .. ":8080\n"
            assert.same({ 0, expected }, { result.code, result.stdout }, result.stderr)
        end)
    end

    it("listens on the loopback address unless told otherwise", function()
        local s = server.start({ env = { SANDSTORM_MCP_HOST = false } })
        assert_says(s, "127.0.0.1:")
        s:stop()
    end)

    it("says which address it cannot have", function()
        local s = server.start()
        local result = program.run({
            args = { "serve" },
            env = { SANDSTORM_MCP_HOST = "127.0.0.1", SANDSTORM_MCP_PORT = tostring(s.port), SANDSTORM_MCP_TOKEN = "x" },
        })
        assert.equal(1, result.code)
        assert.truthy(result.stderr:find("127.0.0.1 port " .. s.port .. ": address already in use", 1, true), result.stderr)
        s:stop()
    end)
end)

describe("D05 a stop", function()
    local function begin_call(s)
        local client = s:connect()
        client:send(wire.exec(s, "touch begun; sleep 600"))
        assert.is_true(program.wait_until(function() return tmp.read(s.workspace .. "/begun") ~= nil end))
        return client
    end

    local function idle_connection(s)
        local client = s:connect()
        assert.equal(200, client:request({ path = "/health" }).status)
        return client
    end

    local function start_job(s)
        local text = s:text("terminal_exec_background", { command = "echo $$ > job; exec sleep 600" })
        assert.is_true(program.wait_until(function() return (tmp.read(s.workspace .. "/job") or "") ~= "" end), text)
        return tonumber(tmp.read(s.workspace .. "/job"))
    end

    for _, signal in ipairs({ "sigterm", "sigint" }) do
        it("by " .. signal .. " closes idle connections, answers the running call, ends the job, and frees the port", function()
            local s = server.start({ env = { SANDSTORM_STOP_MS = "500" } })
            local job, call, idle, silent = start_job(s), begin_call(s), idle_connection(s), s:connect()
            s.process:signal_with(signal)
            assert.is_true(idle:is_closed())
            assert.is_true(silent:is_closed())
            local response = call:read_response()
            assert.equal(200, response.status)
            assert.truthy(response.body:find("shutting down", 1, true), response.body)
            assert.equal(0, (s.process:wait()))
            assert.is_false(program.is_alive(job))
            local again = server.start({ port = s.port })
            again:stop()
            for _, client in ipairs({ call, idle, silent }) do client:close() end
        end)
    end

    it("lets a call that is nearly done finish; meanwhile idle connections end and no new one is taken", function()
        local s = server.start({ env = { SANDSTORM_STOP_MS = "60000" } })
        local client, idle = s:connect(), idle_connection(s)
        client:send(wire.exec(s, "touch begun; while [ ! -e go ]; do sleep 0.02; done; echo finished"))
        assert.is_true(program.wait_until(function() return tmp.read(s.workspace .. "/begun") ~= nil end))
        s.process:signal_with("sigterm")
        assert.is_true(program.wait_until(function() return not server.accepts(s.host, s.port) end))
        assert.is_true(idle:is_closed())
        idle:close()
        tmp.write(s.workspace .. "/go", "")
        local response = client:read_response()
        assert.truthy(response.body:find("finished", 1, true))
        assert.equal("close", response.headers.connection)
        assert.equal(0, (s.process:wait()))
        client:close()
    end)

    it("asked for twice does not wait for the call", function()
        local s = server.start({ env = { SANDSTORM_STOP_MS = "86400000" } })
        local client = begin_call(s)
        s.process:signal_with("sigterm")
        assert.is_true(program.wait_until(function() return not server.accepts(s.host, s.port) end))
        s.process:signal_with("sigterm")
        assert.equal(0, (s.process:wait()))
        client:close()
    end)

    it("does not come from SIGHUP", function()
        local s = server.start()
        s.process:signal_with("sighup")
        assert.same({}, s:rpc("ping").result)
        s:stop()
    end)
end)
