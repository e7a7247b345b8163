local fake_git = require("spec.support.fake_git")

describe("git.program", function()
    local host, call

    before_each(function()
        host = fake_git.install()
        call = fake_git.call()
    end)

    local function sent() return host.asked[#host.asked].options end

    it("runs git in the folder of the call, with the time that is left", function()
        host.now = 15000
        host.answers["status"] = "x"
        assert.equal("x", call:run({ "status" }).stdout)
        assert.same({ "repo", 45000 }, { sent().cwd, sent().timeout_ms })
        host.now = 1000000
        call:run({ "status" }, { cwd = "other" })
        assert.same({ "other", 1 }, { sent().cwd, sent().timeout_ms })
    end)

    it("gives arguments as they are, behind settings that no file can undo", function()
        call:run({ "log", "a b", "$(id)" }, { config = { "protocol.http.allow=user" } })
        local argv = sent().argv
        assert.same({ "log", "a b", "$(id)" }, host.asked[1].words)
        local settings = " " .. table.concat(argv, " ", 1, #argv - 3) .. " "
        for _, setting in ipairs({ "protocol.ext.allow=never", "color.ui=never", "protocol.http.allow=user" }) do
            assert.is_truthy(settings:find(" -c " .. setting .. " ", 1, true), setting)
        end
    end)

    it("lets nobody be asked for anything, and finds no repository above the workspace", function()
        call:run({ "fetch" }, { env = { GIT_SSH_COMMAND = "ssh -o BatchMode=yes" } })
        local env = sent().env
        assert.same({ "0", "", "", ":", "never", "/", "ssh -o BatchMode=yes" }, { env.GIT_TERMINAL_PROMPT, env.GIT_ASKPASS,
            env.SSH_ASKPASS, env.GIT_EDITOR, env.SSH_ASKPASS_REQUIRE, env.GIT_CEILING_DIRECTORIES, env.GIT_SSH_COMMAND })
        assert.is_nil(env.GIT_OPTIONAL_LOCKS)
        call:run({ "status" }, { reads = true })
        assert.equal("0", sent().env.GIT_OPTIONAL_LOCKS)
        host.fs.root = function() return "/srv/work" end
        call:run({ "status" })
        assert.equal("/srv", sent().env.GIT_CEILING_DIRECTORIES)
    end)

    it("leaves out what would point git at another repository", function()
        local getenv = os.getenv
        finally(function() os.getenv = getenv end) -- luacheck: ignore
        local SET = { GIT_DIR = "x", GIT_CONFIG_PARAMETERS = "x", GIT_DISCOVERY_ACROSS_FILESYSTEM = "1" }
        os.getenv = function(name) return SET[name] end -- luacheck: ignore
        call:run({ "status" })
        assert.same({ "env", "-u", "GIT_DIR", "-u", "GIT_CONFIG_PARAMETERS", "-u", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "git" },
            { table.unpack(sent().argv, 1, 8) })
        os.getenv = function() return nil end -- luacheck: ignore
        call:run({ "status" })
        assert.equal("git", sent().argv[1])
    end)

    it("says that there is no git, and what else kept it from starting", function()
        for message, case in pairs({
            ["Error: git is not installed, or not in the PATH of this server"] = { "git: No such file or directory", "ENOENT" },
            ["Error: /w/repo: No such file or directory"] = { "/w/repo: No such file or directory", "ENOENT" },
            ["Path is outside"] = { "Path is outside", "EOUTSIDE" },
            ["Error: Cannot allocate memory"] = { "Cannot allocate memory", "ENOMEM" },
        }) do
            host.process.run = function() return nil, case[1], case[2] end
            assert.equal(message, select(2, call:run({ "status" })))
        end
    end)

    it("asks for the output of what succeeds whole, in time, and for no other", function()
        for _, case in ipairs({ { "x", "x" }, { { exit_code = 1, stdout = "x" } }, { { stdout = "x", stdout_truncated = true } },
            { { signal = "SIGKILL", stdout = "x" } } }) do
            host.answers["config"] = case[1]
            assert.equal(case[2], call:ask({ "config" }))
        end
        host.answers["config"] = "x"
        host.now = 60000
        assert.is_nil(call:ask({ "config" }))
        assert.equal(4, #host.asked)
    end)

    describe("a lock", function()
        -- A linked work tree, and what git says of a lock.
        local function lock_in(line)
            return call:blocking_lock({ exit_code = 128, stderr = "hint: x\n" .. line .. "\n\nAnother git process" })
        end

        local function complaint(path) return ("fatal: Unable to create '%s': File exists."):format(path) end

        before_each(function()
            call.place = { git_dir = "/w/it's/.git/worktrees/x", common_dir = "/w/it's/.git" }
            host.git.locate = function(path) return { directory = path } end
        end)

        it("is known by its path, of which the name of the repository may be any", function()
            for _, path in ipairs({ "/w/it's/.git/refs/heads/x.lock", "/w/it's/.git/worktrees/x/index.lock" }) do
                assert.equal(path, lock_in(complaint(path)))
            end
            assert.is_nil(lock_in("fatal: something else"))
            assert.is_nil(lock_in(complaint("/w/it's/.git/index")))
        end)

        it("is none of this repository where a remote or a hook names another file", function()
            assert.is_nil(lock_in("remote: " .. complaint("/w/it's/.git/index.lock")))
            for _, path in ipairs({ "/w/it's/yarn.lock", "/w/it's/.github/x.lock", "/etc/x.lock", "/x.lock" }) do
                assert.is_nil(lock_in(complaint(path)))
            end
            call.place = nil
            assert.is_nil(lock_in(complaint("/w/it's/.git/index.lock")))
        end)
    end)

    it("waits two seconds for a lock to go, and no longer", function()
        call.place = { git_dir = "/w/.git", common_dir = "/w/.git" }
        host.git.locate = function(path) return { directory = path } end
        local LOCKED = { exit_code = 128, stderr = "fatal: Unable to create '/w/.git/index.lock': File exists." }
        host.answers["add"] = function() return #host.asked < 3 and LOCKED or "" end
        assert.equal(0, call:run_when_free({ "add" }).exit_code)
        assert.equal(3, #host.asked)
        host.answers["add"] = LOCKED
        local before = host.now
        assert.equal(128, call:run_when_free({ "add" }).exit_code)
        assert.is_true(host.now - before > 2000 and host.now - before <= 2100)
        host.answers["add"] = { exit_code = 1, stderr = "fatal: something else" }
        host.asked = {}
        call:run_when_free({ "add" })
        assert.equal(1, #host.asked)
    end)
end)
