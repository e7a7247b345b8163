local cjson = require("cjson")
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local rest = require("spec.support.rest")
local tmp = require("spec.support.tmp")

local is_alive = program.is_alive

--- Put before every chunk. `wait_for(f)` polls until f() holds; `ended(pid)` waits for the end of a job.
local PRELUDE = [[
    local process, clock, json = require("process"), require("clock"), require("json")
    local function wait_for(condition)
        local patience = clock.monotonic_ms() + 60000
        while not condition() do
            if clock.monotonic_ms() > patience then error("it does not come", 2) end
            clock.sleep(5)
        end
        return true
    end
    local function ended(pid)
        wait_for(function() return process.job(pid).state ~= "running" end)
        return process.job(pid)
    end
    local function sh(command) return assert(process.run({ command = command })).stdout end
    local function alive(pid) return sh("ps -o stat= -p " .. pid):find("^%s*[^Z%s]") ~= nil end -- a zombie is not
    -- Without those of the call that counts: it may be about to close what its child got, or to watch it.
    local function descriptors()
        return tonumber((sh([==[
            list=$(ls -l /proc/$PPID/fd)
            watched=$(cd /proc/$PPID/fdinfo && grep -l "^Pid:.$$\$" * 2>/dev/null)
            awk -v watched="$watched" -v out="$(readlink /proc/$$/fd/1)" -v err="$(readlink /proc/$$/fd/2)" \
                -v cwd="$(readlink /proc/$$/cwd)" '
                NR > 1 && $NF != out && $NF != err && $NF != cwd && $(NF - 2) != watched { count++ } END { print count }
            ' <<<"$list"
        ]==])))
    end
    local function server(field) return tonumber((sh("cat /proc/$PPID/status"):match(field .. ":%s*(%d+)"))) end
    -- Waits, asleep, until the spec has looked (see `resting`).
    local function rest() sh("mkdir resting; until [ -e go ]; do sleep 0.02; done") end
    local function failed(...)
        local value, message, code = ...
        return { value == nil, message, code }
    end
]]

--- Runs a chunk in the program and returns what it returned. The instruments of a sanitizer cost processor time.
local function lua(chunk, opts)
    opts = opts or {}
    opts.env = opts.env or {}
    opts.env.SANDSTORM_SCRIPT_CPU_MS = "60000"
    return program.lua(PRELUDE .. chunk, opts)
end

--- Runs a chunk that calls rest(), and shows that the program comes to rest there.
local function resting(chunk)
    local workspace = tmp.dir("workspace")
    local process = program.spawn({ workspace = workspace, args = { "run", tmp.file("chunk.lua", PRELUDE .. chunk) } })
    local function begun() return tmp.kind(workspace .. "/resting") or not process:running() end
    assert(program.wait_until(begun) and process:running(), process:stderr())
    local came = rest.comes(process.pid)
    tmp.write(workspace .. "/go", "")
    process:wait()
    assert.is_true(came, "it never comes to rest")
    return cjson.decode(process:stdout())
end

--- What process.run says about one command, as a table.
local function run(options, opts) return lua("return process.run(" .. options .. ")", opts) end

--- Permission bits count for root as for anybody else.
local function without_override()
    return needs.is_root and { "setpriv", "--bounding-set=-dac_override,-dac_read_search", "--" } or {}
end

describe("process.run", function()
    it("gives output, exit code and sizes", function()
        local result = lua([[
            local before = clock.monotonic_ms()
            local result = process.run({ command = "echo out; echo warn >&2; sleep 0.1; exit 3" })
            result.most_ms = clock.monotonic_ms() - before + 1
            return result
        ]])
        assert.is_true(result.duration_ms >= 100 and result.duration_ms <= result.most_ms, result.duration_ms)
        result.most_ms = nil
        result.duration_ms = nil
        assert.same({
            stdout = "out\n", stdout_bytes = 4, stdout_truncated = false,
            stderr = "warn\n", stderr_bytes = 5, stderr_truncated = false,
            exit_code = 3, timed_out = false,
        }, result)
    end)

    it("runs argv without a shell, found in PATH", function()
        local result = run([[{ argv = { "printf", "[%s]", "a b", "", "$HOME;", "*" } }]])
        assert.equal("[a b][][$HOME;][*]", result.stdout)
        assert.same({ true, "no-such-program: No such file or directory", "ENOENT" },
            lua('return failed(process.run({ argv = { "no-such-program" } }))'))
        assert.same({ true, "/: Permission denied", "EACCES" }, lua('return failed(process.run({ argv = { "/" } }))'))
    end)

    it("starts in the workspace or in a directory of it", function()
        local workspace = tmp.dir("workspace")
        tmp.shell("mkdir " .. tmp.quote(workspace .. "/it's 日本"))
        local result = lua([[
            local out = {}
            for i, cwd in ipairs({ "", ".", "it's 日本", ... }) do out[i] = process.run({ command = "pwd", cwd = cwd }).stdout end
            return out
        ]], { workspace = workspace, args = { workspace .. "/it's 日本/" } })
        local root, below = workspace .. "\n", workspace .. "/it's 日本\n"
        assert.same({ root, root, below, below }, result)
    end)

    it("names the directory that it cannot start in", function()
        local workspace = tmp.dir("workspace")
        tmp.shell(("cd %s; touch file; mkdir closed; chmod 600 closed; ln -s / out"):format(workspace))
        local result = lua([[
            local out = {}
            for i, cwd in ipairs({ "missing/below", "file", "file/below", "closed", "..", "out" }) do
                out[i] = failed(process.run({ command = "echo ran > ran", cwd = cwd }))
                out[i + 6] = failed(process.start({ command = "echo ran > ran", cwd = cwd }))
            end
            return out
        ]], { workspace = workspace, wrap = without_override() })
        local function outside(path)
            return { true, ('Path "%s" is outside the allowed directory (%s)'):format(path, workspace), "EOUTSIDE" }
        end
        for i = 0, 6, 6 do
            assert.same({ true, workspace .. "/missing/below: No such file or directory", "ENOENT" }, result[i + 1])
            assert.same({ true, workspace .. "/file: Not a directory", "ENOTDIR" }, result[i + 2])
            assert.same({ true, workspace .. "/file/below: Not a directory", "ENOTDIR" }, result[i + 3])
            assert.same({ true, workspace .. "/closed: Permission denied", "EACCES" }, result[i + 4])
            assert.same(outside(".."), result[i + 5])
            assert.same(outside("out"), result[i + 6])
        end
        assert.equal("closed\nfile\nout\n", tmp.shell("ls " .. workspace))
    end)

    it("adds and replaces variables", function()
        local result = run([[{ command = "echo $A; echo $LANG; echo $B", env = { A = "1 2", LANG = "C", B = "x=y" } }]])
        assert.equal("1 2\nC\nx=y\n", result.stdout)
        local argv = run([[{ argv = { "env" }, env = { LANG = "C" } }]])
        local _, count = argv.stdout:gsub("LANG=", "")
        assert.equal(1, count)
        local longer = run([[{ argv = { "env" }, env = { LAN = "x" } }]], { env = { LANG = "C", PWD_X = "kept" } })
        assert.matches("LANG=C\n", longer.stdout)
        assert.matches("PWD_X=kept\n", longer.stdout)
    end)

    it("passes on the server's variables, and no untrue PWD", function()
        local result = run([[{ argv = { "env" } }]], { env = { GREETING = "hello", PWD = "/", OLDPWD = "/" } })
        assert.matches("GREETING=hello\n", result.stdout)
        assert.matches("HOME=", result.stdout)
        assert.matches("PATH=", result.stdout)
        assert.not_matches("PWD=", result.stdout)
    end)

    it("feeds stdin where asked, from something that can be read again", function()
        local result = run([[{ command = "wc -c; head -c 3 /dev/stdin", stdin = ("abc"):rep(100000) }]])
        assert.equal("300000\nabc", result.stdout)
    end)

    it("P01 a child in the background does not hold the call", function()
        local result = lua([[
            local result = process.run({ command = "sleep 300 & echo started $!", timeout_ms = 20000 })
            local pid = result.stdout:match("^started (%d+)\n$")
            result.child_alive = alive(pid)
            sh("kill " .. pid)
            return result
        ]])
        assert.same({ 0, false, true }, { result.exit_code, result.timed_out, result.child_alive })
    end)

    it("P02 a child that keeps writing does not hold the call, nor a pipe", function()
        needs.root() -- who may see the descriptors of a process that hides its memory
        local result = lua([[
            local before = descriptors()
            local command = "(while :; do echo tick; sleep 0.02; done) & echo $!; sleep 0.2; echo fg-done"
            local result = process.run({ command = command, timeout_ms = 20000 })
            result.more_descriptors = descriptors() - before
            sh("kill " .. result.stdout:match("%d+"))
            return result
        ]])
        assert.matches("tick\n", result.stdout)
        assert.matches("\nfg%-done\n", result.stdout)
        assert.same({ 0, false, 0 }, { result.exit_code, result.timed_out, result.more_descriptors })
    end)

    it("P05 a timeout ends the whole group and keeps both streams", function()
        local result = lua([[
            local command = "echo before; echo warn >&2; (sleep 300 &); echo $$ >&2; sleep 300"
            local result = process.run({ command = command, timeout_ms = 2000 })
            local session = result.stderr:match("(%d+)\n$")
            result.gone = wait_for(function() return sh("ps -o stat= -s " .. session .. " | grep -v Z") == "" end)
            return result
        ]])
        assert.equal("before\n", result.stdout)
        assert.matches("^warn\n%d+\n$", result.stderr)
        assert.same({ true, "SIGTERM", 15, true }, { result.timed_out, result.signal, result.signal_number, result.gone })
        assert.is_nil(result.exit_code)
    end)

    it("P05 SIGKILL follows where SIGTERM is ignored", function()
        local result = run([[{ command = "trap '' TERM; echo before; while :; do sleep 0.05; done", timeout_ms = 2000 }]])
        assert.same({ "before\n", true, "SIGKILL", 9 },
            { result.stdout, result.timed_out, result.signal, result.signal_number })
    end)

    it("P05 a shell that tidies up after SIGTERM is heard", function()
        local result = run([[{ command = "trap 'echo bye; exit 3' TERM; while :; do sleep 0.05; done", timeout_ms = 2000 }]])
        assert.same({ "bye\n", true, 3 }, { result.stdout, result.timed_out, result.exit_code })
    end)

    it("P05 SIGTERM goes to the whole group, so descendants tidy up too", function()
        local child = "(trap 'echo bye; exit' TERM; echo ready; while :; do sleep 0.05; done)"
        local result = run(('{ command = "%s & wait", timeout_ms = 2000 }'):format(child))
        assert.same({ "ready\nbye\n", true, "SIGTERM" }, { result.stdout, result.timed_out, result.signal })
    end)

    it("P05 a descendant that left the group and holds the pipe does not hold the call", function()
        local result = lua([[
            local result = process.run({ command = "setsid sleep 300 & echo $!; wait", timeout_ms = 2000 })
            sh("kill " .. result.stdout)
            return result
        ]])
        assert.is_true(result.timed_out)
        assert.matches("^%d+\n$", result.stdout)
    end)

    it("P06 a character that comes in two parts stays whole", function()
        local result = run([[{ command = "printf 'a\\342'; sleep 0.2; printf '\\200\\224b\\n'" }]])
        assert.equal("a—b\n", result.stdout)
    end)

    it("P06 bytes that are no text are given as they are", function()
        assert.same({ "61e2", "61e280", "8061" }, lua([[
            local hex = require("crypto").hex
            local function of(command) return hex(process.run({ command = command }).stdout) end
            local job = ended(process.start({ command = "printf '\\200a'" }))
            return { of("printf 'a\\342'"), of("printf 'a\\342\\200'"), hex(job.output) }
        ]]))
    end)

    it("P07 the streams do not mix inside a character", function()
        local result = run(
            [[{ command = "printf '\\360'; sleep 0.1; echo err >&2; sleep 0.1; printf '\\237\\231\\202\\n'" }]])
        assert.same({ "🙂\n", "err\n" }, { result.stdout, result.stderr })
    end)

    it("P08 output over the limit is cut on a border of a character, and drained", function()
        local result = lua([[
            local out = {}
            for i, first in ipairs({ "", "x", "xy" }) do
                local command = "printf '" .. first .. "'; yes € | tr -d '\\n' | head -c 12000000; echo end >&2; exit 5"
                local r = process.run({ command = command })
                local valid = require("text").valid(r.stdout)
                out[i] = { #r.stdout, r.stdout_bytes, r.stdout_truncated, valid, r.exit_code, r.stderr, r.stderr_truncated }
            end
            return out
        ]])
        assert.same({ 10485759, 12000000, true, true, 5, "end\n", false }, result[1])
        assert.same({ 10485760, 12000001, true, true, 5, "end\n", false }, result[2])
        assert.same({ 10485758, 12000002, true, true, 5, "end\n", false }, result[3])
    end)

    it("P08 keeps as many bytes of each stream as asked for", function()
        local result = run([[{ command = "seq 1000; seq 500 >&2", capture_bytes = 10 }]])
        assert.same({ "1\n2\n3\n4\n5\n", 3893, true }, { result.stdout, result.stdout_bytes, result.stdout_truncated })
        assert.same({ "1\n2\n3\n4\n5\n", 1892, true }, { result.stderr, result.stderr_bytes, result.stderr_truncated })
        local none = run([[{ command = "echo x", capture_bytes = 0 }]])
        assert.same({ "", 2, true, "", 0, false }, { none.stdout, none.stdout_bytes, none.stdout_truncated,
            none.stderr, none.stderr_bytes, none.stderr_truncated })
    end)

    it("P11 stdin is at its end, and there is no terminal to ask", function()
        local result = lua([[
            local out = {}
            for i, command in ipairs({ "cat", "read x; echo got:$?:$x", "readlink /proc/self/fd/0", "cat /dev/tty", "tty" }) do
                local r = process.run({ command = command, timeout_ms = 30000 })
                out[i] = { r.stdout, r.exit_code, r.timed_out }
            end
            return out
        ]])
        assert.same({ { "", 0, false }, { "got:1:\n", 0, false }, { "/dev/null\n", 0, false }, { "", 1, false },
            { "not a tty\n", 1, false } }, result)
    end)

    it("P13 a command of any length runs like a short one", function()
        local workspace = tmp.dir("workspace")
        local result = lua([[
            local out = {}
            for i, size in ipairs({ 131071, 131072, 500000 }) do
                local head = "echo $0 $- $LINENO; ls /proc/self/fd | wc -l; cat; cat > f" .. i .. " <<'E'\n"
                local command = head .. ("z"):rep(size - #head - 3) .. "\nE\n"
                local r = process.run({ command = command, timeout_ms = 60000 })
                out[i] = { #command, r.stdout, r.stderr, r.exit_code }
            end
            out[4] = process.run({ command = "no-such-command #" .. ("z"):rep(200000) }).stderr
            return out
        ]], { workspace = workspace })
        for i, size in ipairs({ 131071, 131072, 500000 }) do
            assert.same({ size, "/bin/bash hBc 1\n4\n", "", 0 }, result[i])
            local content = tmp.read(workspace .. "/f" .. i)
            assert.is_true(content == ("z"):rep(#content - 1) .. "\n" and #content > size - 100, i)
        end
        assert.equal("/bin/bash: line 1: no-such-command: command not found\n", result[4])
    end)

    it("P13 an argument that the kernel does not take is an error that names the limit", function()
        local result = lua('return failed(process.run({ argv = { "true", ("z"):rep(131072) } }))')
        assert.same({ true, "true: an argument or variable is over 131071 bytes, or all together are too many", "E2BIG" }, result)
    end)

    it("P16 a huge time limit does not end a command early", function()
        local result = lua([[
            local out = {}
            for i, ms in ipairs({ 99999999, 1e18, math.maxinteger, 1e300, math.huge }) do
                local r = process.run({ command = "sleep 0.05; echo ok", timeout_ms = ms })
                out[i] = { r.stdout, r.timed_out }
            end
            return out
        ]])
        assert.same({ { "ok\n", false }, { "ok\n", false }, { "ok\n", false }, { "ok\n", false }, { "ok\n", false } }, result)
    end)

    it("P16 a fraction of a millisecond is a limit, anything that is no positive number is refused", function()
        local result = lua([[
            local out = {}
            for i, ms in ipairs({ 0, -1, 0 / 0, "30", true }) do
                out[i] = select(2, pcall(process.run, { command = "touch ran", timeout_ms = ms }))
            end
            return { out, process.run({ command = "sleep 300", timeout_ms = 0.5 }).timed_out }
        ]])
        local expected = "^process%.run: option timeout_ms: expected a positive number of milliseconds, got "
        for i, got in ipairs({ "0$", "%-1$", "%-?nan$", "30$", "true$" }) do assert.matches(expected .. got, result[1][i]) end
        assert.is_true(result[2])
    end)

    it("P20 no byte of the end is lost", function()
        assert.same({ 200, 0 }, lua([[
            local complete, others = 0, 0
            for _ = 1, 200 do
                local out = process.run({ command = "seq 1 200000" }).stdout
                if #out == 1288895 and out:sub(-8) == "\n200000\n" then complete = complete + 1 else others = others + 1 end
            end
            return { complete, others }
        ]]))
    end)

    it("P20 a job that is said to have ended has all of its output, for whoever asks in that moment", function()
        assert.same({ 40, 0 }, lua([[
            local complete, others = 0, 0
            for _ = 1, 40 do
                local pid = process.start({ command = "seq 1 200000; sleep 0.002; echo last" })
                while process.job(pid).state == "running" do clock.sleep(0) end
                if process.job(pid).output_bytes == 1288895 + 5 then complete = complete + 1 else others = others + 1 end
            end
            return { complete, others }
        ]]))
    end)

    it("P22 signals have their default actions and none is blocked", function()
        local result = lua([[
            return {
                sh("yes | head -1; echo ${PIPESTATUS[0]}"),
                process.run({ command = "for i in $(seq 100000); do echo $i; done | head -1" }).stderr,
                sh("trap - PIPE; grep -E 'Sig(Ign|Blk)' /proc/self/status"),
            }
        ]])
        assert.same({ "y\n141\n", "", "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n" }, result)
    end)

    it("P23 the exit is known although the server was started with SIGCHLD ignored", function()
        local result = run('{ command = "exit 3" }', { wrap = { "env", "--ignore-signal=CHLD" } })
        assert.equal(3, result.exit_code)
    end)

    it("P23 a death by signal is no exit code", function()
        local result = lua([[
            local out = {}
            for i, command in ipairs({ "printf part; kill -9 $$", "kill -TERM $$", "kill -35 $$" }) do
                local r = process.run({ command = command })
                out[i] = { r.stdout, r.exit_code == nil, r.signal, r.signal_number, r.timed_out }
            end
            return out
        ]])
        assert.same({ { "part", true, "SIGKILL", 9, false }, { "", true, "SIGTERM", 15, false },
            { "", true, "signal 35", 35, false } }, result)
    end)

    it("P25 children see no secret of the server, nor what its service manager gave to it alone", function()
        local result = lua([[
            return {
                sh("env; cat /proc/self/environ"), process.run({ argv = { "env" } }).stdout,
                sh("cat /proc/$PPID/environ 2>&1; cat /proc/$PPID/environ | wc -c 2>/dev/null"),
                sh("grep -c GREETING /proc/self/environ"), ended(process.start({ command = "env" })).output,
            }
        ]], { env = {
            SANDSTORM_MCP_TOKEN = "hidden-token-1", MCP_AUTH_TOKEN = "hidden-token-2", SESSION_AUTH_TOKEN = "hidden-token-3",
            NOTIFY_SOCKET = "hidden-4", LISTEN_FDS = "hidden-5", LISTEN_PIDFDID = "hidden-7", WATCHDOG_USEC = "hidden-8",
            CREDENTIALS_DIRECTORY = "/hidden-6", GREETING = "hello",
        } })
        for i = 1, 5 do
            if i ~= 3 then assert.not_matches("hidden", result[i]) end
        end
        assert.not_matches("hidden%-token", result[3])
        assert.equal("1\n", result[4])
    end)

    it("P30 output can be opened by its name in /dev", function()
        local result = run(
            [[{ command = "echo hi > /dev/stdout; echo warn > /dev/stderr; echo x | tee /dev/stderr; cat /dev/stdin" }]])
        assert.same({ "hi\nx\n", "warn\nx\n", 0 }, { result.stdout, result.stderr, result.exit_code })
    end)

    it("D01 a child has descriptors 0 to 2 and leads a session of its own", function()
        local result = lua([[
            local leads = "; ps -o pid=,pgid=,sid= -p $$ | awk '{ print ($1 == $2 && $2 == $3) ? \"leader\" : \"not\" }'"
            local command = "ls /proc/self/fd | wc -l" .. leads
            return { sh(command), process.run({ argv = { "ls", "/proc/self/fd" } }).stdout,
                ended(process.start({ command = command })).output }
        ]])
        assert.same({ "4\nleader\n", "0\n1\n2\n3\n", "4\nleader\n" }, result)
    end)

    it("D01 a child has no descriptor that the server itself was started with", function()
        needs.root() -- who may see the descriptors of a process that hides its memory
        local result = lua([[
            return { sh("readlink /proc/$PPID/fd/9"), sh("ls /proc/self/fd | wc -l"),
                process.run({ argv = { "ls", "/proc/self/fd" } }).stdout,
                ended(process.start({ argv = { "ls", "/proc/self/fd" } })).output,
                sh("ls /proc/self/fd | wc -l #" .. ("z"):rep(200000)) }
        ]], { wrap = { "bash", "-c", 'exec 9</etc/passwd; exec "$@"', "bash" } })
        assert.same({ "/etc/passwd\n", "4\n", "0\n1\n2\n3\n", "0\n1\n2\n3\n", "4\n" }, result)
    end)

    it("a stopped handler ends its program", function()
        local workspace = tmp.dir("workspace")
        local result = program.run({
            workspace = workspace,
            args = { "run", "--call-deadline-ms", "500", tmp.file("chunk.lua", [[
                pcall(require("process").run, { command = "echo $$ > pid; sleep 300 & wait", timeout_ms = 3600000 })
                return "went on"
            ]]) },
        })
        assert.same({ 1, "" }, { result.code, result.stdout })
        local pid = tmp.read(workspace .. "/pid"):match("%d+")
        assert.is_false(is_alive(pid))
    end)

    it("a NUL byte is refused in every place", function()
        local workspace = tmp.dir("workspace")
        local result = lua([[
            return {
                failed(process.run({ command = "touch ran\0x" })), failed(process.run({ argv = { "touch", "ran\0x" } })),
                failed(process.run({ command = "touch ran", env = { A = "x\0y" } })),
                failed(process.run({ command = "touch ran", env = { ["A\0"] = "x" } })),
                failed(process.run({ command = "touch ran", env = { ["A=B"] = "x" } })),
                failed(process.run({ command = "touch ran", env = { [""] = "x" } })),
                failed(process.run({ argv = { "", "x" } })),
                failed(process.start({ command = "touch ran\0x" })),
                (select(3, process.run({ command = "touch ran", cwd = ".\0." }))),
            }
        ]], { workspace = workspace })
        assert.same({ true, "the command contains a NUL byte", "EINVAL" }, result[1])
        assert.same({ true, "a value in argv contains a NUL byte", "EINVAL" }, result[2])
        assert.same({ true, "a value in env contains a NUL byte", "EINVAL" }, result[3])
        assert.same({ true, "a value in env contains a NUL byte", "EINVAL" }, result[4])
        assert.same({ true, '"A=B" is no name for an environment variable', "EINVAL" }, result[5])
        assert.same({ true, '"" is no name for an environment variable', "EINVAL" }, result[6])
        assert.same({ true, "no program is named", "EINVAL" }, result[7])
        assert.same(result[1], result[8])
        assert.is_string(result[9])
        assert.equal("", tmp.shell("ls " .. workspace))
    end)

    it("names function, option, what is expected and what came", function()
        local result = lua([[
            local out = {}
            local function try(name, ...) out[#out + 1] = select(2, pcall(process[name], ...)) end
            try("run")
            try("run", "ls")
            try("run", {})
            try("run", { command = "x", argv = { "x" } })
            try("run", { command = 5 })
            try("run", { argv = {} })
            try("run", { argv = "ls" })
            try("run", { argv = { "ls", 1 } })
            try("run", { command = "x", cwd = true })
            try("run", { command = "x", env = "A=1" })
            try("run", { command = "x", env = { A = 1 } })
            try("run", { command = "x", env = { "A=1" } })
            try("run", { command = "x", capture_bytes = 1.5 })
            try("run", { command = "x", capture_bytes = 67108865 })
            try("run", { command = "x", stdin = 1 })
            try("run", { command = "x", timeout = 1 })
            try("run", { command = "x", [1] = "y" })
            try("start", { command = "x", timeout_ms = 1 })
            return out
        ]])
        assert.same({
            "process.run: expected a table of options, got nil",
            "process.run: expected a table of options, got string",
            "process.run: expected either command or argv, got neither",
            "process.run: expected either command or argv, got both",
            "process.run: option command: expected a string, got 5",
        }, { table.unpack(result, 1, 5) })
        assert.matches("^process%.run: option argv: expected a list of strings, got table: ", result[6])
        assert.same({
            "process.run: option argv: expected a list of strings, got ls",
            "process.run: option argv: expected a list of strings, got 1",
            "process.run: option cwd: expected a path, got true",
            "process.run: option env: expected a table of names and strings, got A=1",
            "process.run: option env: expected a table of names and strings, got 1",
            "process.run: option env: expected a table of names and strings, got 1",
            "process.run: option capture_bytes: expected a number of bytes from 0 to 67108864, got 1.5",
            "process.run: option capture_bytes: expected a number of bytes from 0 to 67108864, got 67108865",
            "process.run: option stdin: expected a string, got 1",
            'process.run: unknown option "timeout"; expected one of command, argv, cwd, env, timeout_ms, capture_bytes, stdin,'
                .. " on_output",
            "process.run: expected names of options as keys, got a number",
            'process.start: unknown option "timeout_ms"; expected one of command, argv, cwd, env',
        }, { table.unpack(result, 7) })
    end)
end)

--- A program that traces the process argv[1] for argv[2] seconds and never waits for it: the kernel then lets nobody
--- reap that process.
local TRACER = [[
    #include <stdlib.h>
    #include <sys/ptrace.h>
    #include <unistd.h>
    int main(int argc, char **argv)
    {
        if (argc < 3 || ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0) != 0) return 1;
        close(1);
        close(2);
        setsid();
        sleep((unsigned)atoi(argv[2]));
        return 0;
    }
]]

describe("a program that a tracer holds", function()
    it("is given up after a while, and reaped when the tracer ends", function()
        local workspace = tmp.dir("workspace")
        tmp.shell(("cd %s; cat > t.c <<'E'\n%s\nE\ncc -o tracer t.c"):format(workspace, TRACER))
        local result = lua([=[
            local function zombies() return tonumber(sh("ps -o stat= --ppid $PPID | grep -c Z")) end
            local traced = "until mapfile l < /proc/$$/status; [[ ${l[*]} =~ TracerPid:.[1-9] ]]; do :; done; exit 7"
            local held = process.run({ command = "./tracer $$ 1 & echo held; " .. traced })
            local lost = process.run({ command = "./tracer $$ 300 & echo $!; " .. traced })
            local at_that_time = zombies()
            sh("kill " .. lost.stdout)
            wait_for(function() return zombies() == 0 end)
            return { held, lost, at_that_time }
        ]=], { workspace = workspace })
        local held, lost, zombies = table.unpack(result)
        assert.same({ 7, "held\n", false }, { held.exit_code, held.stdout, held.timed_out })
        assert.is_nil(lost.exit_code)
        assert.is_nil(lost.signal)
        assert.matches("^%d+\n$", lost.stdout)
        assert.equal(1, zombies)
    end)
end)

describe("background jobs", function()
    it("P27 a job can be looked at while it runs and after its end", function()
        local workspace = tmp.dir("workspace")
        local result = lua([[
            local pid = process.start({ command = "echo first; echo second >&2; until [ -e go ]; do sleep 0.02; done; exit 3" })
            wait_for(function() return process.job(pid).output == "first\nsecond\n" end)
            local running, listed = process.job(pid), process.jobs()
            sh("touch go")
            return { running, listed, ended(pid), process.jobs() }
        ]], { workspace = workspace })
        local running, listed, over, listed_later = table.unpack(result)
        assert.same({ "running", workspace, 13, 0 },
            { running.state, running.cwd, running.output_bytes, running.output_dropped })
        assert.is_nil(running.ended_ms)
        assert.same({ "exited", 3, "first\nsecond\n" }, { over.state, over.exit_code, over.output })
        assert.is_true(over.started_ms == running.started_ms and over.ended_ms >= over.started_ms)
        assert.same({ 1, running.pid, "running" }, { #listed, listed[1].pid, listed[1].state })
        assert.same({ 1, running.pid, "exited" }, { #listed_later, listed_later[1].pid, listed_later[1].state })
        assert.is_nil(listed[1].output)
    end)

    it("tells the newest first, with the beginning of what was started", function()
        local result = lua([[
            local first = process.start({ argv = { "printf", "%s", "a b" } })
            local second = process.start({ command = "true #" .. ("€"):rep(10000) })
            ended(first)
            ended(second)
            local jobs = process.jobs()
            return { jobs[1].pid == second, jobs[2].pid == first, jobs[2].command, jobs[1].command }
        ]])
        assert.same({ true, true, "printf %s a b" }, { result[1], result[2], result[3] })
        assert.equal("true #" .. ("€"):rep(1363), result[4])
    end)

    it("a job ended by a signal says so", function()
        local job = lua('return ended(process.start({ command = "kill -9 $$" }))')
        assert.same({ "killed", "SIGKILL", 9 }, { job.state, job.signal, job.signal_number })
        assert.is_nil(job.exit_code)
    end)

    it("P09 endless output costs bounded memory, and the job can be ended", function()
        local result = lua([[
            sh("true")
            local before = server("VmRSS")
            local pid = process.start({ command = "yes" })
            wait_for(function() return process.jobs()[1].output_bytes > 50000000 end)
            local more = server("VmRSS") - before
            local answered = sh("echo responsive")
            assert(process.signal(pid))
            local job = ended(pid)
            return { more, answered, job.signal, #job.output, job.output_bytes - job.output_dropped, job.output:sub(-4) }
        ]])
        assert.is_true(result[1] < 16384, result[1] .. " kB more")
        assert.same({ "responsive\n", "SIGTERM", 262144, 262144, "y\ny\n" }, { table.unpack(result, 2) })
    end)

    it("P10 output is kept in memory: a job has no file of its own to read", function()
        needs.root() -- who may see the descriptors of a process that hides its memory
        local result = lua([[
            local list = "readlink /proc/$PPID/fd/* | grep -v -E '^(pipe|anon_inode|socket):' | grep -vxF $PWD | sort"
            local before = sh(list)
            local pid = process.start({ command = "seq 1 500000; sleep 300" })
            wait_for(function() return process.job(pid).output:find("500000", 1, true) end)
            local job, after = process.job(pid), sh(list)
            process.signal(pid, "KILL")
            return { before == after, #before > 0, #job.output, job.output_bytes, job.output_dropped }
        ]])
        assert.same({ true, true, 262144, 3388895, 3388895 - 262144 }, result)
    end)

    it("P08 what is left of the output begins on the border of a character", function()
        local result = lua([[
            local out = {}
            for i, last in ipairs({ "", "x", "xy" }) do
                local job = ended(process.start({ command = "yes € | tr -d '\\n' | head -c 300000; printf '" .. last .. "'" }))
                out[i] = { require("text").valid(job.output), #job.output, job.output_bytes - job.output_dropped - #job.output }
            end
            return out
        ]])
        assert.same({ { true, 262143, 0 }, { true, 262144, 0 }, { true, 262142, 0 } }, result)
    end)

    it("P19 no other process is signalled", function()
        local result = lua([[
            local out = {}
            local server_pid = tonumber(sh("echo $PPID"))
            local stranger = tonumber(sh("sleep 300 >/dev/null 2>&1 & echo $!"))
            for i, pid in ipairs({ 0, -1, -server_pid, 1, server_pid, stranger, 4194305, 99999999999, math.mininteger, 1.0 }) do
                out[i] = failed(process.signal(pid, "KILL"))
            end
            out[11] = alive(stranger)
            sh("kill " .. stranger)
            out[12] = server_pid
            out[13] = stranger
            return out
        ]])
        local server_pid, stranger = result[12], result[13]
        local function none(pid) return { true, ("a process id is a positive number, got %d"):format(pid), "EINVAL" } end
        local function foreign(pid)
            return { true, ("process %d was not started by this server in the background"):format(pid), "EPERM" }
        end
        local function missing(pid) return { true, ("No such process %d"):format(pid), "ESRCH" } end
        assert.same({ none(0), none(-1), none(-server_pid), foreign(1), foreign(server_pid), foreign(stranger), missing(4194305),
            missing(99999999999), none(math.mininteger), foreign(1) }, { table.unpack(result, 1, 10) })
        assert.is_true(result[11])
    end)

    it("P19 a process of somebody else is none of its own either", function()
        needs.root()
        assert.same({ true, "process 1 was not started by this server in the background", "EPERM" },
            lua('return failed(process.signal(1, "KILL"))', { wrap = { "setpriv", "--reuid", "4242", "--regid", "4242",
                "--clear-groups", "--" }, workspace = tmp.dir("workspace"), env = { HOME = "/" } }))
    end)

    it("P19 the number of a job that has ended is refused, also when it is given out again", function()
        local function try(wrap)
            local result = lua([[
                local pid = process.start({ command = "true" })
                ended(pid)
                local at_once = failed(process.signal(pid))
                local again = sh("for i in $(seq 200); do echo " .. pid - 1 .. " > /proc/sys/kernel/ns_last_pid || exit; " ..
                    "sleep 300 >/dev/null 2>&1 & [ $! = " .. pid .. " ] && echo again && exit; kill $!; done 2>/dev/null")
                local reused = failed(process.signal(pid, "KILL"))
                local there = alive(pid)
                if again ~= "" then sh("kill " .. pid) end
                return { pid, at_once, again, reused, there }
            ]], { wrap = wrap })
            local pid, at_once, again, reused, there = table.unpack(result)
            local expected = { true, ("No such process %d"):format(pid), "ESRCH" }
            assert.same({ expected, expected }, { at_once, reused })
            return again ~= "" and { alive = there }
        end
        -- choosing the next number needs a capability; who lacks it has it in a namespace of its own
        local as_root_of_a_namespace = { "unshare", "-Urpf", "--mount-proc", "sh", "-c", '"$@"; exit $?', "sh" }
        local stranger = try() or try(as_root_of_a_namespace)
        assert.is_truthy(stranger, "the number was not given out again")
        assert.is_true(stranger.alive)
    end)

    it("a signal reaches the whole group", function()
        local result = lua([[
            local pid = process.start({ command = "trap 'echo got it' USR1; sleep 300 & echo $!; while :; do wait; done" })
            wait_for(function() return process.job(pid).output ~= "" end)
            local child = process.job(pid).output:match("%d+")
            assert(process.signal(pid, "CONT"))
            assert(process.signal(pid, "SIGUSR1"))
            wait_for(function() return process.job(pid).output:find("got it") end)
            assert(process.signal(pid))
            return { ended(pid).signal, wait_for(function() return not alive(child) end), failed(process.signal(pid)), pid }
        ]])
        local refused = { true, ("No such process %d"):format(result[4]), "ESRCH" }
        assert.same({ "SIGTERM", true, refused }, { table.unpack(result, 1, 3) })
    end)

    it("a job that ignores SIGTERM goes on until SIGKILL", function()
        local result = lua([[
            local pid = process.start({ command = "trap 'echo no' TERM; echo ready; while :; do sleep 0.02; done" })
            wait_for(function() return process.job(pid).output == "ready\n" end)
            assert(process.signal(pid, "TERM"))
            wait_for(function() return process.job(pid).output:find("no\n") end)
            local state = process.job(pid).state
            assert(process.signal(pid, "KILL"))
            return { state, ended(pid).signal }
        ]])
        assert.same({ "running", "SIGKILL" }, result)
    end)

    it("P28 a job that closes its output and lives on leaves the program asleep, and no descriptor", function()
        needs.root() -- who may see the descriptors of a process that hides its memory
        local result = resting([[
            sh("true")
            local before = descriptors()
            local pid = process.start({ command = "echo x; exec >&- 2>&-; sleep 300" })
            wait_for(function() return process.job(pid).output == "x\n" and descriptors() == before + 1 end)
            rest()
            local state = process.job(pid).state
            process.signal(pid, "KILL")
            ended(pid)
            return { state, wait_for(function() return descriptors() == before end) }
        ]])
        assert.same({ "running", true }, result)
    end)

    it("P28 a job that ends while a descendant holds its output is read on, and leaves the program asleep", function()
        needs.root() -- who may see the descriptors of a process that hides its memory
        local result = resting([[
            sh("true")
            local before = descriptors()
            local pid = process.start({ command = "(until [ -e on ]; do sleep 0.05; done; echo late) & echo x; exit 4" })
            local state = ended(pid).state
            wait_for(function() return descriptors() == before + 1 end)
            rest()
            sh("touch on")
            wait_for(function() return process.job(pid).output == "x\nlate\n" end)
            wait_for(function() return descriptors() == before end)
            return { state, process.job(pid).exit_code }
        ]])
        assert.same({ "exited", 4 }, result)
    end)

    it("P28 a descendant that writes without end after the exit of its job is read at a bounded pace", function()
        local result = lua([[
            local pid = process.start({ command = "yes & echo $! > child; sleep 0.3" }) -- ends in a pause of the reading
            ended(pid)
            local function read_by_now() return process.job(pid).output_bytes end
            local at_the_end = read_by_now()
            wait_for(function() return read_by_now() > at_the_end + 5000000 end)
            local since, before = clock.monotonic_ms(), read_by_now()
            wait_for(function() return read_by_now() > before + 50000000 end)
            local bytes = read_by_now() - before
            -- Turns of nearly and of more than 512 KB, then a pause of 10 ms, whose clock lags by less than 2 ms, and so on.
            local pauses = (clock.monotonic_ms() - since) // 8 + 2
            local output = #process.job(pid).output
            sh("kill $(cat child)")
            return { bytes, pauses * 17 * 65536, output }
        ]])
        assert.is_true(result[1] <= result[2], ("%d bytes where at most %d fit"):format(result[1], result[2]))
        assert.equal(262144, result[3])
    end)

    it("no zombie and no descriptor stays", function()
        needs.root() -- who may see the descriptors of a process that hides its memory
        local result = lua([[
            sh("true")
            local before = descriptors()
            local pids = {}
            for i = 1, 20 do pids[i] = process.start({ command = "exit " .. i }) end
            for i = 1, 20 do
                if ended(pids[i]).exit_code ~= i then return i end
                process.run({ command = "kill -9 $$" })
            end
            wait_for(function() return descriptors() <= before end) -- closed handles go with the next turn of the loop
            return { descriptors() - before, sh("ps -o stat= --ppid $PPID | grep -c Z") }
        ]])
        assert.same({ true, "0\n" }, { result[1] <= 0, result[2] })
    end)

    it("no call keeps a descriptor, whatever comes of it", function()
        assert.is_nil((lua([[
            local long = "true #" .. ("z"):rep(200000)
            for round = 1, 40 do
                for _, case in ipairs({
                    { "ok", command = "cat", stdin = "x" }, { "ok", command = long }, { "ok", argv = { "true" }, cwd = "." },
                    { "ENOENT", argv = { "no-such-program" }, stdin = "x" }, { "ENOENT", command = "true", cwd = "missing" },
                    { "E2BIG", argv = { "true", ("z"):rep(131072) } }, { "EINVAL", command = "true\0" },
                    { "ok", command = "sleep 300", timeout_ms = 1 },
                }) do
                    local expected = table.remove(case, 1)
                    local run, message, code = process.run(case)
                    if (run and "ok" or code) ~= expected then return ("round %d: %s"):format(round, message or "ok") end
                end
                ended(process.start({ command = long }))
            end
        ]], { wrap = { "prlimit", "--nofile=40" } })))
    end)

    it("running out of descriptors is an error that leaves nothing behind", function()
        needs.root() -- who may see the descriptors of a process that hides its memory
        local result = lua([[
            sh("true")
            local before, pids, refused = descriptors(), {}, nil
            for _ = 1, 40 do
                local pid, message, code = process.start({ argv = { "sleep", "300" } })
                refused = refused or not pid and { message, code }
                pids[#pids + 1] = pid
            end
            for _, pid in ipairs(pids) do process.signal(pid, "KILL") end
            for _, pid in ipairs(pids) do ended(pid) end
            wait_for(function() return descriptors() <= before end) -- closed handles go with the next turn of the loop
            return { refused, #pids > 0, #process.jobs() == #pids, sh("pgrep -c -P $PPID sleep") }
        ]], { wrap = { "prlimit", "--nofile=48" } })
        assert.same({ { "cannot start a process: Too many open files", "EMFILE" }, true, true, "0\n" }, result)
    end)

    it("64 ended jobs are remembered, the newest", function()
        local result = lua([[
            local pids = {}
            for i = 1, 70 do
                pids[i] = process.start({ command = "exit 0" })
                ended(pids[i])
            end
            local jobs = process.jobs()
            return { #jobs, jobs[1].pid == pids[70], jobs[64].pid == pids[7], failed(process.job(pids[6])), pids[6] }
        ]])
        local forgotten = { true, ("No such process %d"):format(result[5]), "ESRCH" }
        assert.same({ 64, true, true, forgotten }, { table.unpack(result, 1, 4) })
    end)

    it("a job that is forgotten is read no longer, and what it left behind lives on", function()
        needs.root() -- who may see the descriptors of a process that hides its memory
        local result = lua([[
            sh("true")
            local before = descriptors()
            local pid = process.start({ command = "sleep 300 & echo $!" })
            local child = ended(pid).output:match("%d+")
            local read_on = wait_for(function() return descriptors() == before + 1 end)
            for _ = 1, 64 do ended(process.start({ command = "exit 0" })) end
            local forgotten = process.job(pid) == nil
            local closed = wait_for(function() return descriptors() == before end)
            local lives = alive(child)
            sh("kill " .. child)
            return { read_on, forgotten, closed, lives }
        ]])
        assert.same({ true, true, true, true }, result)
    end)

    it("more than 256 at a time are refused; one that ends makes room", function()
        local result = lua([[
            local pid
            for _ = 1, 256 do pid = assert(process.start({ argv = { "sleep", "300" } })) end
            local refused = failed(process.start({ argv = { "sleep", "300" } }))
            process.signal(pid, "KILL")
            ended(pid)
            return { refused, process.start({ argv = { "sleep", "300" } }) ~= nil }
        ]])
        assert.same({ { true, "256 background processes run already, which is the limit", "EAGAIN" }, true }, result)
    end)

    it("D05 the end of the program ends every job, also one that ignores SIGTERM", function()
        local pids = lua([[
            local one = process.start({ command = "sleep 300 & echo $!; wait" })
            local two = process.start({ command = "trap '' TERM; echo ready; while :; do sleep 0.02; done" })
            local three = process.start({ command = "sleep 300 & echo $!" }) -- has ended, its child holds the pipe
            wait_for(function() return process.job(one).output ~= "" and process.job(two).output == "ready\n" end)
            wait_for(function() return process.job(three).output ~= "" and process.job(three).state == "exited" end)
            local orphan = tonumber(process.job(three).output)
            return { one, tonumber(process.job(one).output), two, orphan }
        ]])
        for i = 1, 3 do assert.is_false(is_alive(pids[i])) end
        assert.is_true(is_alive(pids[4])) -- its number is no longer the server's to signal
        tmp.shell(("kill %d"):format(pids[4]))
    end)

    it("names function, what is expected and what came", function()
        local result = lua([[
            local out = {}
            local function try(name, ...) out[#out + 1] = select(2, pcall(process[name], ...)) end
            try("signal", "1")
            try("signal", 1.5)
            try("signal", 1, "NOPE")
            try("signal", 1, 9)
            try("job")
            out[6] = process.job(4194305) == nil
            return out
        ]])
        assert.same({
            "process.signal: expected a process id, got 1",
            "process.signal: expected a process id, got 1.5",
            "process.signal: expected the name of a signal, got NOPE",
            "process.signal: expected the name of a signal, got 9",
            "process.job: expected a process id, got nil",
            true,
        }, result)
    end)
end)

describe("the types of process", function()
    it("name every function and no other", function()
        local names = {}
        for name, value in pairs(dofile("lib/_meta/process.lua")) do
            names[#names + 1] = name
            assert.is_function(value)
        end
        table.sort(names)
        assert.same(names, lua([[
            local names = {}
            for name in pairs(process) do names[#names + 1] = name end
            table.sort(names)
            return names
        ]]))
    end)

    it("have examples that hold", function()
        local count = 0
        for example in tmp.read("lib/_meta/process.lua"):gmatch("%-%-%-\n(%-%-%-     .-)\n%-%-%-@") do
            lua((example:gsub("%-%-%-     ", "")))
            count = count + 1
        end
        assert.equal(2, count)
    end)
end)
