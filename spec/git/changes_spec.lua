local fake_git = require("spec.support.fake_git")

describe("git.changes", function()
    local host, changes, call

    before_each(function()
        host = fake_git.install()
        changes, call = require("git.changes"), fake_git.call()
        host.answers["diff"] = ""
    end)

    for words, options in pairs({
        ["diff --end-of-options --"] = {},
        ["diff --cached --end-of-options --"] = { staged = true },
        ["diff --end-of-options a b -- x"] = { from = "a", to = "b", paths = { "x" } },
        ["diff a --no-color --"] = { from = "a" }, -- two words alone, even these, could mean any two files
        ["diff --cached a --no-color --"] = { from = "a", staged = true },
        ["diff --end-of-options a -- x"] = { from = "a", paths = { "x" } },
        ["diff --end-of-options -- --output=x --output=x --output=x"] = { paths = { "--output=x" } },
        ["diff --end-of-options -- x y x"] = { paths = { "x", "y" } },
        ["diff --end-of-options -- x y z"] = { paths = { "x", "y", "z" } },
    }) do
        it("asks for " .. words, function()
            changes.run(call, options)
            assert.same({ words }, fake_git.commands(host, "diff"))
            assert.equal("0", host.asked[1].options.env.GIT_OPTIONAL_LOCKS)
        end)
    end

    it("refuses what would compare other things than were meant", function()
        local fail = require("fail")
        for why, options in pairs({
            ["^to: expected together with from"] = { to = "b" },
            ["^to: expected without staged"] = { from = "a", to = "b", staged = true },
            ["^from: "] = { from = "--output=x" },
        }) do
            local _, raised = pcall(changes.run, call, options)
            assert.matches(why, fail.message_of(raised))
        end
        assert.same({}, host.asked)
    end)

    it("says that nothing changed, and whether it shows everything", function()
        local result = changes.run(call, {})
        assert.same({ "(no changes)", false, true }, { result.content[1], result.structured.changed, result.structured.complete })
        host.answers["diff"] = { stdout = "+x\n", stdout_truncated = true }
        result = changes.run(call, {})
        assert.same({ "+x\n", true, false }, { result.content[1], result.structured.changed, result.structured.complete })
    end)

    it("says why there is no repository instead of how to call git", function()
        host.answers["diff"] = { exit_code = 129, stderr = "usage: git diff --no-index" }
        host.answers["rev-parse --git-dir"] = { exit_code = 128, stderr = "fatal: not a git repository" }
        assert.equal("fatal: not a git repository", changes.run(call, {}).content[1])
        host.answers["rev-parse --git-dir"] = ".git\n"
        assert.matches("^usage", changes.run(call, {}).content[1])
    end)
end)
