local program = require("spec.support.program")

local PRELUDE = [[
    local turns, fiber, clock = require("turns"), require("fiber"), require("clock")
    local out = {}
    local function say(...) out[#out + 1] = table.concat({ ... }, " ") end
    local LONG = 86400000
    -- Lets all others go on until they wait.
    local function settle() for _ = 1, 5 do clock.sleep(1) end end
]]

local function run(lines) return program.lua(PRELUDE .. lines .. " return out") end

describe("turns", function()
    it("come in the order of asking, one at a time for each key", function()
        assert.same({ "other has it", "1 has it", "1 leaves", "2 has it", "2 leaves", "3 has it", "3 leaves" }, run([[
            local function work(name, key)
                local turn <close> = turns.take(key, "work", LONG)
                say(name, "has it")
                if key == "a\0b" then
                    clock.sleep(1)
                    say(name, "leaves")
                end
            end
            local first = turns.take("a\0b", "work", LONG)
            for i = 1, 3 do
                fiber.spawn(function() work(i, "a\0b") end)
                settle()
            end
            fiber.spawn(function() work("other", "a\0c") end)
            settle()
            first:leave()
            first:leave()
            while #out < 7 do clock.sleep(1) end
        ]]))
    end)

    it("are given up by who waits too long, who learns whose turn it is", function()
        local result = run([[
            local first = turns.take("a", "a push", LONG)
            local _, message, code = turns.take("a", "a commit", 1)
            say(message)
            say(code)
            first:leave()
            local again <close> = turns.take("a", "next", 1)
            say(again and "free")
        ]])
        assert.matches("^it is the turn of a push, for %d+ s already$", result[1])
        assert.same({ "ETIMEDOUT", "free" }, { result[2], result[3] })
    end)

    it("are lost with a handler that is stopped, while it has one, waits for one, or has just been given one", function()
        assert.same({ "stopped 2", "third has it", "free" }, run([[
            fiber.spawn(function()
                fiber.tag("first")
                local turn <close> = turns.take("a", "first", LONG)
                clock.sleep(LONG)
            end)
            settle()
            fiber.spawn(function()
                fiber.tag("second")
                local turn <close> = turns.take("a", "second", LONG)
                say("second has it")
            end)
            settle()
            fiber.spawn(function()
                local turn <close> = turns.take("a", "third", LONG)
                say("third has it")
            end)
            settle()
            say("stopped", fiber.stop("first", "x") + fiber.stop("second", "x"))
            settle()
            local turn <close> = turns.take("a", "last", LONG)
            fiber.spawn(function()
                fiber.tag("given")
                local mine <close> = turns.take("a", "given", LONG)
                say("given has it")
            end)
            settle()
            turn:leave()
            fiber.stop("given", "x")
            local free <close> = turns.take("a", "free", LONG)
            say("free")
        ]]))
    end)

    it("are lost when they are collected", function()
        assert.same({ "free" }, run([[
            turns.take("a", "dropped", 1)
            collectgarbage()
            local free <close> = turns.take("a", "free", 1)
            say("free")
        ]]))
    end)

    it("are refused to arguments that name none", function()
        assert.same({ "number expected, got nil", "1 to 86400000", "string expected, got nil" }, run([[
            for _, case in ipairs({ { "a", "b" }, { "a", "b", 0 }, { nil, "b", 1 } }) do
                local _, why = pcall(turns.take, case[1], case[2], case[3])
                say(why:match("number expected, got %a+") or why:match("1 to %d+") or why:match("string expected, got %a+"))
            end
        ]]))
    end)
end)
