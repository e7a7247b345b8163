local fake_git = require("spec.support.fake_git")

describe("git.target", function()
    local host, target, there

    before_each(function()
        host = fake_git.install()
        target = require("git.target")
        there = { ["/w"] = true }
        host.fs.resolve = function(path)
            if path:find("..", 1, true) then return nil, "outside", "EOUTSIDE" end
            return path:sub(1, 1) == "/" and path or "/w/" .. path
        end
        host.fs.stat = function(path)
            if there[path] then return { type = "directory" } end
            return nil, path .. ": No such file or directory", "ENOENT"
        end
    end)

    -- What was run to remove something, as texts.
    local function removals()
        local list = {}
        for position, asked in ipairs(host.asked) do list[position] = table.concat(asked.words, " ") end
        return list
    end

    it("is the path that the agent gave, if it lies in the workspace", function()
        assert.equal("/w/a/b", target.of("a/b"):where())
        assert.same({ nil, "outside" }, { target.of("../x") })
    end)

    it("is known from git's own words where git chooses", function()
        local chosen = target.of(nil)
        assert.is_nil(chosen:where())
        chosen:hear("Cloning in")
        chosen:hear("to 'name'...\nremote: Cloning into 'other'...\n")
        assert.equal("/w/name", chosen:where())
    end)

    it("is removed as a whole, with the folders that were missing above it, when git was killed", function()
        local new = target.of("a/b/c")
        there["/w/a"], there["/w/a/b"], there["/w/a/b/c"] = true, true, true
        new:hear("Cloning into 'a/b/c'...\n")
        new:clean_up(true)
        assert.same({ "rm -rf -- /w/a/b/c", "rmdir -- /w/a/b /w/a" }, removals())
    end)

    it("loses only its content when it was there, and nothing before git found it empty", function()
        there["/w/old"] = true
        local old = target.of("old")
        old:clean_up(true)
        assert.same({}, removals())
        old:hear("Cloning into 'old'...\n")
        old:clean_up(true)
        assert.same({ "find /w/old/ -mindepth 1 -delete" }, removals())
    end)

    it("is left to git itself when that failed of its own accord", function()
        local new = target.of("a/b")
        there["/w/a"], there["/w/a/b"] = true, true
        new:clean_up(false)
        assert.same({ "rmdir -- /w/a" }, removals())
    end)

    it("keeps a directory of the name that git chose", function()
        host.fs.list = function() return { entries = { { name = "name" } } } end
        local chosen = target.of("")
        there["/w/name"] = true
        chosen:hear("Cloning into 'name'...\n")
        chosen:clean_up(true)
        assert.same({ "find /w/name/ -mindepth 1 -delete" }, removals())
    end)

    it("is removed when its call was stopped, unless all was settled", function()
        local kept, stopped = target.of("a"), target.of("a")
        kept:keep()
        there["/w/a"] = true
        kept:give_up()
        assert.same({}, removals())
        stopped:hear("Cloning into 'a'...\n")
        stopped:give_up()
        stopped:give_up()
        assert.same({ "rm -rf -- /w/a" }, removals())
    end)
end)
