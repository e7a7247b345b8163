local fake_git = require("spec.support.fake_git")
local json = require("json")

local MODES = "N... 100644 100644 100644 aaa bbb "

local OUTPUT = table.concat({
    "# branch.oid abc", "# branch.head main", "# branch.upstream origin/main", "# branch.ab +2 -1",
    "1 M. " .. MODES .. "a b", "2 R. " .. MODES .. "R100 new name", "old name",
    "u UU N... 1 2 3 4 aaa bbb ccc both", "1 .M S.M. 160000 160000 160000 aaa bbb sub", "? l\xE9", "",
}, "\0")

describe("git.status", function()
    local host, status, call

    before_each(function()
        host = fake_git.install()
        status, call = require("git.status"), fake_git.call()
        host.answers["status --porcelain=v2 --branch -z"] = OUTPUT
        host.answers["status"] = "On branch main\n"
    end)

    it("reads where HEAD is and what changed, with the bytes of the paths", function()
        local fields, entries = status.parse(OUTPUT)
        assert.same({ commit = "abc", branch = "main", upstream = "origin/main", ahead = 2, behind = 1 }, fields)
        assert.same({ path = "a b", index = "M", worktree = ".", conflict = false, submodule = false }, entries[1])
        assert.same({ path = "new name", index = "R", worktree = ".", conflict = false, submodule = false, from = "old name" },
            entries[2])
        assert.same({ path = "both", index = "U", worktree = "U", conflict = true, submodule = false }, entries[3])
        assert.same({ true, "sub" }, { entries[4].submodule, entries[4].path })
        assert.same({ path = "l\xE9", index = "?", worktree = "?" }, entries[5])
        assert.equal(5, #entries)
    end)

    it("names no branch of a detached HEAD, and no commit where there is none", function()
        assert.same({ branch = "main" }, (status.parse("# branch.oid (initial)\0# branch.head main\0")))
        assert.same({ commit = "abc" }, (status.parse("# branch.oid abc\0# branch.head (detached)\0")))
        assert.same({}, (status.parse("")))
    end)

    it("tells all of it beside git's own text", function()
        local result = status.run(call)
        assert.equal("On branch main\n", result.content[1])
        local fields = result.structured
        assert.same({ "abc", "main", "origin/main", 2, 1, true, 0, 5 }, { fields.commit, fields.branch, fields.upstream,
            fields.ahead, fields.behind, fields.complete, fields.entries_left_out, #fields.entries })
        assert.same({ path = "both", index = "U", worktree = "U", conflict = true }, fields.entries[3])
        assert.equal("$'l\\xe9'", fields.entries[5].path)
    end)

    it("has a field for what is not there, and a list for no change", function()
        host.answers["status --porcelain=v2 --branch -z"] = "# branch.oid (initial)\0# branch.head main\0"
        local fields = status.run(call).structured
        assert.same({ json.null, json.null, json.null }, { fields.commit, fields.upstream, fields.ahead })
        assert.equal("[]", json.encode(fields.entries))
    end)

    it("bounds its fields, and leaves out an entry that was cut", function()
        local many = {}
        for number = 1, 2001 do many[number] = "? " .. number .. "\0" end
        host.answers["status --porcelain=v2 --branch -z"] = table.concat(many)
        local fields = status.run(call).structured
        assert.same({ 2000, 1, true }, { #fields.entries, fields.entries_left_out, fields.complete })
        host.answers["status --porcelain=v2 --branch -z"] = { stdout = "? whole\0? hal", stdout_truncated = true }
        fields = status.run(call).structured
        assert.same({ 1, "whole", false }, { #fields.entries, fields.entries[1].path, fields.complete })
    end)

    it("says what git says of no repository", function()
        host.answers["status --porcelain=v2 --branch -z"] = { exit_code = 128, stderr = "fatal: not a git repository\n" }
        assert.same({ content = { "fatal: not a git repository\n" }, isError = true }, status.run(call))
    end)
end)
