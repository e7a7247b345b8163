local fake_host = require("spec.support.fake_host")

describe("session.clone", function()
    local host, clone

    before_each(function()
        host = fake_host.install()
        clone = require("session.clone")
    end)

    it("gives git every name as one argument, behind the end of its options", function()
        local options
        host.process.run = function(given)
            options = given
            return { exit_code = 0, stdout = "", stderr = "" }
        end
        assert.is_true(clone.run("id", "/w/s", "acme/widget", "dev"))
        assert.same({ "git", "clone", "--depth", "1", "--single-branch", "--branch", "dev", "--",
            "https://github.com/acme/widget.git", "." }, options.argv)
        assert.equal("/w/s", options.cwd)
    end)

    it("says and logs what git said", function()
        host.process.run = function() return { exit_code = 128, stdout = "", stderr = "fatal: no\xFF\n" } end
        local done, message = clone.run("id", "/w/s", "a/b", "main")
        assert.is_nil(done)
        assert.equal("requirements.repo: git could not clone a/b (branch main): fatal: no\u{FFFD}", message)
        assert.same({ "warning", "Session id: git clone failed: fatal: no\u{FFFD}" }, { host.lines[1].level,
            host.lines[1].message })
    end)

    it("says that it took too long, that it was killed, or that there is no git", function()
        for expected, run in pairs({
            ["timeout after 300s"] = { timed_out = true, stdout = "", stderr = "x" },
            ["git ended with SIGKILL"] = { signal = "SIGKILL", stdout = "", stderr = "" },
        }) do
            host.process.run = function() return run end
            assert.matches(expected, select(2, clone.run("id", "/w/s", "a/b", "main")))
        end
        host.process.run = function() return nil, "git: No such file or directory", "ENOENT" end
        assert.matches("git: No such file", select(2, clone.run("id", "/w/s", "a/b", "main")))
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
