-- Where a request ends must never be a matter of opinion: what one reader takes for a body another one would
-- execute. RFC 9112 6 and 7.
local server = require("spec.support.server")
local wire = require("spec.support.wire")

describe("HTTP framing", function()
    local s
    setup(function() s = server.start() end)
    teardown(function() s:stop() end)

    local smuggled = wire.lines("GET /health HTTP/1.1", "Host: x", "")

    local function post(...)
        return wire.lines("POST /mcp HTTP/1.1", "Host: x", "Authorization: Bearer " .. s.token,
            "Content-Type: application/json", ...)
    end

    local function chunked(body) return post("Transfer-Encoding: chunked", "") .. body end

    -- One answer, Connection: close, a JSON body, and nothing behind it.
    local function assert_refused(bytes, status)
        local response = wire.answer(s, bytes .. smuggled)
        assert.equal(status or 400, response.status)
        assert.equal("close", response.headers.connection)
        assert.equal("application/json", response.headers["content-type"])
        assert.equal(('{"error":"%s"}'):format(response.reason), response.body)
    end

    local function assert_body_accepted(body)
        local responses = wire.answers(s, chunked(body) .. wire.lines("GET /health HTTP/1.1", "Connection: close", ""))
        assert.equal(2, #responses)
        assert.equal(200, responses[2].status)
        assert.truthy(responses[1].body:find('"result"', 1, true), responses[1].body)
    end

    local ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    local size = ("%x"):format(#ping)

    describe("H01 an ambiguous length is refused and the connection closed:", function()
        local heads = {
            ["both lengths"] = { "Content-Length: 5", "Transfer-Encoding: chunked" },
            ["both lengths, the other way round"] = { "Transfer-Encoding: chunked", "Content-Length: 5" },
            ["a coding after chunked"] = { "Transfer-Encoding: chunked, identity" },
            ["a coding after chunked, in a header of its own"] =
                { "Transfer-Encoding: chunked", "Transfer-Encoding: identity" },
            ["chunked twice"] = { "Transfer-Encoding: chunked", "Transfer-Encoding: chunked" },
            ["chunked behind a control character"] = { "Transfer-Encoding: \vchunked" },
            ["two lengths"] = { "Content-Length: 5", "Content-Length: 6" },
            ["one length twice"] = { "Content-Length: 5", "Content-Length: 5" },
            ["a list of lengths"] = { "Content-Length: 5, 5" },
            ["a blank before the colon"] = { "Content-Length : 5" },
            ["a field without a name"] = { "Content-Length: 0", ": x" },
            ["nothing but fields without a name"] = { ":", ":" },
            ["a first header line that starts with a blank"] = { " Host: x", "Content-Length: 5" },
            ["a plus sign"] = { "Content-Length: +5" },
            ["a minus sign"] = { "Content-Length: -5" },
            ["a hexadecimal length"] = { "Content-Length: 0x5" },
            ["an empty length"] = { "Content-Length:" },
            ["a length beyond 64 bits"] = { "Content-Length: 18446744073709551617" },
            ["a folded coding"] = { "Transfer-Encoding:", " chunked" },
            ["a bare line feed"] = { "X: y\nTransfer-Encoding: chunked" },
            ["a bare carriage return"] = { "X: y\rTransfer-Encoding: chunked" },
            ["a NUL byte"] = { "X: y\0z", "Content-Length: 5" },
        }
        for name, lines in pairs(heads) do
            it(name, function()
                local head = table.move(lines, 1, #lines, 1, {})
                head[#head + 1] = ""
                assert_refused(post(table.unpack(head)) .. "0\r\n\r\n")
            end)
        end

        it("an unknown coding", function()
            assert_refused(post("Transfer-Encoding: xchunked", "") .. "0\r\n\r\n", 501)
            assert_refused(post("Transfer-Encoding: gzip, chunked", "") .. "0\r\n\r\n", 501)
        end)

        it("chunked in HTTP/1.0", function()
            local head = wire.lines("POST /mcp HTTP/1.0", "Transfer-Encoding: chunked", "")
            assert_refused(head .. "0\r\n\r\n")
        end)
    end)

    it("chunked bodies are read, in one chunk or byte by byte, with an extension or a trailer", function()
        assert_body_accepted(size .. "\r\n" .. ping .. "\r\n0\r\n\r\n")
        assert_body_accepted((ping:gsub(".", "1\r\n%0\r\n")) .. "0\r\n\r\n")
        assert_body_accepted(size .. ';name="value"\r\n' .. ping .. "\r\n0\r\n\r\n")
        assert_body_accepted(size .. "\r\n" .. ping .. "\r\n0\r\nX-Trailer: value\r\n\r\n")
    end)

    it("chunks that arrive byte by byte are the same", function()
        local connection = s:connect()
        for byte in chunked(size .. "\r\n" .. ping .. "\r\n0\r\n\r\n"):gmatch(".") do assert(connection:send(byte)) end
        assert.equal(200, connection:read_response().status)
        connection:close()
    end)

    describe("H07 a broken chunk is refused and the connection closed:", function()
        local rest = "\r\n" .. ping .. "\r\n0\r\n\r\n"
        local bodies = {
            ["a bare line feed after the size"] = size .. "\n" .. ping .. "\r\n0\r\n\r\n",
            ["another byte after the carriage return"] = size .. "\rX" .. ping .. "\r\n0\r\n\r\n",
            ["a bare line feed after the data"] = size .. "\r\n" .. ping .. "\n0\r\n\r\n",
            ["data longer than its size"] = "2\r\n" .. ping .. "\r\n0\r\n\r\n",
            ["a size beyond 64 bits"] = "1FFFFFFFFFFFFFFFF" .. rest,
            ["a negative size"] = "-1" .. rest,
            ["a size in the notation of C"] = "0x28" .. rest,
            ["a blank before the size"] = " " .. size .. rest,
            ["a blank after the size"] = size .. " " .. rest,
            ["no size"] = rest,
            ["an extension of 1 MB"] = size .. ";" .. ("a"):rep(1000000) .. rest,
            ["a size with 100,000 zeros"] = ("0"):rep(100000) .. size .. rest,
            ["trailers of 1 MB"] = size .. "\r\n" .. ping .. "\r\n0\r\n" .. ("X-Trailer: value\r\n"):rep(60000) .. "\r\n",
            ["a trailer without a name"] = size .. "\r\n" .. ping .. "\r\n0\r\n: value\r\n\r\n",
            ["a trailer without a name after another"] = size .. "\r\n" .. ping .. "\r\n0\r\nX: y\r\n: value\r\n\r\n",
            ["a coding in the trailers"] = size .. "\r\n" .. ping .. "\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n",
        }
        for name, body in pairs(bodies) do
            it(name, function() assert_refused(chunked(body)) end)
        end

        it("a size of all 64 bits is beyond the limit", function()
            assert_refused(chunked("FFFFFFFFFFFFFFFF" .. rest), 413)
        end)

        it("the end of the input instead of the last CRLF", function()
            local response = wire.answer(s, chunked(size .. "\r\n" .. ping .. "\r\n0\r\n"), { half_close = true })
            assert.equal(400, response.status)
        end)
    end)
end)
