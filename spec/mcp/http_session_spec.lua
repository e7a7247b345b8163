local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("GET and DELETE of a session", function()
    local http_session, session, host, id
    local none = { is_empty = function() return true end }
    local server = { registry = { resources = none, templates = none, prompts = none, completes = function() end } }

    before_each(function()
        host = fake_host.install()
        http_session, session = require("mcp.http_session"), require("mcp.session")
        id = session.mint("owner", "2025-11-25", {}, { name = "c" })
    end)

    local function handle(method, headers)
        local request = fake_host.request(headers, "")
        getmetatable(request).__index.method = method
        function request.resume(_, event) return event ~= "listen-gone" end
        local status, body, more = http_session.handle(server, request)
        return status, body and json.decode(body), more, request
    end

    it("need one", function()
        for _, method in ipairs({ "GET", "DELETE" }) do
            local status, _, more = handle(method, {})
            assert.same({ 405, "POST" }, { status, more.Allow })
            assert.equal(405, (handle(method, { ["mcp-protocol-version"] = "2026-07-28" })))
            assert.equal(400, (handle(method, { ["mcp-protocol-version"] = "2025-11-25" })))
            assert.equal(404, (handle(method, { ["mcp-session-id"] = "nonsense" })))
            local failure = select(2, handle(method, { ["mcp-session-id"] = id, ["mcp-protocol-version"] = "1999-01-01" }))
            assert.equal(-32022, failure.error.code)
        end
        assert.equal(405, (handle("HEAD", { ["mcp-session-id"] = id })))
    end)

    it("listen to what the session may hear of, in a stream that it alone resumes", function()
        local status, _, _, request = handle("GET", { ["mcp-session-id"] = id, accept = "text/event-stream" })
        assert.is_nil(status)
        local nonce = session.read(id, "owner").nonce
        assert.equal(nonce, request.stream_options.owner)
        assert.is_true(request.stream_options.kept)
        assert.equal("session " .. nonce, request.stream_options.topics[1])
        assert.same({ "prime" }, request.sent)
        local older = session.mint("owner", "2025-06-18", {}, { name = "c" })
        assert.same({}, select(4, handle("GET", { ["mcp-session-id"] = older })).sent)
        assert.equal(406, (handle("GET", { ["mcp-session-id"] = id, accept = "application/json" })))
    end)

    it("resume a stream of the same session, and no other", function()
        host.stream.owner = function(event) return event == "mine" and session.read(id, "owner").nonce or "somebody" end
        assert.is_nil((handle("GET", { ["mcp-session-id"] = id, ["last-event-id"] = "mine" })))
        assert.equal(400, (handle("GET", { ["mcp-session-id"] = id, ["last-event-id"] = "other" })))
    end)

    it("listen anew where the stream that listened is not known any more, or somebody else's", function()
        local options = select(4, handle("GET", { ["mcp-session-id"] = id })).stream_options
        assert.matches("^listen%-", options.id)
        local nonce = session.read(id, "owner").nonce
        for event, owner in pairs({ ["listen-gone"] = nonce, ["listen-foreign"] = "somebody" }) do
            host.stream.owner = function() return owner end
            local status, _, _, request = handle("GET", { ["mcp-session-id"] = id, ["last-event-id"] = event })
            assert.is_nil(status)
            assert.not_equal(options.id, request.stream_options.id)
            assert.same({ "prime", 2 }, { request.sent[1], #request.sent })
            assert.equal("notifications/tools/list_changed", json.decode(request.sent[2]).method)
        end
    end)

    it("end the session, what it runs and what it listens to", function()
        local nonce = session.read(id, "owner").nonce
        assert.equal(204, (handle("DELETE", { ["mcp-session-id"] = id })))
        assert.is_nil(session.read(id, "owner"))
        assert.equal(("call %s *"):format(nonce), host.stopped[1][1])
        assert.same({ "session " .. nonce, nil, ended = true }, host.sent[1])
    end)
end)
