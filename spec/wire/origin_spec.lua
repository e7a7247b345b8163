local mcp = require("spec.support.mcp")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

--- The status of a ping with these Origin headers.
local function status(s, ...)
    local headers = {
        { "Authorization", "Bearer " .. s.token }, { "Content-Type", "application/json" }, { "Connection", "close" },
    }
    for _, origin in ipairs({ ... }) do headers[#headers + 1] = { "Origin", origin } end
    local connection = s:connect()
    local response = connection:request({ method = "POST", path = "/mcp", headers = headers, body = PING })
    connection:close()
    return response.status
end

describe("Origin policy of /mcp", function()
    local s

    setup(function() s = server.start({ env = { SANDSTORM_PUBLIC_URL = "https://mcp.Example.com:8443" } }) end)
    teardown(function() s:stop() end)

    it("A59 lets in no origin, loopback, schemes not of the web, the public URL's and the list", function()
        assert.equal(200, status(s))
        for _, origin in ipairs({
            "http://localhost:3000", "https://localhost", "http://127.0.0.1", "http://127.8.9.10:1", "http://[::1]:5173",
            "http://app.localhost", "HTTP://LOCALHOST", "vscode-webview://1a2b", "chrome-extension://abcdef",
            "file://", "app://-", "https://claude.ai", "https://claude.com", "https://claude.ai:443",
            "HTTPS://CLAUDE.AI", "https://mcp.example.com:8443",
        }) do
            assert.equal(200, status(s, origin), origin)
        end
    end)

    it("A59 refuses all others with 403", function()
        for _, origin in ipairs({
            "null", "", "http://evil.example", "http://claude.ai", "https://claude.ai:8443", "https://claude.ai.evil.example",
            "https://evil-claude.ai", "https://claude.ai/", "https://x@claude.ai", "https://claude.ai, https://claude.ai",
            "http://127.0.0.1.evil.example", "http://localhost.evil.example", "http://evillocalhost", "http://[::2]",
            "http://0.0.0.0",
            "http://localhost:99999", "http://", "http:", "://localhost", "localhost", "javascript:alert(1)",
            "https://mcp.example.com",
            "http://127.1", "http://2130706433", "http://[::1", "https://claude.ai\xFF",
        }) do
            assert.equal(403, status(s, origin), origin)
        end
        assert.equal(403, status(s, "https://claude.ai", "https://claude.ai"))
    end)

    it("a page that rebound its name to this host is refused although Host and Origin agree", function()
        local response = s:request({
            method = "POST", path = "/mcp", body = PING,
            headers = { Host = "evil.example:" .. s.port, Origin = "http://evil.example:" .. s.port },
        })
        assert.equal(403, response.status)
    end)

    describe("M04", function()
        local COMMAND = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"terminal_exec","arguments":'
            .. '{"command":"touch ran"}}}'

        local function status_of(method, headers)
            local body = method == "POST" and COMMAND or nil
            return s:request({ method = method, path = "/mcp", body = body, headers = headers }).status
        end

        it("what a page can send without being asked for runs nothing, with the secret or without it", function()
            for _, origin in ipairs({ "https://evil.example", "null" }) do
                for _, kind in ipairs({ "text/plain", "application/x-www-form-urlencoded", "multipart/form-data" }) do
                    assert.equal(403, status_of("POST", { Origin = origin, ["Content-Type"] = kind }))
                    assert.equal(403, status_of("POST", { Origin = origin, ["Content-Type"] = kind, Authorization = false }))
                end
            end
            assert.is_nil(tmp.kind(s.workspace .. "/ran"))
        end)

        it("a page neither listens to a session nor ends it", function()
            local client = mcp.session(s, "2025-11-25")
            for _, method in ipairs({ "GET", "DELETE" }) do
                for _, origin in ipairs({ "https://evil.example", "null" }) do
                    assert.equal(403, status_of(method, {
                        Origin = origin, ["Mcp-Session-Id"] = client.session, ["MCP-Protocol-Version"] = "2025-11-25",
                        Accept = "text/event-stream",
                    }))
                end
            end
            assert.same({}, client:result("ping"))
        end)

        it("a program says what it sends: JSON, or it is a 415", function()
            assert.equal(415, status_of("POST", { ["Content-Type"] = "text/plain" }))
            assert.equal(415, status_of("POST", { ["Content-Type"] = false }))
            assert.is_nil(tmp.kind(s.workspace .. "/ran"))
            assert.equal(200, status_of("POST"))
            assert.equal("file", tmp.kind(s.workspace .. "/ran"))
        end)

        it("no answer lets a foreign page read it", function()
            for _, headers in ipairs({ { Origin = "https://evil.example" }, {} }) do
                local response = s:request({ method = "POST", path = "/mcp", body = PING, headers = headers })
                assert.is_nil(response.headers["access-control-allow-origin"])
            end
        end)
    end)

    it("is about /mcp alone: /health answers any page", function()
        assert.equal(200, s:request({ path = "/health", headers = { Origin = "http://evil.example" } }).status)
    end)

    it("the list can be set: other origins, none, or any", function()
        local function statuses(list)
            local other = server.start({ env = { SANDSTORM_ALLOWED_ORIGINS = list } })
            local seen = { status(other, "https://claude.ai"), status(other, "https://a.example"), status(other, "null") }
            other:stop()
            return seen
        end
        assert.same({ 403, 200, 403 }, statuses(" https://b.example ,https://A.example/"))
        assert.same({ 403, 403, 403 }, statuses(""))
        assert.same({ 200, 200, 200 }, statuses("*"))
    end)
end)
