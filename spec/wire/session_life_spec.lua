--- Sessions from their beginning to their end, and what happens when several things are done to one at a time.
local cjson = require("cjson")
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local sessions = require("spec.support.sessions")
local tmp = require("spec.support.tmp")

local ask, create, exec = sessions.ask, sessions.create, sessions.exec

local function pid_in(path)
    sessions.wait_file(path)
    local pid
    program.wait_until(function()
        pid = (tmp.read(path) or ""):match("(%d+)\n")
        return pid
    end)
    return pid
end

describe("a session", function()
    local s

    setup(function() s = sessions.serve() end)
    teardown(function() s:stop() end)

    it("gives the variables of its context to its commands, whatever they hold", function()
        local id = create(s, { context = { env = {
            PLAIN = "a b", QUOTE = "'\"$(touch x)`\n;", N = 5, F = 1.5, ON = true, LIST = { 1 }, NOTHING = cjson.null,
                ["A=B"] = "x", [""] = "y",
        } } })
        local _, answer = exec(s, id, [[printf '%s|' "$PLAIN" "$QUOTE" "$N" "$F" "$ON" "${LIST-unset}" "${NOTHING-unset}"]])
        assert.equal("a b|'\"$(touch x)`\n;|5|1.5|true|unset|unset|", answer.stdout)
        _, answer = exec(s, id, "ls")
        assert.equal("", answer.stdout)
    end)

    it("J03 keeps its context as it was given, through any number of round trips", function()
        local given = '{"a":[],"b":{},"c":null,"d":[null,1],"e":1.0,"f":[[]],"g":[1,null],"h":-0.0,"i":9223372036854775807,'
            .. '"env":{"k":[],"l":{},"m":null}}'
        for _ = 1, 3 do
            local status, answer = ask(s, "POST", "/session/create", '{"type":"t","context":' .. given .. "}")
            assert.equal(201, status)
            local kept = assert(tmp.read(answer.workspace_path .. "/context/task.json"))
            assert.equal((given:gsub("%s", "")), (kept:gsub("%s", "")))
            assert.equal('{"k":[],"l":{},"m":null}', (tmp.read(answer.workspace_path .. "/context/env.json"):gsub("%s", "")))
            given = kept
        end
    end)

    it("F18 no path with a NUL byte names it, and nothing happens to it", function()
        local id, folder = create(s)
        for _, name in ipairs({ id .. "%00", "%00" .. id, id .. "%00x", id:sub(1, 8) .. "%00" .. id:sub(9), "%00", "..%00" }) do
            for path, method in pairs({ ["/status"] = "GET", ["/exec"] = "POST", ["/extend"] = "POST", [""] = "DELETE" }) do
                local body = method == "POST" and '{"command":"touch ran"}' or nil
                assert.equal(400, (ask(s, method, "/session/" .. name .. path, body)), name .. path)
            end
            assert.equal(400, (ask(s, "GET", "/session/" .. id .. "/status%00")))
        end
        assert.equal("ready", sessions.status(s, id))
        assert.equal("", tmp.shell("ls " .. folder .. "/workspace"))
    end)

    it("does not give the server's secrets to its commands", function()
        local id = create(s)
        local _, answer = exec(s, id, "env; cat /proc/$PPID/environ 2>&1 | tr '\\0' '\\n'")
        assert.not_matches(s.token, answer.stdout, 1, true)
    end)

    it("has each working directory inside of itself, links followed", function()
        local id, folder = create(s)
        local other, other_folder = create(s)
        exec(s, id, ("mkdir sub; ln -s sub inside; ln -s %s outside; ln -s / root; ln -s loop loop"):format(other_folder))
        for cwd, expected in pairs({
            sub = "/workspace/sub", inside = "/workspace/sub", ["."] = "/workspace", ["../outputs"] = "/outputs", [".."] = "",
            [folder .. "/context"] = "/context", [""] = "/workspace",
        }) do
            local status, answer = exec(s, id, "pwd", { cwd = cwd })
            assert.same({ 200, folder .. expected .. "\n" }, { status, answer.stdout }, cwd)
        end
        for _, cwd in ipairs({ "/", "../..", "../../" .. other, "outside", "outside/workspace", "root", "root/tmp", "loop",
            folder .. "x", "/etc" }) do
            local status, answer = exec(s, id, "pwd", { cwd = cwd })
            assert.equal(400, status, cwd)
            assert.matches("^cwd: ", answer.error)
        end
        local status, answer = exec(s, id, "pwd", { cwd = "missing" })
        assert.equal(400, status)
        assert.matches("^cwd: .*/workspace/missing: No such file or directory$", answer.error)
        assert.is_nil(tmp.kind(folder .. "/workspace/missing"))
    end)

    it("keeps what a command said before its time was over, and its children do not hold it", function()
        local id = create(s)
        local _, answer = exec(s, id, "echo before; echo oops >&2; sleep 300", { timeout_ms = 1 })
        assert.same({ exit_code = 124, stdout = "before\n", stderr = "oops\ntimeout after 1s" }, answer)
        _, answer = exec(s, id, "sleep 300 & echo done")
        assert.same({ exit_code = 0, stdout = "done\n", stderr = "" }, answer)
        ask(s, "DELETE", "/session/" .. id)
    end)

    it("says that output was cut", function()
        local id = create(s)
        local _, answer = exec(s, id, "head -c 11000000 /dev/zero | tr '\\0' x")
        assert.same({ 10485760, true }, { #answer.stdout, answer.truncated })
    end)

    it("has a random id of version 4 that nobody else has", function()
        local seen = {}
        for _ = 1, 50 do
            local id = create(s)
            assert.matches("^%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$", id)
            assert.is_nil(seen[id])
            seen[id] = true
        end
    end)

    it("a branch that looks like an option and a repository that looks like a command are refused, and leave nothing", function()
        local before = tmp.shell(("ls %s/sessions | wc -l"):format(s.workspace))
        for _, requirements in ipairs({
            { repo = "a/b", branch = "--upload-pack=touch x" }, { repo = "a/b;touch x" }, { repo = "--help/x" }, { repo = "a/b",
                branch = "a b" },
        }) do
            local status, answer = ask(s, "POST", "/session/create", { type = "t", requirements = requirements })
            assert.equal(400, status)
            assert.matches("^requirements%.%a+: expected ", answer.error)
        end
        assert.equal(before, tmp.shell(("ls %s/sessions | wc -l"):format(s.workspace)))
    end)

    it("a clone that fails is told in the answer, and no session is left", function()
        local home = tmp.dir("home")
        tmp.write(home .. "/.gitconfig", ('[url "file://%s/"]\n\tinsteadOf = https://github.com/\n'):format(home))
        local cloning = sessions.serve({ env = { HOME = home } })
        local status, answer = ask(cloning, "POST", "/session/create", { type = "t", requirements = { repo = "acme/none" } })
        assert.equal(422, status)
        assert.matches("^requirements%.repo: git could not clone acme/none %(branch main%): .*acme/none", answer.error)
        assert.equal("", tmp.shell(("ls %s/sessions"):format(cloning.workspace)))
        assert.equal(0, cjson.decode(cloning:request({ path = "/health" }).body).active_instances)
        cloning:stop()
    end)

    it("deleted while it is cloned, takes the clone with it, and whoever makes it is told", function()
        local home, bin = tmp.dir("home"), tmp.dir("bin")
        tmp.write(home .. "/.gitconfig", '[url "ssh://stand-in/"]\n\tinsteadOf = https://github.com/\n')
        tmp.write(bin .. "/ssh", "#!/bin/sh\necho $$ > " .. home .. "/new; mv " .. home .. "/new " .. home
            .. "/pid; exec sleep 300\n")
        tmp.shell("chmod +x " .. bin .. "/ssh")
        local other = sessions.serve({ env = { HOME = home, PATH = bin .. ":/usr/local/bin:/usr/bin:/bin" } })
        local body = '{"type":"t","requirements":{"repo":"a/b"}}'
        local connection = sessions.send(other, "POST", "/session/create", body)
        sessions.wait_file(home .. "/pid")
        local id = tmp.shell("ls " .. other.workspace .. "/sessions"):match("%S+")
        assert.equal(200, (ask(other, "DELETE", "/session/" .. id)))
        assert.is_false(program.is_alive(tmp.read(home .. "/pid"):match("%d+")))
        local response = connection:read_response("POST")
        assert.same({ 410, '{"error":"Session expired"}' }, { response.status, response.body })
        connection:close()
        assert.equal("", tmp.shell("ls " .. other.workspace .. "/sessions"))
        assert.equal("cleaned", sessions.status(other, id))
        other:stop()
    end)

    it("deleted by another server of the same state folder, takes its commands with it, and they are told", function()
        local other = sessions.serve({ workspace = s.workspace })
        local id, folder = create(s)
        local wait = sessions.start(s, id, "touch started; sleep 300")
        sessions.wait_file(folder .. "/workspace/started")
        assert.equal(200, (ask(other, "DELETE", "/session/" .. id)))
        assert.same({ 410, { error = "The command was ended: the session is over" } }, { wait() })
        assert.equal("cleaned", sessions.status(s, id))
        other:stop()
    end)

    it("deleted, takes every process with it that it started, wherever that went", function()
        local id, folder = create(s)
        local script = [[sh -c 'echo $$ > a; exec sleep 300' & setsid sh -c 'echo $$ > b; exec sleep 300' >/dev/null 2>&1 &
            (trap "" TERM; echo $BASHPID > c; while :; do sleep 0.05; done) >/dev/null 2>&1 & wait]]
        local answered = sessions.start(s, id, script)
        local pids = {}
        for _, name in ipairs({ "a", "b", "c" }) do pids[name] = pid_in(folder .. "/workspace/" .. name) end
        local status, answer = ask(s, "DELETE", "/session/" .. id)
        assert.same({ 200, { success = true } }, { status, answer })
        for name, pid in pairs(pids) do assert.is_false(program.is_alive(pid), name) end
        assert.is_nil(tmp.kind(folder))
        status, answer = answered()
        assert.same({ 410, "The command was ended: the session was deleted" }, { status, answer.error })
        assert.equal("cleaned", sessions.status(s, id))
    end)

    it("deleted, ends what its commands left behind: SIGTERM first, then SIGKILL for who ignores that", function()
        local id, folder = create(s)
        local word = tmp.dir("word") .. "/said"
        assert.equal(200, (exec(s, id, ([[
            setsid sh -c 'trap "" TERM; echo $$ > deaf; while :; do sleep 0.05; done' >/dev/null 2>&1 &
            setsid sh -c 'trap "echo bye > %s; exit" TERM; echo $$ > tidy; while :; do sleep 0.05; done' >/dev/null 2>&1 &
            until test -s deaf -a -s tidy; do sleep 0.01; done]]):format(word))))
        local deaf, tidy = pid_in(folder .. "/workspace/deaf"), pid_in(folder .. "/workspace/tidy")
        assert.same({ true, true }, { program.is_alive(deaf), program.is_alive(tidy) })
        assert.equal(200, (ask(s, "DELETE", "/session/" .. id)))
        assert.same({ false, false }, { program.is_alive(deaf), program.is_alive(tidy) })
        assert.equal("bye\n", tmp.read(word))
        assert.is_nil(tmp.kind(folder))
    end)

    it("deleted, leaves what its links lead to and what other sessions run", function()
        local id, folder = create(s)
        local other, other_folder = create(s)
        local answered = sessions.start(s, other, "echo $$ > pid; until test -e go; do sleep 0.02; done; echo on")
        local pid = pid_in(other_folder .. "/workspace/pid")
        exec(s, id, ("ln -s %s/workspace other; ln -s / root"):format(other_folder))
        assert.equal(200, (ask(s, "DELETE", "/session/" .. id)))
        assert.is_nil(tmp.kind(folder))
        assert.is_true(program.is_alive(pid))
        tmp.write(other_folder .. "/workspace/go", "")
        local status, answer = answered()
        assert.same({ 200, "on\n" }, { status, answer.stdout })
    end)

    it("of another server, whose id is a path into a session of this one, takes nothing of it along", function()
        local own = sessions.serve()
        local id, folder = create(own)
        local keep = tmp.write(folder .. "/workspace/keep", "x")
        own:stop()
        local odd = id .. "/workspace"
        sessions.sql(own.workspace, ("INSERT INTO sessions SELECT '%s', type, 'expired', '%s', repo, branch, ttl_minutes, "
            .. "expires_at, created_at, updated_at FROM sessions WHERE id = '%s'"):format(odd, folder .. "/workspace", id))
        own = sessions.serve({ workspace = own.workspace })
        assert.is_true(program.wait_until(function()
            return sessions.sql(own.workspace, ("SELECT status FROM sessions WHERE id = '%s'"):format(odd)) == "cleaned\n"
        end))
        assert.equal("x", tmp.read(keep))
        own:stop()
    end)

    it("whose folder became a link is removed as a link", function()
        local id, folder = create(s)
        local keep = tmp.write(s.workspace .. "/keep/file", "x")
        tmp.shell(("rm -r %s; ln -s %s/keep %s"):format(folder, s.workspace, folder))
        assert.equal(200, (ask(s, "DELETE", "/session/" .. id)))
        assert.is_nil(tmp.kind(folder))
        assert.equal("x", tmp.read(keep))
    end)

    it("is active as long as one of its commands runs, and ready again after the last", function()
        local id, folder = create(s)
        local first = sessions.start(s, id, "touch a; until test -e go1; do sleep 0.02; done")
        local second = sessions.start(s, id, "touch b; until test -e go2; do sleep 0.02; done")
        sessions.wait_file(folder .. "/workspace/a")
        sessions.wait_file(folder .. "/workspace/b")
        assert.equal("active", sessions.status(s, id))
        tmp.write(folder .. "/workspace/go1", "")
        assert.equal(200, (first()))
        assert.equal("active", sessions.status(s, id))
        tmp.write(folder .. "/workspace/go2", "")
        assert.equal(200, (second()))
        sessions.wait_status(s, id, "ready")
    end)

    it("is ready again when a command's handler was stopped by its limit", function()
        local short = sessions.serve({ env = { SANDSTORM_CALL_DEADLINE_MS = "300" } })
        local id = create(short)
        local status, answer = exec(short, id, "sleep 300")
        assert.equal(503, status)
        assert.matches("^The command was ended: ", answer.error)
        sessions.wait_status(short, id, "ready")
        short:stop()
    end)

    it("extended by many at a time, is extended by all of them", function()
        local id = create(s, { ttl_minutes = 1 })
        local waiting = {}
        for i = 1, 20 do
            waiting[i] = sessions.send(s, "POST", "/session/" .. id .. "/extend", '{"additional_minutes":1}')
        end
        local most = 0
        for i = 1, 20 do
            local answer = cjson.decode(waiting[i]:read_response("POST").body)
            most = math.max(most, answer.ttl_remaining_minutes)
            waiting[i]:close()
        end
        assert.equal(21, most)
    end)

    it("deleted while commands, extensions and other deletions arrive, is cleaned, and all of them get an answer", function()
        for _ = 1, 5 do
            local id, folder = create(s)
            local waiting = {}
            local function send(method, path, body)
                waiting[#waiting + 1] = sessions.send(s, method, "/session/" .. id .. path, body)
            end
            for _ = 1, 4 do
                send("POST", "/exec", '{"command":"echo x > f; sleep 300"}')
                send("POST", "/extend", "{}")
            end
            send("DELETE", "")
            send("POST", "/exec", '{"command":"echo x > f; sleep 300"}')
            send("DELETE", "")
            send("POST", "/extend", "{}")
            for _, connection in ipairs(waiting) do
                local status = connection:read_response("POST").status
                assert.is_true(status == 200 or status == 404 or status == 410, tostring(status))
                connection:close()
            end
            assert.equal("cleaned", sessions.status(s, id))
            assert.is_nil(tmp.kind(folder))
        end
    end)

    it("a file that cannot be removed makes the delete an error that names it, and the reaper tries again", function()
        needs.root()
        local workspace = tmp.dir("workspace")
        tmp.shell("chown 12345:12345 " .. workspace)
        local wrap = { "/usr/bin/setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "--pdeathsig", "KILL", "--" }
        local user = sessions.serve({ workspace = workspace, wrap = wrap })
        local id, folder = create(user)
        tmp.shell(("mkdir %s/workspace/theirs; touch %s/workspace/theirs/f"):format(folder, folder))
        local status, answer = ask(user, "DELETE", "/session/" .. id)
        assert.equal(500, status)
        assert.matches("could not be removed: .*%(f%)$", answer.error)
        assert.equal(404, (exec(user, id, "echo x")))
        tmp.shell("chown -R 12345:12345 " .. folder)
        user:stop()
        user = sessions.serve({ workspace = workspace, wrap = wrap })
        sessions.wait_status(user, id, "cleaned")
        assert.is_nil(tmp.kind(folder))
        user:stop()
    end)
end)
