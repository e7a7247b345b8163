local fake_host = require("spec.support.fake_host")

describe("session.exec", function()
    local host, exec, started, answer, written

    before_each(function()
        host = fake_host.install()
        written = {}
        host.db.open = function()
            return { exec = function(_, _, status)
                written[#written + 1] = status
                return { changes = 1 }
            end }
        end
        host.fs.stat = function() return nil end
        host.fs.read = function() return '{"A":"1","SANDSTORM_SESSION_ID":"another"}' end
        host.process.run = function(options)
            started = options
            return table.unpack(answer)
        end
        exec = require("session.exec")
        started = nil
    end)

    local function ends_with(run)
        local all = { stdout = "", stderr = "", duration_ms = 1500 }
        for name, value in pairs(run) do all[name] = value end
        answer = { all }
    end

    --- The members of the answer, or nil, message and code.
    local function run(fields, begin)
        local all = { command = "make", timeout_ms = 30000 }
        for name, value in pairs(fields or {}) do all[name] = value end
        local list, message, code = exec.run("id", all, begin or function() return true end)
        if not list then return nil, message, code end
        local members = {}
        for _, member in ipairs(list) do members[member[1]] = member[2] end
        return members
    end

    it("runs the command in the workspace of the session, marked as its own", function()
        ends_with({ exit_code = 0, stdout = "done\xFF" })
        assert.same({ exit_code = 0, stdout = "done\u{FFFD}", stderr = "" }, run())
        assert.same({ "make", "/w/sessions/id/workspace", 30000, 10485760, { A = "1", SANDSTORM_SESSION_ID = "id" } },
            { started.command, started.cwd, started.timeout_ms, started.capture_bytes, started.env })
    end)

    for given, seconds in pairs({ [-5] = 1, [0] = 1, [1999] = 1, [300000] = 300, [1 << 53] = 300 }) do
        it(("gives it %d s of %d ms"):format(seconds, given), function()
            ends_with({ exit_code = 0 })
            run({ timeout_ms = given })
            assert.equal(seconds * 1000, started.timeout_ms)
        end)
    end

    it("says how a command ended that did not end well, and counts it", function()
        for _, case in ipairs({
            { { exit_code = 3 }, { exit_code = 3, stdout = "", stderr = "" }, "error" },
            { { signal = "SIGKILL", signal_number = 9 }, { exit_code = -9, stdout = "", stderr = "" }, "signal" },
            { { timed_out = true, stderr = "x" }, { exit_code = 124, stdout = "", stderr = "x\ntimeout after 30s" }, "timeout" },
            { { exit_code = 0, stderr_truncated = true }, { exit_code = 0, stdout = "", stderr = "", truncated = true }, "ok" },
        }) do
            ends_with(case[1])
            host.figures[1] = nil
            assert.same(case[2], run())
            assert.same({ "add", "sandstorm_session_commands_total", { outcome = case[3] } }, table.remove(host.figures, 1))
            assert.same({ "observe", "sandstorm_session_command_duration_seconds", nil, 1.5 }, table.remove(host.figures, 1))
        end
    end)

    it("runs nothing that may not begin, or outside the session", function()
        assert.same({ nil, "gone", 7 }, { run({}, function() return nil, "gone", 7 end) })
        local _, message, code = run({ cwd = "/etc" })
        assert.matches("^cwd: expected a folder inside the session", message)
        assert.equal("ECWD", code)
        assert.is_nil(started)
    end)

    it("counts as running before it asks whether it may, so that who ends the session finds it", function()
        ends_with({ exit_code = 0 })
        local tag
        run({}, function()
            tag = host.tag
            return true
        end)
        assert.equal("session:id", tag)
        assert.is_nil(host.tag)
    end)

    it("blames the working directory that was given, else says what the system said", function()
        answer = { nil, "/w/sessions/id/workspace: No such file or directory", "ENOENT" }
        assert.same({ nil, "/w/sessions/id/workspace: No such file or directory", "ENOENT" }, { run() })
        assert.same({ nil, "cwd: /w/sessions/id/workspace: No such file or directory", "ECWD" }, { run({ cwd = "x" }) })
    end)

    it("has written down before it answers whether others still run, and leaves nothing to do behind it", function()
        ends_with({ exit_code = 0 })
        for others, status in pairs({ [0] = "ready", [1] = "active" }) do
            written = {}
            host.fiber.count = function(tag)
                assert.same({ "session:id", nil }, { tag, host.tag })
                return others
            end
            run()
            assert.same({ { status }, {} }, { written, host.spawned })
        end
    end)

    it("says of a command whose session another server ended meanwhile that it was ended", function()
        ends_with({ signal = "SIGTERM", signal_number = 15 })
        host.db.open = function() return { exec = function() return { changes = 0 } end } end
        package.loaded["session.exec"], package.loaded["session.store"] = nil, nil
        exec = require("session.exec")
        local list, message, code = run()
        assert.same({ nil, "The command was ended: the session is over", "EOVER" }, { list, message, code })
    end)

    it("writes down behind it whether commands run, again while that changes, however it ended", function()
        host.process.run = function() error("stopped: the session was deleted", 0) end
        assert.has_error(function() run() end, "stopped: the session was deleted")
        assert.same({ 1, 60000, nil }, { #host.spawned, host.spawned[1].limits.deadline_ms, host.tag })
        local counts = { 1, 0, 0, 0 }
        host.fiber.count = function() return table.remove(counts, 1) end
        host.spawned[1].handler()
        assert.same({ "active", "ready" }, written)
    end)
end)
