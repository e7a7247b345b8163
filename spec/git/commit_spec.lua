local fake_git = require("spec.support.fake_git")
local json = require("json")

describe("git.commit", function()
    local host, commit, call, files

    before_each(function()
        host = fake_git.install()
        commit, call = require("git.commit"), fake_git.call()
        files = {}
        host.fs.read = function(path, options)
            return files[path] and files[path]:sub(options.offset + 1, options.offset + options.limit)
        end
        host.answers["add"] = ""
        host.answers["commit"] = { stdout = "[main abc1234] subject\n" }
        host.answers["rev-parse HEAD"] = "fff\nrefs/heads/main\n"
        host.answers["rev-parse --show-toplevel"] = "/w/repo\n"
        host.answers["rev-parse --verify --quiet --end-of-options abc1234^{commit}"] = "abc1234full0\n"
    end)

    --- The named files are unmerged.
    local function unmerged(...) host.answers["diff"] = table.concat({ ... }, "\0") .. "\0" end

    it("stages everything and commits it, the message by stdin", function()
        local result = commit.run(call, "-m\nsubject")
        assert.same({ "add --all", "commit --file=- --" },
            { fake_git.commands(host, "add")[1], fake_git.commands(host, "commit")[1] })
        for _, asked in ipairs(host.asked) do
            if asked.words[1] == "commit" then assert.equal("-m\nsubject", asked.options.stdin) end
        end
        assert.same({ false, "main", "[]" },
            { result.isError, result.structured.branch, json.encode(result.structured.resolved) })
    end)

    it("commits the given paths alone, whatever they begin with", function()
        commit.run(call, "m", { "-A", "$'l\\xe9'" })
        assert.same({ "add --all -- -A l\xE9", "commit --file=- -- -A l\xE9" },
            { fake_git.commands(host, "add")[1], fake_git.commands(host, "commit")[1] })
    end)

    it("names the commit that it made, not what HEAD is by then", function()
        assert.equal("abc1234", commit.run(call, "m").structured.commit:sub(1, 7))
        host.answers["commit"] = { stdout = "[detached HEAD abc1234] m\n" }
        assert.equal("abc1234", commit.run(call, "m").structured.commit:sub(1, 7))
        host.answers["commit"] = { stdout = "[other def5678] a hook's\n[main abc1234] m\n 1 file changed\n" }
        assert.equal("abc1234", commit.run(call, "m").structured.commit:sub(1, 7))
        host.answers["commit"] = { stdout = "something else\n" }
        assert.equal("fff", commit.run(call, "m").structured.commit)
    end)

    it("commits nothing that could not be staged", function()
        host.answers["add"] = { exit_code = 128, stderr = "fatal: pathspec 'x' did not match any files" }
        assert.is_true(commit.run(call, "m", { "x" }).isError)
        assert.same({}, fake_git.commands(host, "commit"))
    end)

    it("refuses a message that no commit can hold", function()
        assert.matches("^message: .* NUL byte", select(2, commit.run(call, "a\0b")))
        assert.same({}, host.asked)
    end)

    it("refuses files that still hold the marks of a conflict, and stages nothing", function()
        unmerged("a", "clean", "l\xE9")
        files["/w/repo/a"] = "x\n<<<<<<< HEAD\ny\n"
        files["/w/repo/l\xE9"] = "x\n>>>>>>> other"
        files["/w/repo/clean"] = "x\n=======\n"
        local result = commit.run(call, "m")
        assert.is_true(result.isError)
        assert.same({ "a", "$'l\\xe9'" }, result.structured.conflicts)
        assert.matches("\ta\n\t%$'l\\xe9'\n", result.content[1])
        assert.same({}, fake_git.commands(host, "add"))
    end)

    it("says which files it commits as resolved", function()
        unmerged("a", "gone")
        files["/w/repo/a"] = "resolved\n"
        local result = commit.run(call, "m")
        assert.same({ false, { "a", "gone" }, "Committed as resolved: a, gone" },
            { result.isError, result.structured.resolved, result.content[2] })
    end)
end)
