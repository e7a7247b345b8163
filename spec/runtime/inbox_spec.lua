local program = require("spec.support.program")

describe("inbox", function()
    it("queues what is delivered before and while somebody waits, in order", function()
        local result = program.lua([[
            local inbox, fiber, clock = require("inbox"), require("fiber"), require("clock")
            local box <close> = inbox.open()
            local out = { box:listen("a"), box:listen("b"), inbox.deliver("a", "1"), inbox.deliver("b", "2\0") }
            fiber.spawn(function() clock.sleep(5) inbox.deliver("a", "3") end)
            for _ = 1, 3 do
                local key, message = box:take(60000)
                out[#out + 1] = key .. "=" .. message
            end
            return out
        ]])
        assert.same({ true, true, true, true, "a=1", "b=2\0", "a=3" }, result)
    end)

    it("gives up after the time, and delivers to nobody", function()
        local result = program.lua([[
            local inbox = require("inbox")
            local box = inbox.open()
            box:listen("a")
            local out = { select(2, box:take(5)), select(3, box:take(5)), inbox.deliver("other", "x") }
            box:close()
            box:close()
            out[#out + 1] = inbox.deliver("a", "x")
            out[#out + 1] = select(2, pcall(box.take, box, 5))
            return out
        ]])
        assert.same({ "no message came in time", "ETIMEDOUT", false, false, "the inbox is closed" }, result)
    end)

    it("has one inbox for a key, and bounds", function()
        local result = program.lua([[
            local inbox = require("inbox")
            local one <close> = inbox.open()
            local two <close> = inbox.open()
            local out = { one:listen("a"), two:listen("a"), one:listen("a") }
            local keys = 0
            while two:listen("k" .. keys) do keys = keys + 1 end
            local messages = 0
            while inbox.deliver("a", "x") do messages = messages + 1 end
            out[4], out[5] = keys, messages
            return out
        ]])
        assert.same({ true, false, false, 64, 64 }, result)
    end)

    it("frees the key when the inbox is collected or its handler is stopped", function()
        local result = program.lua([[
            local inbox, fiber, clock = require("inbox"), require("fiber"), require("clock")
            inbox.open():listen("lost")
            collectgarbage()
            fiber.spawn(function()
                fiber.tag("w")
                local box <close> = inbox.open()
                box:listen("held")
                box:take(86400000)
            end)
            clock.sleep(1)
            local out = { inbox.deliver("lost", "x"), fiber.stop("w", "test") }
            clock.sleep(1)
            out[3] = inbox.deliver("held", "x")
            return out
        ]])
        assert.same({ false, 1, false }, result)
    end)
end)
