--- The server as the first process of a container: what loses its parent is left to it.
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local uv = require("luv")

describe("the first process of a container", function()
    -- The one that the outside knows as the child of `unshare`.
    local function first_of(s)
        return tonumber(tmp.read(("/proc/%d/task/%d/children"):format(s.process.pid, s.process.pid)):match("%d+"))
    end

    local function run(s, command) return s:call("terminal_exec", { command = command }).structuredContent end

    -- Sends a signal and returns how it ended.
    local function finish(s, signal)
        uv.kill(first_of(s), signal)
        s.stopped = true
        return (s.process:wait())
    end

    it("reaps what loses its parent, leaves to its own children what became of them, and hands signals on", function()
        local s = server.start({ wrap = needs.processes() })
        assert.equal("sandstorm-mcp\n", run(s, "cat /proc/1/comm").stdout)
        run(s, "for i in 1 2 3; do (sh -c 'echo $$ >> pids' &); done")
        assert(program.wait_until(function() return select(2, (tmp.read(s.workspace .. "/pids") or ""):gsub("\n", "")) == 3 end))
        local left = "for pid in $(cat pids); do [ -d /proc/$pid ] && echo $pid; done"
        assert(program.wait_until(function() return run(s, left).stdout == "" end), "they are not reaped")
        for code = 0, 20 do assert.equal(code, run(s, "(true &); exit " .. code).exit_code) end
        assert.equal("SIGKILL", run(s, "kill -9 $$").signal)
        local before = tonumber(s:request({ path = "/health" }).body:match('"generation":(%d+)'))
        uv.kill(first_of(s), "sighup")
        assert(program.wait_until(function()
            return tonumber(s:request({ path = "/health" }).body:match('"generation":(%d+)')) > before
        end))
        assert.equal(0, finish(s, "sigterm"))
        assert.matches("sandstorm%-mcp stopped", s.process:stdout())
    end)

    it("shows its secret to no child", function()
        local s = server.start({ wrap = needs.processes(), token = "a-secret-that-nobody-sees-0123" })
        local seen = run(s, "for p in /proc/[0-9]*; do cat $p/environ $p/cmdline 2>/dev/null | tr '\\0' '\\n'; done")
        assert.not_matches("a-secret-that-nobody-sees", seen.stdout, 1, true)
        finish(s, "sigterm")
    end)

    it("ends as the server ends", function()
        local failed = program.run({
            args = { "serve" }, wrap = needs.processes(),
            env = { SANDSTORM_MCP_TOKEN = "spec-token-0123456789abcdef", SANDSTORM_MCP_HOST = "203.0.113.1" },
        })
        assert.equal(1, failed.code)
        assert.matches("cannot listen on 203.0.113.1", failed.stderr, 1, true)
        local s = server.start({ wrap = needs.processes() })
        pcall(run, s, "kill -9 $PPID")
        s.stopped = true
        assert.equal(137, (s.process:wait()))
    end)
end)
