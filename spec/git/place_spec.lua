local fake_git = require("spec.support.fake_git")
local json = require("json")

describe("git.place", function()
    local host, place, call

    before_each(function()
        host = fake_git.install()
        place, call = require("git.place"), fake_git.call()
    end)

    it("tells branch and commit, a detached HEAD, and a branch without commits", function()
        host.answers["rev-parse"] = "abc123\nrefs/heads/feature/x\n"
        assert.same({ commit = "abc123", branch = "feature/x" }, place.head(call))
        host.answers["rev-parse"] = "abc123\nHEAD\n"
        assert.same({ commit = "abc123" }, place.head(call))
        host.answers = { ["symbolic-ref"] = "refs/heads/main\n" }
        assert.same({ branch = "main" }, place.head(call))
        host.answers = {}
        assert.same({}, place.head(call))
    end)

    it("asks in another directory where it is told to", function()
        place.head(call, "other")
        for _, asked in ipairs(host.asked) do assert.equal("other", asked.options.cwd) end
        assert.equal(2, #host.asked)
    end)

    it("tells the commit that a revision means, which is never an option", function()
        host.answers["rev-parse --verify --quiet --end-of-options -x^{commit}"] = "abc123\n"
        assert.equal("abc123", place.commit(call, "-x"))
        assert.is_nil(place.commit(call, "y"))
    end)

    it("lists each unmerged path once, whatever its bytes", function()
        host.answers["diff"] = "a b\0a b\0l\xE9\0"
        assert.same({ "a b", "l\xE9" }, place.unmerged(call))
        host.answers = {}
        assert.same({}, place.unmerged(call))
    end)

    it("gives lists that are lists when empty, and fields that are there when nil", function()
        assert.equal("[]", json.encode(place.shown({})))
        assert.same({ "a", "$'l\\xe9'" }, place.shown({ "a", "l\xE9" }))
        assert.equal(json.null, place.or_null(nil))
        assert.is_false(place.or_null(false))
    end)
end)
