-- Requests and answers of one connection: order, heads, targets, limits of size.
local server = require("spec.support.server")
local wire = require("spec.support.wire")

describe("HTTP", function()
    local s
    setup(function() s = server.start() end)
    teardown(function() s:stop() end)

    local function status_of(...) return wire.answer(s, wire.lines(...)).status end

    local function health(...) return status_of("GET /health HTTP/1.1", "Connection: close", ...) end

    describe("connections", function()
        it("are kept for the next request", function()
            local connection = s:connect()
            for _ = 1, 3 do
                local response = connection:request({ path = "/health" })
                assert.equal(200, response.status)
                assert.is_nil(response.headers.connection)
            end
            connection:close()
        end)

        it("close after a request that says so, and what follows is not looked at", function()
            local response = wire.answer(s, wire.lines("GET /health HTTP/1.1", "Connection: close", "",
                "GET /health HTTP/1.1", ""))
            assert.equal(200, response.status)
            assert.equal("close", response.headers.connection)
        end)

        it("of HTTP/1.0 close unless the client asks to keep them", function()
            local response = wire.answer(s, wire.lines("GET /health HTTP/1.0", ""))
            assert.equal(200, response.status)
            local responses = wire.answers(s, wire.lines("GET /health HTTP/1.0", "Connection: keep-alive", "",
                "GET /health HTTP/1.0", ""))
            assert.equal(2, #responses)
            assert.equal("keep-alive", responses[1].headers.connection)
        end)

        it("go on after a refused request that had no body", function()
            local connection = s:connect()
            assert.equal(404, connection:request({ path = "/no/such/path" }).status)
            assert.equal(200, connection:request({ path = "/health" }).status)
            connection:close()
        end)

        it("answer pipelined requests in order, slow ones too", function()
            local requests = {}
            for i = 1, 5 do requests[i] = wire.exec(s, ("sleep 0.%d; echo number %d"):format(5 - i, i)) end
            requests[6] = wire.lines("GET /health HTTP/1.1", "Connection: close", "")
            local responses = wire.answers(s, table.concat(requests))
            assert.equal(6, #responses)
            for i = 1, 5 do assert.truthy(responses[i].body:find("number " .. i, 1, true), responses[i].body) end
        end)

        it("answer 2,000 requests sent in one go", function()
            local request = wire.lines("GET /health HTTP/1.1", "Host: x", "")
            local responses = wire.answers(s, request:rep(2000), { half_close = true })
            assert.equal(2000, #responses)
        end)

        it("are not upgraded", function()
            local responses = wire.answers(s, wire.lines("GET /health HTTP/1.1", "Connection: Upgrade, HTTP2-Settings",
                "Upgrade: h2c", "HTTP2-Settings: AAMAAABk", "", "GET /health HTTP/1.1", "Connection: close", ""))
            assert.equal(2, #responses)
            assert.equal(200, responses[1].status)
        end)
    end)

    describe("answers", function()
        it("carry a date and a length, and no name of the server", function()
            local response = s:request({ path = "/health" })
            assert.truthy(response.headers.date:match("^%a%a%a, %d%d %a%a%a %d%d%d%d %d%d:%d%d:%d%d GMT$"))
            assert.equal(#response.body, tonumber(response.headers["content-length"]))
            assert.is_nil(response.headers.server)
        end)

        it("to HEAD are the head of the answer to GET", function()
            local connection = s:connect()
            local get = connection:request({ path = "/health" })
            local head = connection:request({ path = "/health", method = "HEAD" })
            assert.equal(200, head.status)
            assert.same(get.header_names, head.header_names)
            assert.truthy(tonumber(head.headers["content-length"]) > 0)
            assert.equal(200, connection:request({ path = "/health" }).status)
            connection:close()
        end)

        it("name the methods of a path where the method is another one", function()
            local response = s:request({ path = "/health", method = "PUT" })
            assert.equal(405, response.status)
            assert.equal("GET, HEAD, OPTIONS", response.headers.allow)
            assert.equal('{"error":"Method Not Allowed"}', response.body)
        end)

        it("to a preflight come from every path", function()
            for _, path in ipairs({ "/mcp", "/health", "/no/such/path", "*" }) do
                local response = s:request({
                    path = path, method = "OPTIONS",
                    headers = {
                        Authorization = false, Origin = "http://localhost:6274",
                        ["Access-Control-Request-Method"] = "POST",
                    },
                })
                assert.equal(204, response.status)
                assert.is_nil(response.headers["content-length"])
            end
        end)
    end)

    describe("Expect", function()
        local head = { "POST /mcp HTTP/1.1", "Content-Type: application/json", "Content-Length: 40" }
        local body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

        local function expecting(value, token)
            return wire.lines(head[1], head[2], head[3], "Authorization: Bearer " .. token, "Expect: " .. value, "")
        end

        it("100-continue is answered before the body is sent", function()
            local connection = s:connect()
            connection:send(expecting("100-continue", s.token))
            assert.equal(100, connection:read_response().status)
            connection:send(body)
            assert.equal(200, connection:read_response().status)
            connection:close()
        end)

        it("100-continue is answered by the refusal alone", function()
            local response = wire.answer(s, expecting("100-continue", "wrong"))
            assert.equal(401, response.status)
            assert.equal("close", response.headers.connection)
        end)

        it("anything else cannot be met", function()
            assert.equal(417, wire.answer(s, expecting("miracles", s.token)).status)
        end)
    end)

    describe("request lines", function()
        it("of other versions", function()
            assert.equal(505, status_of("GET /health HTTP/2.0", ""))
            assert.equal(505, status_of("GET /health HTTP/3.0", ""))
            assert.equal(505, status_of("PRI * HTTP/2.0", "", "SM", ""))
            assert.equal(400, status_of("GET /health HTTP/1.x", ""))
            assert.equal(400, status_of("GET /health", ""))
        end)

        it("with a method that nobody knows", function()
            assert.equal(501, status_of("BREW /health HTTP/1.1", ""))
            assert.equal(501, status_of("get /health HTTP/1.1", ""))
            assert.equal(501, status_of("CONNECT localhost:80 HTTP/1.1", ""))
        end)

        it("that are none", function()
            assert.equal(400, status_of("hello", ""))
            assert.equal(400, status_of("hello world", ""))
            assert.equal(400, wire.answer(s, "\22\3\1\2\0\1\0\1\252\3\3", { half_close = true }).status)
        end)

        it("may follow an empty line", function()
            assert.equal(200, status_of("", "GET /health HTTP/1.1", "Connection: close", ""))
        end)

        it("that are refused for their target are told what is wrong with it", function()
            for target, complaint in pairs({
                ["/session/a%00b/status"] = "path: cannot hold a NUL byte",
                ["/health%00"] = "path: cannot hold a NUL byte",
                ["/health%zz"] = "path: expected two hexadecimal digits behind each %",
                ["/health%0"] = "path: expected two hexadecimal digits behind each %",
                ["/health#top"] = "path: expected no fragment (#)",
                ["*"] = "path: * is for OPTIONS only",
                ["ftp://example.com/health"] = "path: expected one that begins with /, or http://host/path",
                ["http://user@example.com/health"] = "path: expected one that begins with /, or http://host/path",
            }) do
                local response = wire.answer(s, wire.lines("GET " .. target .. " HTTP/1.1", ""))
                assert.same({ 400, ('{"error":"%s"}'):format(complaint) }, { response.status, response.body }, target)
            end
        end)

        it("with escapes in the path", function()
            assert.equal(200, status_of("GET /%68ealt%68 HTTP/1.1", "Connection: close", ""))
            assert.equal(404, status_of("GET /%2568ealth HTTP/1.1", "Connection: close", ""))
            assert.equal(400, status_of("GET /health%00 HTTP/1.1", ""))
            assert.equal(400, status_of("GET /health%zz HTTP/1.1", ""))
            assert.equal(400, status_of("GET /health%6 HTTP/1.1", ""))
        end)

        it("with a target in another form", function()
            assert.equal(200, status_of("GET http://example.com:81/health?a=b HTTP/1.1", "Connection: close", ""))
            assert.equal(404, status_of("GET http://example.com HTTP/1.1", "Connection: close", ""))
            assert.equal(400, status_of("GET http://user@example.com/health HTTP/1.1", ""))
            assert.equal(400, status_of("GET http:///health HTTP/1.1", "Host: example.com", ""))
            assert.equal(400, status_of("GET ftp://example.com/health HTTP/1.1", ""))
            assert.equal(400, status_of("GET * HTTP/1.1", ""))
            assert.equal(400, status_of("GET health HTTP/1.1", ""))
            assert.equal(400, status_of("GET /health#top HTTP/1.1", ""))
        end)
    end)

    describe("Host", function()
        it("is a name or an address, with or without a port", function()
            for _, host in ipairs({ "example.com", "a_b:8080", "127.0.0.1:80", "[::1]", "[2001:db8::1]:443", "" }) do
                assert.equal(200, health("Host: " .. host, ""))
            end
        end)

        it("may be missing, as with the server before", function() assert.equal(200, health("")) end)

        it("is refused when it is anything else", function()
            for _, host in ipairs({ "a b", "a/b", "user@a", "a:b", "a:99999", "[::g]", "[::1", "[::1]x", ":80", "a,b", "a~b" }) do
                local response = wire.answer(s, wire.lines("GET /health HTTP/1.1", "Connection: close", "Host: " .. host, ""))
                assert.same({ 400, '{"error":"Host: expected a name or an address, perhaps with a port"}' },
                    { response.status, response.body }, host)
            end
        end)

        it("is refused when it comes twice", function()
            local response = wire.answer(s, wire.lines("GET /health HTTP/1.1", "Host: a", "Host: a", ""))
            assert.same({ 400, '{"error":"Host: expected one, got several"}' }, { response.status, response.body })
        end)
    end)

    describe("H08 sizes:", function()
        it("a target of 16,000 bytes is served, one of 100 KB is 414", function()
            assert.equal(200, status_of("GET /health?" .. ("a"):rep(16000) .. " HTTP/1.1", "Connection: close", ""))
            assert.equal(414, status_of("GET /health?" .. ("a"):rep(100000) .. " HTTP/1.1", ""))
        end)

        it("a header of 64 KiB is served, 1 MB of headers is 431, in one line or in many", function()
            assert.equal(200, health("X: " .. ("a"):rep(65536), ""))
            assert.equal(431, health("X: " .. ("a"):rep(1000000), ""))
            assert.equal(431, health(("X: " .. ("a"):rep(9997) .. "\r\n"):rep(100), ""))
        end)

        it("128 headers are served, 129 are 431", function()
            local lines = {}
            for i = 1, 127 do lines[i] = "X-" .. i .. ": a" end
            lines[128] = ""
            assert.equal(200, health(table.unpack(lines)))
            lines[128], lines[129] = "X-128: a", ""
            assert.equal(431, health(table.unpack(lines)))
        end)
    end)
end)
