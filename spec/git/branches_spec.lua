local fake_git = require("spec.support.fake_git")
local json = require("json")

local function line(...) return table.concat({ ... }, "\0") .. "\n" end

local LISTED = line("*", "refs/heads/main", "", "aaa", "refs/remotes/origin/main", "/w/repo")
    .. line(" ", "refs/heads/other", "", "bbb", "", "/w/tree")
    .. line(" ", "refs/remotes/origin/HEAD", "refs/remotes/origin/main", "aaa", "", "")

describe("git.branches", function()
    local host, branches, call

    before_each(function()
        host = fake_git.install()
        branches, call = require("git.branches"), fake_git.call()
        host.git.branches = function() return nil, "a reason" end
    end)

    it("writes what git prints as a list, and the same as fields", function()
        local lines, list, current = branches.parse(LISTED)
        assert.equal("* main\n+ other\n  remotes/origin/HEAD -> origin/main\n", lines)
        assert.equal("main", current)
        assert.same({
            { name = "main", current = true, commit = "aaa", remote = false, upstream = "origin/main" },
            { name = "other", current = false, commit = "bbb", remote = false },
            { name = "origin/HEAD", current = false, commit = "aaa", remote = true, points_to = "origin/main" },
        }, list)
    end)

    it("names no current branch where HEAD is detached, and lists nothing of an empty repository", function()
        local lines, list, current = branches.parse(line("*", "(HEAD detached at aaa)", "", "aaa", "", "")
            .. line(" ", "refs/heads/main", "", "aaa", "", ""))
        assert.equal("* (HEAD detached at aaa)\n  main\n", lines)
        assert.same({ 1, nil }, { #list, current })
        lines, list, current = branches.parse("")
        assert.same({ "", {}, nil }, { lines, list, current })
        assert.is_true(json.is_array(list))
    end)

    it("lists with the engine of this process where that can, and says who answered", function()
        host.git.branches = function() return LISTED end
        local result = branches.list(call)
        assert.same({ "native", "main", {} }, { result.structured.engine, result.structured.current, host.asked })
        host.git.branches = function() return nil, "worktrees" end
        host.answers["branch --all"] = LISTED
        result = branches.list(call)
        assert.same({ "git: worktrees", "main" }, { result.structured.engine, result.structured.current })
    end)

    it("says what git says of no repository", function()
        host.answers["branch"] = { exit_code = 128, stderr = "fatal: not a git repository\n" }
        assert.same({ content = { "fatal: not a git repository" }, isError = true }, branches.list(call))
    end)

    it("makes a branch, whose name is never an option", function()
        host.answers["branch --end-of-options new"] = ""
        host.answers["rev-parse --verify --quiet --end-of-options refs/heads/new"] = "abc\n"
        local result = branches.create(call, "new")
        assert.same({ false, "new", "abc" }, { result.isError, result.structured.created, result.structured.commit })
        assert.has_error(function() branches.create(call, "-D") end)
    end)

    it("switches with a name alone, and tells where HEAD is then", function()
        host.answers["checkout"] = { stderr = "Switched to branch 'x'\n" }
        host.answers["rev-parse"] = "abc\nHEAD\n"
        local result = branches.checkout(call, "x")
        assert.same({ "checkout x --" }, fake_git.commands(host, "checkout"))
        assert.same({ json.null, "abc", true },
            { result.structured.branch, result.structured.commit, result.structured.detached })
        branches.checkout(call, "-")
        assert.equal("checkout - --", fake_git.commands(host, "checkout")[2])
        assert.has_error(function() branches.checkout(call, "--orphan") end)
        assert.matches("empty string", select(2, branches.checkout(call, "")))
    end)

    it("explains an unknown name in git's words, and that files are not what it switches", function()
        host.answers["checkout"] = { exit_code = 128, stderr = "fatal: invalid reference: x\n" }
        assert.equal("error: pathspec 'x' did not match any file(s) known to git", branches.checkout(call, "x").content[1])
        host.answers["ls-files --error-unmatch -- x"] = "x\n"
        assert.matches("^error: 'x' is a path, not a branch", branches.checkout(call, "x").content[1])
    end)
end)
