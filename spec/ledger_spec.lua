local fake_host = require("spec.support.fake_host")

describe("ledger", function()
    local host, ledger, exchange

    before_each(function()
        host = fake_host.install()
        ledger = require("ledger")
        exchange = {
            bytes = 10, era = "modern", client = { name = "c", version = "1" }, principal = "grant:1",
            header = function(_, name) return name == "traceparent" and "from the header" or nil end,
        }
    end)

    it("counts a call, and writes who did what without secrets", function()
        ledger.open(exchange, { command = "TOKEN=x ls", password = "p" }, {})
        ledger.call(exchange, "terminal_exec", "ok", 12.4, 20)
        assert.same({ "add", "sandstorm_tool_calls_total", { tool = "terminal_exec", outcome = "ok" } }, host.figures[1])
        assert.same({ "observe", "sandstorm_tool_call_duration_seconds", { tool = "terminal_exec" }, 0.0124 }, host.figures[2])
        assert.same({ {
            event = "tool", principal = "grant:1", client = "c", client_version = "1", tool = "terminal_exec",
            arguments = { command = "TOKEN=[redacted] ls", password = "[redacted]" }, outcome = "ok", duration_ms = 12,
            bytes_in = 10, bytes_out = 20,
        } }, host.audited)
    end)

    it("takes the trace from _meta before the header", function()
        ledger.open(exchange, {}, { traceparent = "from _meta" })
        ledger.open(exchange, {}, {})
        assert.same({ "from _meta", "from the header" }, host.traced)
    end)

    it("keeps nothing of the arguments where there is no audit log", function()
        host.audit.enabled = function() return false end
        ledger.open(exchange, { a = 1 }, {})
        ledger.call(exchange, "t", "ok", 1, 1)
        assert.is_nil(exchange.kept_arguments)
        assert.same({}, host.audited)
    end)

    it("writes a line for a request of the session API", function()
        ledger.session({
            principal = "session", peer = "127.0.0.1", session = "id", action = "exec", arguments = { command = "ls" },
            status = 410, duration_ms = 1.6, bytes_in = 2, bytes_out = 3,
        })
        assert.same({ {
            event = "session", principal = "session", peer = "127.0.0.1", session = "id", action = "exec",
            arguments = { command = "ls" }, outcome = "refused", status = 410, duration_ms = 2, bytes_in = 2, bytes_out = 3,
        } }, host.audited)
    end)
end)
