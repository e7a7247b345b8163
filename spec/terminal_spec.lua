local fake_host = require("spec.support.fake_host")
local json = require("json")

local LIMITS = { default_s = 30, max_s = 300, output_bytes = 100 }

describe("terminal", function()
    local host, terminal, asked

    before_each(function()
        host = fake_host.install()
        terminal = require("terminal")
        asked = nil
    end)

    local function runs(changes)
        local run = {
            stdout = "", stderr = "", stdout_bytes = 0, stderr_bytes = 0, stdout_truncated = false, stderr_truncated = false,
            exit_code = 0, timed_out = false, duration_ms = 7,
        }
        for name, value in pairs(changes or {}) do run[name] = value end
        if changes and (changes.signal or changes.lost) then run.exit_code = nil end
        host.process.run = function(options)
            asked = options
            return run
        end
    end

    local function exec(args)
        args.command = args.command or "true"
        return terminal.exec(args, LIMITS)
    end

    local function main(result) return type(result.content) == "table" and result.content[1] or result.content end
    local function note(result) return type(result.content) == "table" and result.content[2] or nil end

    it("exec tells both streams and the exit code", function()
        runs({ stdout = "out\n", stderr = "err", exit_code = 3 })
        local result = exec({})
        assert.equal("stdout:\nout\n\n\nstderr:\nerr\n\nexit_code: 3", main(result))
        assert.is_true(result.isError)
        assert.same({
            stdout = "out\n", stderr = "err", exit_code = 3, signal = json.null, timed_out = false, truncated = false,
            duration_ms = 7,
        }, result.structured)
    end)

    it("exec leaves out streams without output", function()
        runs()
        local result = exec({})
        assert.equal("exit_code: 0", main(result))
        assert.is_false(result.isError)
    end)

    it("exec hands on command, folder and limits", function()
        runs()
        exec({ command = "x", cwd = "$'a\\xff'", timeout = 0.25 })
        assert.same({ command = "x", cwd = "a\xff", timeout_ms = 250, capture_bytes = 100 }, asked)
        exec({})
        assert.equal("", asked.cwd)
    end)

    it("P16 exec keeps time limits within their bounds", function()
        runs()
        for timeout, ms in pairs({ [0] = 30000, [1] = 1000, [0.0001] = 1, [300] = 300000, [301] = 300000, [1e18] = 300000 }) do
            exec({ timeout = timeout })
            assert.equal(ms, asked.timeout_ms)
        end
        exec({})
        assert.equal(30000, asked.timeout_ms)
    end)

    describe("exec after a timeout", function()
        local function timed_out(args, changes)
            changes = changes or {}
            changes.timed_out, changes.signal, changes.signal_number = true, "SIGTERM", 15
            runs(changes)
            return exec(args)
        end

        it("P05 keeps what was written", function()
            local result = timed_out({ timeout = 1 }, { stdout = "before\n", stderr = "half" })
            assert.equal("stdout:\nbefore\n\n\nstderr:\nhalf\ntimeout after 1.0s\n\nexit_code: 124", main(result))
            assert.equal("half", result.structured.stderr)
            assert.is_true(result.structured.timed_out)
            assert.equal("SIGTERM", result.structured.signal)
            assert.is_true(result.isError)
        end)

        it("names the limit as it was given, or the limit of ours that was over", function()
            for timeout, label in pairs({
                [1] = "1.0s", [0.5] = "0.5s", [2.25] = "2.25s", [0] = "30s", [300] = "300.0s", [999] = "300s",
            }) do
                assert.matches("timeout after " .. label .. "\n", main(timed_out({ timeout = timeout })), 1, true)
            end
            assert.matches("timeout after 30s\n", main(timed_out({})))
        end)

        it("says when the agent's limit was lowered", function()
            local said = note(timed_out({ timeout = 999 }))
            assert.matches("The timeout of 999 s was lowered to the maximum of 300 s.", said, 1, true)
            assert.is_nil(note(timed_out({ timeout = 5 })):find("lowered"))
        end)
    end)

    it("P23 exec tells a signal as such", function()
        runs({ stdout = "part", signal = "SIGKILL", signal_number = 9 })
        local result = exec({})
        assert.equal("stdout:\npart\n\nexit_code: -9", main(result))
        assert.equal("SIGKILL", result.structured.signal)
        assert.equal("The command was killed by SIGKILL.", note(result))
        assert.is_true(result.isError)
    end)

    it("exec calls a process that cannot be reaped killed", function()
        runs({ lost = true })
        assert.equal("exit_code: -9", main(exec({})))
    end)

    it("P08 exec says what was cut", function()
        runs({ stdout = "abc", stdout_bytes = 1000, stdout_truncated = true })
        local result = exec({})
        assert.equal("stdout was cut: the first 3 of 1000 bytes are shown.", note(result))
        assert.is_true(result.structured.truncated)
    end)

    it("exec says what is not UTF-8", function()
        runs({ stderr = "a\xff" })
        local result = exec({})
        assert.equal("a\u{FFFD}", result.structured.stderr)
        assert.equal("stderr is not UTF-8: 1 byte sequence(s) are shown as U+FFFD.", note(result))
    end)

    it("F18 refuses a NUL byte in a command, and runs nothing", function()
        host.process.run = function() error("was run") end
        host.process.start = host.process.run
        assert.matches("^command: .*NUL", select(2, exec({ command = "echo a\0; rm x" })))
        assert.matches("^command: .*NUL", select(2, terminal.start({ command = "a\0" })))
    end)

    it("names a folder that is not there, as it is no folder of ours to make", function()
        host.process.run = function() return nil, "/w/new: No such file or directory", "ENOENT" end
        host.process.start = host.process.run
        assert.equal("Error: /w/new: No such file or directory", select(2, exec({ cwd = "new" })))
        assert.equal("Error: /w/new: No such file or directory", select(2, terminal.start({ command = "", cwd = "new" })))
        host.process.run = function() return nil, 'Path ".." is outside the allowed directory (/w)', "EOUTSIDE" end
        assert.equal('Path ".." is outside the allowed directory (/w)', select(2, exec({ cwd = ".." })))
    end)

    it("start tells the process id", function()
        host.process.start = function(options)
            asked = options
            return 42
        end
        local result = terminal.start({ command = "x", cwd = "d" })
        assert.same({ content = "PID: 42\nStarted background process 42", structured = { pid = 42 } }, result)
        assert.same({ command = "x", cwd = "d" }, asked)
    end)

    it("P19 kill reaches what was started here and nothing else", function()
        local answers = {
            [42] = { true }, [43] = { nil, "x", "ESRCH" }, [1] = { nil, "x", "EPERM" }, [44] = { nil, "why", "EIO" },
        }
        host.process.signal = function(pid, signal)
            assert.equal("TERM", signal)
            return table.unpack(answers[pid], 1, 3)
        end
        assert.same({ content = "Sent SIGTERM to 42", structured = { pid = 42 } }, terminal.kill(42))
        assert.equal("No such process 43", select(2, terminal.kill(43)))
        assert.equal("Process 1 was not started by this server; no signal was sent", select(2, terminal.kill(1)))
        assert.equal("Error: why", select(2, terminal.kill(44)))
    end)
end)
