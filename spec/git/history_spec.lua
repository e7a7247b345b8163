local fake_git = require("spec.support.fake_git")
local json = require("json")

local function line(...) return table.concat({ ... }, "\0") .. "\n" end

describe("git.history", function()
    local host, history, call

    before_each(function()
        host = fake_git.install()
        history, call = require("git.history"), fake_git.call()
        host.git.history = function() return nil, "a reason" end
    end)

    it("gives a line for each commit, and the same as fields", function()
        local lines, commits = history.parse(line("aaa", "aa", "bbb ccc", "A", "a@x", "1764504000 +0130", "merge\xFF")
            .. line("bbb", "bb", "", "B", "b@x", "0 -0800", "first"))
        assert.equal("aa merge\xFF\nbb first\n", lines)
        assert.same({ id = "aaa", parents = { "bbb", "ccc" }, author = "A", email = "a@x", date = "2025-11-30T13:30:00+01:30",
            subject = "merge\u{FFFD}" }, commits[1])
        assert.same({ {}, "1969-12-31T16:00:00-08:00" }, { commits[2].parents, commits[2].date })
        assert.is_true(json.is_array(commits[2].parents))
    end)

    it("leaves a date alone that no calendar has", function()
        for _, date in ipairs({ "", "x", "999999999999 +0000", "1 0000" }) do
            local _, commits = history.parse(line("a", "a", "", "", "", date, ""))
            assert.equal(date, commits[1].date)
        end
    end)

    it("shows ten commits, a hundred at most, and none fewer than none", function()
        for given, count in pairs({ [0] = 10, [1] = 1, [100] = 100, [101] = 100, [1 << 60] = 100 }) do
            history.run(call, { n = given })
            assert.matches("^log %-%-max%-count=" .. count .. " ", fake_git.commands(host, "log")[1])
            host.asked = {}
        end
        history.run(call, {})
        assert.matches("max%-count=10 ", fake_git.commands(host, "log")[1])
        assert.has_error(function() history.run(call, { n = -1 }) end)
    end)

    it("gives ref and paths behind the end of options, to the program", function()
        host.git.history = function() error("the program was due") end
        history.run(call, { ref = "a..b", paths = { "-x" } })
        assert.matches(" %-%-end%-of%-options a%.%.b %-%- %-x$", fake_git.commands(host, "log")[1])
        assert.equal("git: a ref is given", call.engine)
        history.run(call, { paths = { "x" } })
        assert.equal("git: paths are given", call.engine)
        assert.has_error(function() history.run(call, { ref = "--all" }) end)
    end)

    it("asks the engine of this process where it can, with the count", function()
        host.git.history = function(cwd, count)
            assert.same({ "repo", 3 }, { cwd, count })
            return line("aaa", "aa", "", "A", "", "0 +0000", "s")
        end
        local result = history.run(call, { n = 3 })
        assert.same({ "aa s\n", "native", 1 }, { result.content[1], result.structured.engine, #result.structured.commits })
        assert.same({}, host.asked)
    end)

    it("says what git says of no repository", function()
        host.answers["log"] = { exit_code = 128, stderr = "fatal: not a git repository" }
        assert.same({ content = { "fatal: not a git repository" }, isError = true }, history.run(call, {}))
    end)
end)
