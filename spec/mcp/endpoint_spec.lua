local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("endpoint", function()
    local endpoint, server, host

    before_each(function()
        host = fake_host.install()
        endpoint = require("mcp.endpoint")
        local tools = require("mcp.registry").new()
        tools:add({ name = "echo", description = "d", input = { type = "object" }, handler = function() return "said" end })
        tools:seal()
        server = { registry = tools, info = { name = "sandstorm", version = "2.0.0" } }
    end)

    local PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    local CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}'
    local MODERN_CALL = json.encode({
        jsonrpc = "2.0", id = 1, method = "tools/call",
        params = {
            name = "echo",
            _meta = {
                ["io.modelcontextprotocol/protocolVersion"] = "2026-07-28",
                ["io.modelcontextprotocol/clientCapabilities"] = {},
            },
        },
    })
    local MODERN = { ["mcp-protocol-version"] = "2026-07-28", ["mcp-method"] = "tools/call", ["mcp-name"] = "echo" }

    local function post(body, headers)
        local request = fake_host.request(headers, body)
        local status, text, more = endpoint.handle(server, request)
        return status, text, more, request
    end

    it("answers with plain JSON", function()
        local status, body, headers = post(PING)
        assert.equal(200, status)
        assert.equal('{"jsonrpc":"2.0","id":1,"result":{}}', body)
        assert.is_nil(headers)
    end)

    it("names what answers a session's request before anybody else has a turn, and its cancel", function()
        local hello = { jsonrpc = "2.0", id = 0, method = "initialize", params = {
            protocolVersion = "2025-11-25", capabilities = json.object({}), clientInfo = { name = "x", version = "1" },
        } }
        local id = select(3, post(json.encode(hello)))["Mcp-Session-Id"]
        local _, _, _, request = post(PING, { ["mcp-session-id"] = id })
        assert.matches("^call %S+ 1$", host.tag_at_once)
        assert.equal(202, (request.on_stop("stopped: cancelled by the client")))
        assert.equal(500, (request.on_stop("stopped: the server is shutting down")))
        host.tag = nil
        post('{"jsonrpc":"2.0","id":1,"result":{}}', { ["mcp-session-id"] = id })
        assert.is_nil(host.tag)
    end)

    it("is served with and without a slash at the end, behind the bearer", function()
        local routes = endpoint.routes(server)
        assert.equal("/mcp", routes[1].path)
        assert.equal("/mcp/", routes[2].path)
        for _, route in ipairs(routes) do
            assert.same({ "POST", "GET", "DELETE" }, route.methods)
            assert.equal("bearer", route.auth)
            assert.equal("checked", route.origin)
            assert.equal("application/json", route.media_type)
            assert.equal(1000000, route.body_limit)
            assert.equal(200, (route.handle(fake_host.request({}, PING))))
        end
    end)

    for name, body in pairs({
        ["nothing"] = "", ["broken JSON"] = '{"jsonrpc":', ["trailing garbage"] = PING .. " x",
        ["NaN"] = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', ["duplicate keys"] = '{"id":3,"id":4}',
        ["invalid UTF-8"] = '{"jsonrpc":"2.0","id":1,"method":"\xff"}', ["a lone surrogate"] = '{"id":"\\ud800"}',
        ["UTF-16"] = "\xff\xfe{\0}\0", ["a number of hexadecimals"] = '{"id":0x10}', ["a leading zero"] = '{"id":01}',
        ["1000 levels"] = '{"a":' .. ("["):rep(1000) .. ("]"):rep(1000) .. "}",
    }) do
        it("J07 J05 answers " .. name .. " with 400, -32700 and an id of null", function()
            local status, text = post(body)
            local answer = json.decode(text)
            assert.equal(400, status)
            assert.equal(-32700, answer.error.code)
            assert.equal(json.null, answer.id)
        end)
    end

    it("J08 answers arrays with 400 and -32600 since revision 2025-06-18", function()
        for _, body in ipairs({ "[]", "[1]", "[" .. PING .. "]", "[" .. PING .. "," .. PING .. "]" }) do
            for _, version in ipairs({ "2024-11-05", "2025-06-18", "2025-11-25" }) do
                local status, text = post(body, { ["mcp-protocol-version"] = version })
                assert.equal(400, status)
                assert.equal(-32600, json.decode(text).error.code)
            end
        end
    end)

    it("leaves the id out where the stateless revision cannot repeat it", function()
        local _, text = post("{", MODERN)
        assert.is_nil(json.decode(text).id)
    end)

    it("repeats the id of a message that it refuses", function()
        local status, text = post('{"id":3,"method":"ping"}')
        assert.equal(400, status)
        assert.equal(3, json.decode(text).id)
        status, text = post(PING, { ["mcp-protocol-version"] = "1999-01-01" })
        assert.equal(400, status)
        assert.equal(1, json.decode(text).id)
        assert.equal(-32022, json.decode(text).error.code)
    end)

    it("M05 answers notifications with 202 and no body", function()
        local status, body, headers = post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        assert.equal(202, status)
        assert.is_nil(body)
        assert.is_nil(headers)
        status, body, headers = post('{"jsonrpc":"2.0","method":"notifications/initialized"}', { accept = "text/event-stream" })
        assert.equal(202, status)
        assert.is_nil(body)
        assert.is_nil(headers)
    end)

    it("refuses a client that takes neither JSON nor a stream", function()
        local status, body = post(PING, { accept = "text/html" })
        assert.equal(406, status)
        assert.is_table(json.decode(body).error)
    end)

    it("M15 gives a client that takes streams only a stream of one event, on one line", function()
        server.registry:find("echo").handler = function() return "a\nb\rc\u{2028}d\u{2029}e\u{85}f\0g\27[0m\ndata: x" end
        local status, data, _, request = post(CALL, { accept = "text/event-stream" })
        assert.equal(200, status)
        assert.same({ every_ms = 15000 }, request.stream_options)
        assert.is_nil(data:find("[\n\r]"))
        for _, character in ipairs({ "\u{2028}", "\u{2029}", "\u{85}", "\0", "\27" }) do
            assert.is_nil(data:find(character, 1, true))
        end
        assert.equal("a\nb\rc\u{2028}d\u{2029}e\u{85}f\0g\27[0m\ndata: x", json.decode(data).result.content[1].text)
    end)

    it("gives a client that takes streams only a stream also for what is answered at once", function()
        local status, body, headers = post(PING, { accept = "text/event-stream" })
        assert.equal(200, status)
        assert.equal("text/event-stream", headers["Content-Type"])
        assert.equal('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n', body)
    end)

    it("lets a slow answer become a stream where the client takes one", function()
        local _, _, _, request = post(CALL, { accept = "application/json, text/event-stream" })
        assert.same({ 5000, 15000 }, request.slow)
        for _, accept in ipairs({ "application/json", "text/event-stream" }) do
            _, _, _, request = post(CALL, { accept = accept })
            assert.is_nil(request.slow)
        end
        _, _, _, request = post(PING, { accept = "application/json, text/event-stream" })
        assert.is_nil(request.slow)
    end)

    it("ends a handler whose client hung up in the stateless era only", function()
        local _, _, _, request = post(CALL)
        assert.is_nil(request.ends_with_client)
        _, _, _, request = post(MODERN_CALL, MODERN)
        assert.is_true(request.ends_with_client)
    end)

    it("answers for a handler that was stopped, in the form of its era", function()
        local _, _, _, request = post(CALL)
        local status, body = request.on_stop("the deadline is over")
        local answer = json.decode(body)
        assert.equal(200, status)
        assert.equal(1, answer.id)
        assert.is_true(answer.result.isError)
        assert.is_nil(answer.result.resultType)
        _, _, _, request = post(MODERN_CALL, MODERN)
        _, body = request.on_stop("the deadline is over")
        assert.equal("complete", json.decode(body).result.resultType)
    end)

    it("answers a request that fails inside, and tells the client nothing of the inside", function()
        server.registry.find = function() error("database is locked: /secret/path") end
        for body, headers in pairs({ [CALL] = {}, [MODERN_CALL] = MODERN }) do
            local status, text = post(body, headers)
            local answer = json.decode(text)
            assert.same({ 200, 1, -32603 }, { status, answer.id, answer.error.code })
            assert.is_nil(answer.error.message:find("secret", 1, true))
            assert.matches("/secret/path", host.lines[#host.lines].fields.error)
        end
    end)
end)
