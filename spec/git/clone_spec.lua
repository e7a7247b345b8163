local fake_git = require("spec.support.fake_git")
local json = require("json")

describe("git.clone", function()
    local host, clone, call, there

    before_each(function()
        host = fake_git.install()
        clone, call = require("git.clone"), require("git.program").call("", 60)
        there = { ["/w"] = true }
        host.fs.stat = function(path)
            if there[path] then return { type = "directory" } end
            return nil, path .. ": No such file or directory", "ENOENT"
        end
        host.answers["clone"] = { stderr = "Cloning into 'x'...\n" }
        host.answers["rev-parse"] = "abc\nrefs/heads/main\n"
    end)

    --- Clones to new/deep/x; git makes the folders, says its name, and ends like `run`.
    local function fails(run)
        run.stderr = run.stderr or "Cloning into '/w/new/deep/x'...\n"
        host.asked = {}
        host.answers["clone"] = function()
            for _, path in ipairs({ "/w/new", "/w/new/deep", "/w/new/deep/x" }) do there[path] = true end
            return run
        end
        return clone.run(call, "https://h/x", "new/deep/x")
    end

    --- What was run beside git.
    local function removals()
        local list = {}
        for _, asked in ipairs(host.asked) do
            local words = table.concat(asked.words, " ")
            if words:find("^rm") then list[#list + 1] = words end
        end
        return list
    end

    it("clones to the path that was given, with names that are no options", function()
        local result = clone.run(call, "https://me:pw@h/x", "new/x", "dev")
        assert.same({ "clone --no-hardlinks --branch=dev -- https://me:pw@h/x /w/new/x" }, fake_git.commands(host, "clone"))
        assert.same({ false, "/w/new/x", "https://***@h/x", "main", "abc" }, { result.isError, result.structured.path,
            result.structured.url, result.structured.branch, result.structured.commit })
    end)

    it("tells where git put it when it chose the name itself", function()
        local result = clone.run(call, "https://h/x")
        assert.same({ "clone --no-hardlinks -- https://h/x" }, fake_git.commands(host, "clone"))
        assert.equal("/w/x", result.structured.path)
        host.answers["clone"] = ""
        assert.equal(json.null, clone.run(call, "https://h/x").structured.path)
    end)

    it("refuses addresses and branches that would be options or commands, and paths that lead out", function()
        for _, words in ipairs({ { "--upload-pack=x" }, { "ext::sh -c id" }, { "https://h/x", "y", "-b" } }) do
            assert.has_error(function() clone.run(call, table.unpack(words)) end)
        end
        assert.matches("outside the allowed directory", select(2, clone.run(call, "https://h/x", "../x")))
        host.fs.stat = function() return nil, "Path is outside the allowed directory", "EOUTSIDE" end
        assert.equal("Path is outside the allowed directory", select(2, clone.run(call, "https://h/x", "link/x")))
        assert.same({}, fake_git.commands(host, "clone"))
    end)

    it("removes the folders that git made above a target that failed, the nearest first", function()
        assert.is_true(fails({ exit_code = 128 }).isError)
        assert.same({ "rmdir -- /w/new/deep /w/new" }, removals())
    end)

    it("removes what a git that was killed had begun, and no folder that was there before", function()
        for _, run in ipairs({ { timed_out = true, signal = "SIGKILL" }, { signal = "SIGKILL" } }) do
            there = { ["/w"] = true, ["/w/new"] = true }
            assert.is_true(fails(run).isError)
            assert.same({ "rm -rf -- /w/new/deep/x", "rmdir -- /w/new/deep" }, removals())
        end
        there = { ["/w"] = true, ["/w/new"] = true, ["/w/new/deep"] = true, ["/w/new/deep/x"] = true }
        assert.is_true(fails({ signal = "SIGKILL" }).isError)
        assert.same({}, removals())
    end)

    it("says where a credential belongs", function()
        local result = fails({ exit_code = 128, stderr = "fatal: could not read Username for 'https://h'" })
        assert.matches("^No credential was accepted", result.content[2])
    end)
end)
