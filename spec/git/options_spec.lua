--- The optional arguments that go beyond what the tools had before, and the fields of the results.
local cjson = require("cjson")
local repositories = require("spec.support.repositories")

local SETUP = [[
git init -q repo; cd repo; mkdir d; echo 1 > a; echo 1 > d/b; git add -A; git commit -qm one
echo 2 > a; git commit -qam two; git tag v1; git checkout -q -b side; echo 3 > d/b; git commit -qam three; git checkout -q main
]]

describe("git", function()
    local pair, s
    before_each(function()
        pair = repositories.pair()
        s = pair.server
        pair:both("", SETUP)
    end)
    after_each(function() pair:stop() end)

    local function call(tool, arguments)
        arguments.path = arguments.path or "repo"
        local result = s:call(tool, arguments)
        assert.is_false(result.isError, result.content[1].text)
        return result.content[1].text, result.structuredContent
    end

    it("log takes a ref and paths", function()
        assert.matches("^%x+ three\n%x+ two\n%x+ one\n$", (call("git_log", { ref = "side" })))
        assert.matches("^%x+ three\n$", (call("git_log", { ref = "main..side" })))
        assert.matches("^%x+ one\n$", (call("git_log", { paths = { "d" } })))
        assert.matches("^%x+ two\n$", (call("git_log", { n = 1 })))
    end)

    it("log tells commits as fields", function()
        local _, fields = call("git_log", {})
        local head = pair:here("repo", "git rev-parse HEAD HEAD~1")
        assert.same({
            id = head:match("^%x+"), parents = { head:match("\n(%x+)") }, author = "Spec Tester", email = "spec@example.com",
            date = "2026-11-30T12:00:00+00:00", subject = "two",
        }, fields.commits[1])
        assert.equal(2, #fields.commits)
    end)

    it("log takes at most 100", function()
        pair:here("repo", "for i in $(seq 120); do git commit -q --allow-empty -m $i; done")
        local _, fields = call("git_log", { n = 5000 })
        assert.equal(100, #fields.commits)
    end)

    it("diff takes staged, from, to and paths", function()
        pair:here("repo", "echo s > a; git add a; echo w > d/b")
        local staged, fields = call("git_diff", { staged = true })
        assert.matches("^diff %-%-git a/a b/a\n.*\n%+s\n$", staged)
        assert.is_true(fields.changed)
        assert.matches("^diff %-%-git a/d/b b/d/b\n.*\n%+w\n$", (call("git_diff", {})))
        assert.matches("\n%+3\n$", (call("git_diff", { from = "main", to = "side" })))
        assert.matches("\n%+3\n$", (call("git_diff", { from = "main...side", paths = { "d" } })))
        assert.equal("(no changes)", (call("git_diff", { from = "main", to = "side", paths = { "a" } })))
        assert.equal(pair:here("repo", "git diff -- a d"), (call("git_diff", { paths = { "a", "d" } })))
        assert.equal(pair:here("repo", "git diff v1"), (call("git_diff", { from = "v1" })))
    end)

    it("commit takes paths and leaves the rest as it is", function()
        pair:here("repo", "echo x > a; echo x > d/b; echo x > new; echo x > other; git add other")
        local text, fields = call("git_commit", { message = "some", paths = { "a", "new" } })
        assert.matches("^%[main %x+%] some\n 2 files changed", text)
        assert.equal(pair:here("repo", "git rev-parse HEAD"), fields.commit .. "\n")
        assert.equal("main", fields.branch)
        assert.equal("A  other\n M d/b\n", (pair:here("repo", "git status --short | sort -r"):gsub("^( M d/b\n)(A.*)$", "%2%1")))
    end)

    it("commit takes a message of any length", function()
        pair:here("repo", "echo x > a")
        call("git_commit", { message = "long\n\n" .. ("line of text\n"):rep(50000) })
        assert.equal("50002\n", pair:here("repo", "git log -1 --format=%B | sed '$d' | wc -l"))
    end)

    it("status tells branch, upstream and entries as fields", function()
        pair:here("", "git clone -q repo twin; cd twin; git config user.name x; echo x > a; git commit -qam ahead")
        pair:here("twin", "git mv a b; echo y > d/b; echo u > $'un\\ntracked'")
        local _, fields = call("git_status", { path = "twin" })
        assert.equal("main", fields.branch)
        assert.equal("origin/main", fields.upstream)
        assert.same({ 1, 0 }, { fields.ahead, fields.behind })
        assert.same({
            { path = "b", from = "a", index = "R", worktree = "." },
            { path = "d/b", index = ".", worktree = "M" },
            { path = "un\ntracked", index = "?", worktree = "?" },
        }, fields.entries)
        assert.is_true(fields.complete)
        assert.equal("git: reads the work tree", fields.engine)
    end)

    it("status bounds its entries, not its text", function()
        pair:here("repo", "for i in $(seq 2100); do echo $i > f$i; done")
        local text, fields = call("git_status", {})
        assert.equal(2000, #fields.entries)
        assert.equal(100, fields.entries_left_out)
        assert.matches("\n\tf2100\n", text)
    end)

    it("branch tells branches as fields", function()
        pair:here("", "git clone -q repo twin")
        local _, fields = call("git_branch", { path = "twin" })
        local head, side = pair:here("repo", "git rev-parse main side"):match("(%x+)\n(%x+)")
        assert.equal("native", fields.engine)
        assert.equal("main", fields.current)
        assert.same({
            { name = "main", commit = head, current = true, remote = false, upstream = "origin/main" },
            { name = "origin/HEAD", commit = head, current = false, remote = true, points_to = "origin/main" },
            { name = "origin/main", commit = head, current = false, remote = true },
            { name = "origin/side", commit = side, current = false, remote = true },
        }, fields.branches)
        _, fields = call("git_branch", { path = "twin", name = "new" })
        assert.same({ "new", head }, { fields.created, fields.commit })
    end)

    it("checkout tells where HEAD is", function()
        local _, fields = call("git_checkout", { branch = "v1" })
        assert.same({ true, cjson.null }, { fields.detached, fields.branch })
        _, fields = call("git_checkout", { branch = "-" })
        assert.same({ false, "main" }, { fields.detached, fields.branch })
    end)
end)
