--- Who may use the session API.
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local sessions = require("spec.support.sessions")
local tmp = require("spec.support.tmp")

local NONE = { Authorization = false }

local function create(s, headers) return (sessions.ask(s, "POST", "/session/create", { type = "t" }, headers)) end

describe("the session API", function()
    local s

    setup(function() s = sessions.serve() end)
    teardown(function() s:stop() end)

    it("A22 asks for the shared secret where no token of its own is set", function()
        assert.equal(201, create(s))
        local status, answer, response = sessions.ask(s, "POST", "/session/create", { type = "t" }, NONE)
        assert.same({ 401, "Unauthorized", "Bearer" }, { status, answer.error, response.headers["www-authenticate"] })
    end)

    it("A22 takes the bearer in any case and with blanks around, and nothing else", function()
        for _, value in ipairs({ "bearer " .. s.token, "BEARER  " .. s.token .. " " }) do
            assert.equal(201, create(s, { Authorization = value }))
        end
        for _, value in ipairs({ "Bearer wrong", "Bearer ", "Bearer", "Basic " .. s.token, s.token, "Bearer " .. s.token .. "x",
            "Bearer tökén" }) do
            assert.equal(401, create(s, { Authorization = value }), value)
        end
        local one = "Authorization: Bearer " .. s.token .. "\r\n"
        for count, status in pairs({ 201, 401 }) do
            local connection = s:connect()
            connection:send("POST /session/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12\r\n"
                .. one:rep(count) .. '\r\n{"type":"t"}')
            assert.equal(status, connection:read_response().status)
            connection:close()
        end
    end)

    it("A22 tells a stranger nothing: neither of methods nor of paths below, nor of sessions", function()
        for _, path in ipairs({ "/session/create", "/session/x", "/session/x/status", "/session/x/exec", "/session/x/y/z",
            "/session/" }) do
            for _, method in ipairs({ "GET", "POST", "DELETE", "PUT" }) do
                assert.equal(401, (sessions.ask(s, method, path, nil, NONE)), method .. " " .. path)
            end
        end
    end)

    it("refuses before a body is read", function()
        local connection = s:connect()
        connection:send("POST /session/create HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{")
        assert.equal(401, connection:read_response().status)
        connection:close()
    end)

    it("M04 refuses a foreign page whatever it shows, and lets programs and known pages in", function()
        assert.equal(403, create(s, { Origin = "https://evil.example" }))
        assert.equal(403, create(s, { Origin = "null" }))
        assert.equal(201, create(s, { Origin = "https://claude.ai" }))
    end)

    it("says 405 with Allow for another method, 404 for another path", function()
        local status, _, response = sessions.ask(s, "GET", "/session/create")
        assert.same({ 405, "POST, OPTIONS" }, { status, response.headers.allow })
        status, _, response = sessions.ask(s, "GET", "/session/x")
        assert.same({ 405, "DELETE, OPTIONS" }, { status, response.headers.allow })
        for _, path in ipairs({ "/session", "/session/", "/session//status", "/session/x/status/", "/session/x/y/status",
            "/session/x/nope" }) do
            assert.equal(404, (sessions.ask(s, "GET", path)), path)
        end
    end)

    it("A22 the tokens of the two sides do not open each other", function()
        local own = sessions.serve({ env = { SESSION_AUTH_TOKEN = "session-token-0123456789" } })
        assert.equal(401, create(own))
        assert.equal(201, create(own, { Authorization = "Bearer session-token-0123456789" }))
        local ping = { method = "POST", path = "/mcp", body = '{"jsonrpc":"2.0","id":1,"method":"ping"}' }
        assert.equal(200, own:request(ping).status)
        ping.headers = { Authorization = "Bearer session-token-0123456789" }
        assert.equal(401, own:request(ping).status)
        own:stop()
    end)
end)

describe("the open session API", function()
    local s

    setup(function() s = sessions.serve({ env = { SANDSTORM_SESSION_OPEN = "1", SANDSTORM_METRICS_OPEN = "1" } }) end)
    teardown(function() s:stop() end)

    local function with(more)
        local headers = { Authorization = false }
        for name, value in pairs(more) do headers[name] = value end
        return headers
    end

    it("A22 lets a program on this machine in, under any name of loopback", function()
        assert.equal(201, create(s, NONE))
        for _, host in ipairs({ "localhost", "localhost:80", "127.0.0.1", "[::1]:8080", "127.1.2.3:1" }) do
            assert.equal(201, create(s, with({ Host = host })), host)
        end
        assert.equal(200, s:request({ path = "/metrics", headers = NONE }).status)
    end)

    it("A22 does not take what came through a proxy or a browser for one", function()
        for name, value in pairs({
            ["X-Forwarded-For"] = "127.0.0.1", ["X-Forwarded-Proto"] = "https", ["X-Forwarded-Host"] = "localhost",
            Forwarded = "for=127.0.0.1", Via = "1.1 caddy", ["X-Real-IP"] = "127.0.0.1", Origin = "http://localhost",
            ["Sec-Fetch-Site"] = "none", Cookie = "a=b", Referer = "http://localhost/",
        }) do
            assert.equal(401, create(s, with({ [name] = value })), name)
            assert.equal(401, s:request({ path = "/metrics", headers = with({ [name] = value }) }).status, name)
        end
    end)

    it("A22 does not take a name that was rebound to this machine for it", function()
        for _, host in ipairs({ "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "[::2]", "128.0.0.1",
            "" }) do
            assert.equal(401, create(s, with({ Host = host })), host)
        end
    end)

    it("A22 judges who shows a bearer by it, and still asks for one on /mcp", function()
        assert.equal(401, create(s, { Authorization = "Bearer wrong" }))
        assert.equal(201, create(s))
        assert.equal(401, s:request({ method = "POST", path = "/mcp", body = "{}", headers = NONE }).status)
    end)

    -- Prints the statuses of a creation from loopback and from another address of the machine, both under the name
    -- localhost.
    local ASK = [[
        "$0" serve > log & server=$!
        until curl -s -o health http://127.0.0.1:8080/health; do kill -0 $server || exit 1; sleep 0.02; done
        for address in 127.0.0.1 192.0.2.9; do
            curl -s -o answer -w '%{http_code}\n' -H 'Host: localhost' -H 'Content-Type: application/json' -d '{"type":"t"}' \
                http://$address:8080/session/create
        done
        kill $server; wait $server
    ]]

    it("A22 is not open to an address that is not loopback, whatever name it asks for", function()
        local result = program.run({
            wrap = needs.network("ip link set lo up; ip addr add 192.0.2.9/32 dev lo"),
            command = { "/bin/bash" }, args = { "-c", ASK, program.path }, cwd = tmp.dir("network"),
            env = {
                SANDSTORM_MCP_TOKEN = "a-token-of-the-spec-0123456789", SANDSTORM_MCP_HOST = "0.0.0.0",
                SANDSTORM_SESSION_OPEN = "1",
            },
        })
        assert.same({ 0, "201\n401\n" }, { result.code, result.stdout }, result.stderr)
    end)
end)
