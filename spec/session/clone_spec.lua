local fake_host = require("spec.support.fake_host")

describe("session.clone", function()
    local host, clone

    before_each(function()
        host = fake_host.install()
        clone = require("session.clone")
    end)

    --- What the program `git` answers to a clone; questions about its settings have no answer.
    local function answers(run)
        host.process.run = function(options)
            for _, word in ipairs(options.argv) do
                if word == "clone" then
                    host.cloned = options
                    run.stdout, run.duration_ms = "", 1
                    return run
                end
            end
            return { exit_code = 1, stdout = "", stderr = "", duration_ms = 1 }
        end
    end

    it("gives git every name as one argument, behind the end of its options", function()
        answers({ exit_code = 0, stderr = "" })
        assert.is_true(clone.run("id", "/w/s", "acme/widget", "dev"))
        local argv, expected = host.cloned.argv, { "clone", "--depth", "1", "--single-branch", "--branch", "dev", "--",
            "https://github.com/acme/widget.git", "." }
        assert.same(expected, table.move(argv, #argv - #expected + 1, #argv, 1, {}))
        assert.same({ "/w/s", "id" }, { host.cloned.cwd, host.cloned.env.SANDSTORM_SESSION_ID })
    end)

    it("lets nobody be asked for a credential, a key or anything else", function()
        answers({ exit_code = 0, stderr = "" })
        clone.run("id", "/w/s", "acme/widget", "dev")
        local env = host.cloned.env
        assert.same({ "0", "never", "", "", "never", "ssh -o BatchMode=yes" }, { env.GIT_TERMINAL_PROMPT, env.GCM_INTERACTIVE,
            env.GIT_ASKPASS, env.SSH_ASKPASS, env.SSH_ASKPASS_REQUIRE, env.GIT_SSH_COMMAND })
        assert.equal("/", env.GIT_CEILING_DIRECTORIES)
        assert.is_true(host.cloned.timeout_ms <= 300000)
    end)

    it("says and logs what git said", function()
        answers({ exit_code = 128, stderr = "fatal: no\xFF https://me:secret@h/\n" })
        local done, message = clone.run("id", "/w/s", "a/b", "main")
        assert.is_nil(done)
        assert.equal("requirements.repo: git could not clone a/b (branch main): fatal: no\u{FFFD} https://***@h/", message)
        local line = host.lines[#host.lines]
        assert.same({ "warning", "Session id: git clone failed: fatal: no\u{FFFD} https://***@h/" }, { line.level, line.message })
    end)

    it("says that it took too long, that it was killed, or that there is no git", function()
        for expected, run in pairs({
            ["timeout after 300s"] = { timed_out = true, stderr = "x" },
            ["git ended with SIGKILL"] = { signal = "SIGKILL", stderr = "" },
        }) do
            answers(run)
            assert.matches(expected, select(2, clone.run("id", "/w/s", "a/b", "main")))
        end
        host.process.run = function() return nil, "git: No such file or directory", "ENOENT" end
        assert.matches("(branch main): git is not installed", select(2, clone.run("id", "/w/s", "a/b", "main")), 1, true)
    end)

    it("takes the names of branches that git takes", function()
        for _, branch in ipairs({ "main", "feature/x-1", "v1.2", "ü", "a@b" }) do assert.is_nil(clone.complaint(branch),
            branch) end
        for _, branch in ipairs({
            "-x", "--upload-pack=x", "/a", "a/", "a//b", "a..b", "a b", "a~", "a^", "a:b", "a?", "a*", "a[", "a\\b", "@", "@{-1}",
            "a.lock", "a.lock/b", ".a", "a/.b", "a.", "a\nb", "a\0b", "a\127",
        }) do
            assert.equal("requirements.branch: expected the name of a branch as git allows it", clone.complaint(branch), branch)
        end
    end)
end)
