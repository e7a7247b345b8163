--- The terminal tools of a running server: what only shows over the wire or in the server's own process.
local mcp = require("spec.support.mcp")
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local rest = require("spec.support.rest")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local wire = require("spec.support.wire")

local is_alive = program.is_alive

local LONG = { SANDSTORM_SCRIPT_CPU_MS = "60000" } -- a sanitizer's instruments cost processor time

local function kill(pid) tmp.shell(("kill -9 %d"):format(tonumber(pid))) end

--- Waits until a file in the workspace has content.
local function wait_for_file(s, name)
    local path = s.workspace .. "/" .. name
    assert(program.wait_until(function() return (tmp.read(path) or ""):find("\n") end), name .. " does not come")
    return tmp.read(path)
end

local function start_job(s, command)
    local text = s:text("terminal_exec_background", { command = command })
    return math.tointeger(tonumber(text:match("^PID: (%d+)\nStarted background process %d+$")))
end

describe("the terminal of a running server", function()
    local s

    setup(function() s = server.start({ env = LONG }) end)
    teardown(function() s:stop() end)

    local function exec(arguments) return s:call("terminal_exec", arguments) end

    it("P01 answers when the shell ends, and the child in the background lives on", function()
        local result = exec({ command = "sleep 300 & echo $! > p01; echo started", timeout = 20 })
        local pid = wait_for_file(s, "p01")
        local lives = is_alive(pid)
        kill(pid)
        assert.equal("stdout:\nstarted\n\n\nexit_code: 0", result.content[1].text)
        assert.same({ false, true }, { result.isError, lives })
    end)

    it("P02 leaves no descriptor behind for a child that goes on writing", function()
        needs.root() -- who may see the descriptors of a process that hides its memory
        exec({ command = "true" })
        local before = s:descriptors()
        local result = exec({ command = "(while :; do echo tick; sleep 0.02; done) & echo $! > p02; sleep 0.1; echo fg-done" })
        assert.matches("fg%-done\n", result.structuredContent.stdout)
        assert(program.wait_until(function() return s:descriptors() <= before end), "a descriptor stays")
        local pid = wait_for_file(s, "p02")
        assert(program.wait_until(function() return not is_alive(pid) end), "the writer lives on without a reader")
    end)

    it("P05 says that the time was over, with what came before", function()
        local result = exec({ command = "echo before; echo warn >&2; (sleep 300 &); sleep 300", timeout = 2 })
        local structured = result.structuredContent
        assert.equal("stdout:\nbefore\n\n\nstderr:\nwarn\ntimeout after 2.0s\n\nexit_code: 124", result.content[1].text)
        assert.same({ true, 124, true, "before\n", "warn\n" },
            { result.isError, structured.exit_code, structured.timed_out, structured.stdout, structured.stderr })
    end)

    for _, revision in ipairs({ "2025-11-25", mcp.MODERN }) do
        it("tells a client of " .. revision .. " that asks what comes meanwhile", function()
            local client = revision == mcp.MODERN and mcp.modern(s) or mcp.session(s, revision)
            tmp.shell("rm -f " .. s.workspace .. "/go")
            local call = client:open("tools/call", {
                name = "terminal_exec", _meta = { progressToken = "t" },
                arguments = { command = "echo one; echo '  two ü'; echo; until [ -e go ]; do sleep 0.01; done; echo last" },
            })
            assert.equal("  two ü", call:next().params.message)
            tmp.write(s.workspace .. "/go", "")
            local result = call:answer().result
            for _, message in ipairs(call.before) do assert.equal("last", message.params.message) end -- unless it came at once
            assert.equal("one\n  two ü\n\nlast\n", result.structuredContent.stdout)
            local _, quiet = client:result("tools/call", { name = "terminal_exec", arguments = { command = "echo x" } })
            assert.is_false(quiet.is_stream)
        end)
    end

    it("P08 cuts over 10 MiB inside a character, says so, and stays UTF-8", function()
        for _, first in ipairs({ "", "x" }) do
            local result = exec({ command = "printf '" .. first .. "'; yes € | tr -d '\\n' | head -c 10485780; exit 5" })
            local structured = result.structuredContent
            local cut = #structured.stdout
            assert.is_true(cut <= 10485760 and cut > 10485757 and utf8.len(structured.stdout) ~= nil, cut)
            assert.same({ true, 5 }, { structured.truncated, structured.exit_code })
            assert.matches(("first %d of %d bytes"):format(cut, 10485780 + #first), result.content[2].text)
        end
    end)

    it("P09 endless background output costs bounded memory and leaves the server responsive", function()
        exec({ command = "true" })
        local before = s:status("VmRSS")
        local pid = start_job(s, "exec yes")
        for _ = 1, 30 do
            assert.equal("still here\n", exec({ command = "sleep 0.05; echo still here" }).structuredContent.stdout)
        end
        local more = s:status("VmRSS") - before
        assert.equal(("Sent SIGTERM to %d"):format(pid), (s:text("terminal_kill", { pid = pid })))
        assert(program.wait_until(function() return not is_alive(pid) end))
        assert.is_true(more < 32768, more .. " kB more")
    end)

    it("P11 a command that wants to read is at the end at once", function()
        for command, code in pairs({ cat = 0, ["read x"] = 1, ["cat /dev/stdin"] = 0 }) do
            local structured = exec({ command = command, timeout = 30 }).structuredContent
            assert.same({ code, false, "" }, { structured.exit_code, structured.timed_out, structured.stdout })
        end
    end)

    it("P13 runs a command of half a megabyte", function()
        local content = ("z"):rep(500000)
        local result = exec({ command = "cat > p13 <<'E'\n" .. content .. "\nE\n" })
        assert.equal(0, result.structuredContent.exit_code)
        assert.is_true(tmp.read(s.workspace .. "/p13") == content .. "\n")
    end)

    it("P16 no value of timeout ends a command early, or lets it run for ever", function()
        local command = "sleep 0.2; echo ok"
        for _, timeout in ipairs({ "99999999", "1e18", "9223372036854775807", "1e300", "0", "30", '"30"', "null" }) do
            local body = ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"terminal_exec","arguments":' ..
                '{"command":"%s","timeout":%s}}}'):format(command, timeout)
            local result = s:post(body).json.result
            assert.equal("stdout:\nok\n\n\nexit_code: 0", result.content[1].text, timeout)
        end
        for _, timeout in ipairs({ "-1", "-0.001", '"soon"', "true", "[]" }) do
            local body = ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"terminal_exec","arguments":' ..
                '{"command":"touch p16","timeout":%s}}}'):format(timeout)
            local result = s:post(body).json.result
            assert.is_true(result.isError, timeout)
            assert.matches("timeout", result.content[1].text)
        end
        assert.is_nil(tmp.kind(s.workspace .. "/p16"))
    end)

    it("P17 the schema says unit, default and maximum of the timeout", function()
        for _, tool in ipairs(s:rpc("tools/list").result.tools) do
            if tool.name == "terminal_exec" then
                local description = tool.inputSchema.properties.timeout.description
                assert.matches("[Ss]econds", description)
                assert.matches("30", description)
                assert.matches("300", description)
                return
            end
        end
        error("there is no terminal_exec")
    end)

    it("P19 terminal_kill reaches jobs of this server only", function()
        local stranger = tonumber((exec({ command = "sleep 300 >/dev/null 2>&1 & echo $!" }).structuredContent.stdout))
        for _, pid in ipairs({ 0, -1, 1, s.process.pid, -s.process.pid, stranger, 4194305, 99999999999 }) do
            local text, is_error = s:text("terminal_kill", { pid = pid })
            assert.is_true(is_error, text)
        end
        assert.same({ true, true }, { is_alive(stranger), s.process:running() })
        kill(stranger)
    end)

    it("P23 a death by signal is a failure that says the signal", function()
        local result = exec({ command = "printf part; kill -9 $$" })
        assert.equal("stdout:\npart\n\nexit_code: -9", result.content[1].text)
        assert.same({ true, "SIGKILL" }, { result.isError, result.structuredContent.signal })
    end)

    it("P25 commands see no secret of the server, wherever they look", function()
        local secrets = { "hidden-token-1", "hidden-token-2" }
        local other = server.start({ token = secrets[1], env = { SESSION_AUTH_TOKEN = secrets[2] } })
        local looks = "env; cat /proc/self/environ; cat /proc/$PPID/environ /proc/$PPID/cmdline; set"
        local seen = {}
        for _, command in ipairs({ looks, "bash -c '" .. looks .. "'", "setsid bash -c '" .. looks .. "'" }) do
            seen[#seen + 1] = other:call("terminal_exec", { command = command }).content[1].text
        end
        local pid = start_job(other, "(" .. looks .. ") > seen 2>&1; echo done >> seen")
        assert(program.wait_until(function() return (tmp.read(other.workspace .. "/seen") or ""):find("done\n$") end))
        seen[#seen + 1] = tmp.read(other.workspace .. "/seen")
        seen[#seen + 1] = other.process:stdout() .. other.process:stderr()
        other:stop()
        assert.is_number(pid)
        for i, text in ipairs(seen) do
            assert.is_true(#text > 20, i)
            for _, secret in ipairs(secrets) do assert.is_nil(text:find(secret, 1, true), i) end
        end
    end)

    it("P25 hooks of git and install scripts see no secret of the server either", function()
        local secrets, bin = { "hidden-token-1", "hidden-token-2" }, tmp.dir("bin")
        local look = tmp.write(bin .. "/npm", [[#!/bin/bash
            exec >> seen 2>&1; basename "$0"; env; p=$$
            while [ "$p" -gt 1 ]; do cat /proc/$p/environ /proc/$p/cmdline; p=$(awk '{ print $4 }' /proc/$p/stat); done; exit 0]])
        local other = server.start({
            token = secrets[1], env = { SESSION_AUTH_TOKEN = secrets[2], PATH = bin .. ":/usr/bin:/bin" },
        })
        tmp.shell(("cd %s; chmod +x %s; git init -q; cp %s .git/hooks/pre-commit; git config user.name a; "
            .. "git config user.email a; echo x > x"):format(other.workspace, look, look))
        assert.is_false(other:call("git_commit", { message = "m" }).isError)
        assert.is_false(other:call("workspace_install", { packages = "x", manager = "npm" }).isError)
        other:stop()
        local text = tmp.read(other.workspace .. "/seen")
        for _, looked in ipairs({ "pre-commit\n", "npm\n", "sandstorm-mcp\0serve" }) do
            assert.truthy(text:find(looked, 1, true))
        end
        for _, secret in ipairs(secrets) do assert.is_nil(text:find(secret, 1, true)) end
    end)

    it("P28 jobs that closed their output or left a child with it leave the server asleep", function()
        local one = start_job(s, "exec >&- 2>&-; echo $$ > one; exec sleep 300")
        local two = start_job(s, "sleep 300 & echo $! > two; exit 0")
        wait_for_file(s, "one")
        local child = wait_for_file(s, "two")
        assert(program.wait_until(function() return not is_alive(two) end))
        local came = rest.comes(s.process.pid)
        kill(child)
        s:text("terminal_kill", { pid = one })
        assert.is_true(came, "it never comes to rest")
    end)

    it("the whole group of a job ends with terminal_kill", function()
        local pid = start_job(s, "sleep 300 & echo $! > group; wait; echo after > after")
        local child = wait_for_file(s, "group")
        assert.equal(("Sent SIGTERM to %d"):format(pid), (s:text("terminal_kill", { pid = pid })))
        assert(program.wait_until(function() return not is_alive(pid) and not is_alive(child) end))
        assert.is_nil(tmp.kind(s.workspace .. "/after"))
    end)
end)

describe("children and the end of the server", function()
    it("D01 a killed server leaves its port free, and its child no descriptor of it", function()
        local s = server.start()
        local pid = start_job(s, "ls -l /proc/self/fd > fds; echo end >> fds; exec sleep 300")
        wait_for_file(s, "fds")
        assert(program.wait_until(function() return tmp.read(s.workspace .. "/fds"):find("end\n") end))
        local idle = s:connect()
        idle:request({ path = "/health", host = "127.0.0.1" })
        s:kill()
        local closed, lives = idle:is_closed(), is_alive(pid)
        local fds = tmp.shell(("ls /proc/%d/fd"):format(pid))
        local again = server.start({ port = s.port })
        again:stop()
        kill(pid)
        assert.same({ true, true, "0\n1\n2\n" }, { closed, lives, fds })
        assert.not_matches("socket:", tmp.read(s.workspace .. "/fds"))
    end)

    it("D05 SIGTERM answers or cancels calls, ends every child and leaves with 0", function()
        local s = server.start({ env = { SANDSTORM_STOP_MS = "300" } })
        local idle = s:connect()
        idle:request({ path = "/health", host = "127.0.0.1" })
        local job = start_job(s, "trap '' TERM; echo $$ > job; while :; do sleep 0.05; done")
        wait_for_file(s, "job")
        local running = wire.begin(s, "terminal_exec",
            { command = "echo $$ > call; sleep 300 & echo $! > child; wait", timeout = 300 })
        local call, child = wait_for_file(s, "call"), wait_for_file(s, "child")
        s:stop()
        local answer = running:read_response()
        assert.equal(200, answer.status)
        assert.matches("shutting down", answer.body, 1, true)
        assert.is_true(idle:is_closed())
        assert.same({ false, false, false }, { is_alive(job), is_alive(call), is_alive(child) })
        local again = server.start({ port = s.port })
        again:stop()
    end)

    it("D05 a call that ends in time is answered after SIGTERM", function()
        local s = server.start({ env = { SANDSTORM_STOP_MS = "60000" } })
        local running = wire.begin(s, "terminal_exec",
            { command = "echo > begun; until [ -e go ]; do sleep 0.02; done; echo ok" })
        wait_for_file(s, "begun")
        s.process:signal_with("sigterm")
        assert(program.wait_until(function() return not server.accepts(s.host, s.port) end))
        tmp.write(s.workspace .. "/go", "")
        local answer = running:read_response()
        s:stop()
        assert.equal(200, answer.status)
        assert.matches("ok", answer.body)
    end)

    it("D05 a second signal ends the wait for calls", function()
        for _, name in ipairs({ "sigterm", "sigint" }) do
            local s = server.start({ env = { SANDSTORM_STOP_MS = "86400000" } })
            wire.begin(s, "terminal_exec", { command = "echo $$ > call; sleep 300", timeout = 300 })
            local call = wait_for_file(s, "call")
            s.process:signal_with(name)
            assert(program.wait_until(function() return not server.accepts(s.host, s.port) end))
            assert.is_true(s.process:running() and is_alive(call))
            s:stop() -- the second one
            assert.is_false(is_alive(call))
        end
    end)

    it("D05 SIGHUP ends nothing", function()
        local s = server.start()
        local running = wire.begin(s, "terminal_exec",
            { command = "echo > begun; until [ -e go ]; do sleep 0.02; done; echo ok" })
        wait_for_file(s, "begun")
        s.process:signal_with("sighup")
        assert.equal("here\n", s:call("terminal_exec", { command = "echo here" }).structuredContent.stdout)
        tmp.write(s.workspace .. "/go", "")
        assert.matches("ok", running:read_response().body)
        s:stop()
    end)
end)
