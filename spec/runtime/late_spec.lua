--- Answers that come when nobody waits for them any more.
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

describe("L04 what comes after its handler", function()
    -- In each round handlers wait for all kinds of things, among them such that end at the very time; then they are stopped, or
    -- have raised an error themselves, and their states are collected before the answers come.
    local ROUNDS = [[
        local fiber, clock, process = require("fiber"), require("clock"), require("process")
        local fs, inbox, shared = require("fs"), require("inbox"), require("shared")
        local waits = {
            function(i) clock.sleep(i % 5) end,
            function(i) process.run({ command = "sleep 0.0" .. i % 5 .. "; echo x" }) end,
            function() fs.read("large") end,
            function() fs.write("other", ("x"):rep(300000)) end,
            function(i)
                local box <close> = inbox.open()
                box:listen("nobody")
                box:take(i % 5)
            end,
            function(i)
                process.start({ command = "sleep 0.0" .. i % 5 .. "; echo x" })
                error("no more")
            end,
        }
        fs.write("large", ("x"):rep(3000000))
        local stopped = 0
        for round = 1, 20 do
            for i = 1, 60 do
                fiber.spawn(function()
                    fiber.tag("round " .. round)
                    waits[i % #waits + 1](i)
                    shared.add("over", 1, 600000)
                end)
            end
            clock.sleep(round % 4)
            stopped = stopped + fiber.stop("round " .. round, "enough")
            collectgarbage()
        end
        process.run({ command = "sleep 0.1" })
        collectgarbage()
        return { stopped > 0, process.run({ command = "echo well" }).stdout, #fs.read("large") }
    ]]

    it("disturbs nobody", function()
        local result = program.run({
            args = { "run", "--script-cpu-ms", "60000", "--call-deadline-ms", "60000", tmp.file("chunk.lua", ROUNDS) },
        })
        assert.equal('[true,"well\\n",3000000]\n', result.stdout, result.stderr)
    end)
end)
