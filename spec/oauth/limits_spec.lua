local fake_host = require("spec.support.fake_host")

describe("oauth.limits", function()
    local host, limits

    before_each(function()
        host = fake_host.install()
        limits = require("oauth.limits")
    end)

    local function fail(network, times)
        for _ = 1, times do limits.password_failed(network) end
    end

    it("holds a network after five wrong passwords until its minute is over, and no other network", function()
        fail("a", 4)
        assert.is_nil(limits.password_wait("a"))
        fail("a", 1)
        assert.equal(60, limits.password_wait("a"))
        assert.is_nil(limits.password_wait("b"))
        host.now = host.now + 59001
        assert.equal(1, limits.password_wait("a"))
        host.now = host.now + 999
        assert.is_nil(limits.password_wait("a"))
    end)

    it("counts the minute from the first failure, so that trying on does not lengthen it", function()
        fail("a", 5)
        host.now = host.now + 50000
        fail("a", 5)
        assert.equal(10, limits.password_wait("a"))
    end)

    it("slows everybody down by a second while many networks guess", function()
        for network = 1, 30 do fail("n" .. network, 1) end
        limits.slow_down()
        assert.equal(0, host.now)
        fail("one more", 1)
        limits.slow_down()
        assert.equal(1000, host.now)
    end)

    it("lets 120 failed calls a minute of one network pass", function()
        for _ = 1, 120 do assert.is_nil(limits.call_failed("a")) end
        assert.equal(60, limits.call_failed("a"))
        assert.is_nil(limits.call_failed("b"))
        host.now = host.now + 60000
        assert.is_nil(limits.call_failed("a"))
    end)

    it("counts whom it holds", function()
        fail("a", 5)
        limits.password_wait("b")
        assert.same({}, host.figures)
        limits.password_wait("a")
        for _ = 1, 121 do limits.call_failed("c") end
        assert.same({ { "add", "sandstorm_limited_total", { what = "passwords" } },
            { "add", "sandstorm_limited_total", { what = "token calls" } } }, host.figures)
    end)

    it("holds nobody when the counters have no room", function()
        host.shared.add = function() return nil end
        assert.is_nil(limits.call_failed("a"))
    end)
end)
