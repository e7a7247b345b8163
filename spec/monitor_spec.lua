local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("monitor", function()
    local host, monitor

    before_each(function()
        host = fake_host.install()
        monitor = require("monitor")
    end)

    it("sets the sessions that there are, forgets the others, and answers as Prometheus reads", function()
        host.shared.put("session/census", json.encode({ counts = { ready = 2 } }), 60000)
        local status, body, headers = monitor.handle()
        assert.same({ 200, "text", "text/plain; version=0.0.4; charset=utf-8" }, { status, body, headers["Content-Type"] })
        assert.same({ { "clear", "sandstorm_sessions" }, { "set", "sandstorm_sessions", { status = "ready" }, 2 } }, host.figures)
    end)

    it("asks for a token", function() assert.equal("metrics", monitor.routes()[1].auth) end)
end)
