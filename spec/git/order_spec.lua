local fake_git = require("spec.support.fake_git")

describe("git.order", function()
    local host, order, call, taken, left

    before_each(function()
        host = fake_git.install()
        order, call = require("git.order"), fake_git.call()
        taken, left = {}, 0
        host.turns.take = function(...)
            taken[#taken + 1] = { ... }
            local function leave() left = left + 1 end
            return setmetatable({ leave = leave }, { __close = leave })
        end
    end)

    it("gives work its turn at the repository, that of all its work trees, and leaves it", function()
        call.place = { git_dir = "/w/repo/.git/worktrees/x", common_dir = "/w/repo/.git" }
        host.now = 1000
        local results = table.pack(order.change(call, "git_commit", function(given, a, b)
            assert.equal(call, given)
            assert.equal(0, left)
            return a, b
        end, "one", "two"))
        assert.same({ "one", "two", n = 2 }, results)
        assert.same({ { { "/w/repo/.git", "git_commit", 59000 } }, 1 }, { taken, left })
    end)

    it("takes the directory where no repository was found", function()
        order.change(call, "git_commit", function() end)
        call.cwd = "../x"
        order.change(call, "git_commit", function() end)
        assert.same({ "/w/repo", "../x" }, { taken[1][1], taken[2][1] })
    end)

    it("says whose turn it was when the time is over, and does nothing", function()
        host.turns.take = function() return nil, "it is the turn of git_push, for 60 s already", "ETIMEDOUT" end
        host.now = 60000
        local result, message = order.change(call, "git_commit", function() error("done all the same") end)
        assert.is_nil(result)
        assert.matches("^Error: it is the turn of git_push, for 60 s already%. .* nothing was done%.\ntimeout after 60s$",
            message)
    end)

    it("keeps the turn of a call that is stopped until git has ended and what is left is cleaned up", function()
        local running = 2
        host.process.signal_marked = function(name, marks, signal)
            assert.same({ "SANDSTORM_GIT_RUN", "0123456789abcdef", "0" }, { name, marks[1], signal })
            running = running - 1
            return running
        end
        local cleaned
        assert.has_error(function()
            local turn <close> = order.at(call, "/w/new", "git_clone")
            turn.if_stopped = function() cleaned = { running, left } end
            call:run({ "clone" })
            error("stopped")
        end)
        assert.same({ 0, nil }, { left, cleaned })
        host.spawned[1].handler()
        assert.same({ 1, { 0, 0 } }, { left, cleaned })
    end)

    it("leaves the turn also when cleaning up fails", function()
        host.process.signal_marked = function() return 0 end
        assert.has_error(function()
            local turn <close> = order.at(call, "/w/new", "git_clone")
            turn.if_stopped = function() error("disk") end
            error("stopped")
        end)
        assert.has_error(host.spawned[1].handler)
        assert.equal(1, left)
    end)
end)
