local program = require("spec.support.program")

describe("shared", function()
    it("stores, replaces, takes and removes bytes of any kind", function()
        local result = program.lua([[
            local shared = require("shared")
            local key = "k\0\255"
            return {
                shared.put(key, "a\0b", 60000), shared.get(key) == "a\0b", shared.put(key, "second", 60000), shared.get(key),
                shared.put_new(key, "third", 60000), shared.take(key), shared.get(key) == nil, shared.take(key) == nil,
                shared.put_new(key, "fourth", 60000), shared.remove(key), shared.remove(key), shared.ttl(key) == nil,
            }
        ]])
        assert.same({ true, true, true, "second", false, "second", true, true, true, true, false, true }, result)
    end)

    it("forgets what has expired", function()
        local result = program.lua([[
            local shared, clock = require("shared"), require("clock")
            shared.put("short", "x", 1)
            shared.put("long", "y", 60000)
            local before = shared.ttl("long")
            clock.sleep(20)
            return { shared.get("short") == nil, shared.get("long"), before <= 60000, shared.put_new("short", "z", 60000) }
        ]])
        assert.same({ true, "y", true, true }, result)
    end)

    it("counts in a fixed window", function()
        local result = program.lua([[
            local shared, clock = require("shared"), require("clock")
            local a, b = shared.add("n", 2, 50), shared.add("n", -5, 60000)
            clock.sleep(80)
            return { a, b, shared.add("n", 1, 60000) }
        ]])
        assert.same({ 2, -3, 1 }, result)
    end)

    it("stays within its bounds: what expires first goes first", function()
        local result = program.lua([[
            local shared = require("shared")
            shared.put("a soon", "lost", 60000)
            for i = 1, 65535 do shared.put("a filler" .. i, "", 600000 + i) end
            local mib = ("x"):rep(1 << 20)
            local big = shared.put("a big", ("x"):rep(4 << 20), 60000)
            for i = 1, 40 do shared.put("a mib" .. i, mib, 7200000 + i) end
            return { shared.get("a soon") == nil, shared.get("a filler1") == nil, big,
                shared.get("a mib1") == nil, #shared.get("a mib40"), shared.put("a", ("x"):rep((4 << 20) - 1), 60000) }
        ]])
        assert.same({ true, true, false, true, 1 << 20, true }, result)
    end)

    it("takes nothing from other areas than the one that holds most", function()
        local result = program.lua([[
            local shared, out = require("shared"), {}
            shared.put("few/soon", "kept", 60000)
            shared.put("one", "kept", 60000)
            for i = 1, 70000 do shared.put("many " .. i, "", 86400000) end
            out[1], out[2] = shared.get("few/soon"), shared.get("one")
            for i = 1, 70 do shared.put("large " .. i, ("x"):rep(1 << 20), 86400000) end
            out[3], out[4], out[5] = shared.get("few/soon"), shared.get("one"), shared.get("many 70000")
            for i = 1, 100 do shared.put("word" .. i .. " x", "", 60000) end -- more words than areas
            out[6], out[7] = shared.get("few/soon"), shared.get("word100 x")
            return out
        ]])
        assert.same({ "kept", "kept", "kept", "kept", "", "kept", "" }, result)
    end)

    it("raises for wrong arguments", function()
        local result = program.lua([[
            local shared, out = require("shared"), {}
            for i, call in ipairs({
                function() shared.put("k", "v") end, function() shared.put("k", "v", 0) end,
                function() shared.put({}, "v", 1) end, function() shared.add("k", "x", 1) end,
            }) do out[i] = select(2, pcall(call)) end
            return out
        ]])
        assert.matches("#3 to 'put' %(number expected, got no value%)", result[1])
        assert.matches("expected 1 to 34560000000 milliseconds", result[2], 1, true)
        assert.matches("#1 to 'put' %(string expected, got table%)", result[3])
        assert.matches("#2 to 'add' %(number expected, got string%)", result[4])
    end)
end)
