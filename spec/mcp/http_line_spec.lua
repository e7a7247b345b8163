local fake_host = require("spec.support.fake_host")

describe("a POST as a transport", function()
    local http_line, request

    before_each(function()
        fake_host.install()
        http_line = require("mcp.http_line")
        request = fake_host.request({}, "{}")
    end)

    local function new(json, stream) return http_line.new(request, { json = json, stream = stream }) end

    it("answers in JSON, or in one event to who takes nothing else", function()
        assert.same({ 200, "{}" }, { new(true, true):respond(200, "{}") })
        local status, body, headers = new(false, true):respond(200, "{}", { ["Mcp-Session-Id"] = "x" })
        assert.same({ 200, "event: message\ndata: {}\n\n" }, { status, body })
        assert.same({ "text/event-stream", "no", "x" },
            { headers["Content-Type"], headers["X-Accel-Buffering"], headers["Mcp-Session-Id"] })
        assert.same({ 202 }, { new(false, true):respond(202) })
    end)

    it("becomes a stream with the first message before the answer, where the client takes one", function()
        assert.is_false(new(true, false):send("one"))
        assert.is_nil(request.sent)
        local line = new(true, true)
        assert.is_true(line:send("one"))
        assert.same({ "one" }, request.sent)
        assert.is_nil(request.stream_options.owner)
        assert.same({ 200, "{}" }, { line:respond(200, "{}") })
        line = new(false, true)
        line:send("one")
        assert.same({ 200, "{}" }, { line:respond(200, "{}") }) -- the host writes it into the stream that is open
    end)

    it("is resumed by its session, and begins with an event to resume from where the revision has that", function()
        local line = new(true, true)
        line:keep("nonce", true)
        line:send("one")
        assert.same({ "prime", "one" }, request.sent)
        assert.same({ "nonce", true }, { request.stream_options.owner, request.stream_options.kept })
        line:let_go(500)
        assert.same({ "prime", "one", "prime", "detach" }, request.sent)
    end)

    it("lets nobody go who could not come back", function()
        new(true, true):let_go(500)
        assert.is_nil(request.sent)
    end)

    it("answers for a handler that was stopped; a cancelled one is accounted for, and not answered", function()
        local line, reasons = new(true, true), {}
        line:on_long(function(reason)
            reasons[#reasons + 1] = reason
            return '{"x":1}'
        end, 7)
        assert.same({ 200, '{"jsonrpc":"2.0","id":7,"result":{"x":1}}' }, { request.on_stop("stopped: too long") })
        assert.same({ 202 }, { request.on_stop("stopped: cancelled by the client") })
        assert.equal(2, #reasons)
        request = fake_host.request({}, "{}")
        line = new(true, true)
        line:on_long(function() return nil, { code = -32021, message = "m" }, 400 end, 7)
        assert.equal(400, (request.on_stop("it asked the client")))
    end)

    it("begins a session with the id in a header", function()
        local headers = new(true, true):begin({ revision = "2025-11-25", capabilities = {}, client = { name = "c" } })
        assert.is_string(headers["Mcp-Session-Id"])
    end)

    it("knows its headers, and how many there are, when they cannot be read any more", function()
        request = fake_host.request({}, "{}")
        getmetatable(request).__index.header = function(_, name)
            if name == "user-agent" then return "agent", 2 end
        end
        local line = new(true, true)
        line:remember_headers()
        getmetatable(request).__index.header = error
        assert.same({ "agent", 2 }, { line:header("user-agent") })
        assert.is_nil((line:header("traceparent")))
    end)
end)
