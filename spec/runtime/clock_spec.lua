local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

describe("clock", function()
    it("waits at least as long as asked, zero and fractions too", function()
        local result = program.lua([[
            local clock, out = require("clock"), {}
            for i, ms in ipairs({ 0, 0.5, 1, 15 }) do
                local before = clock.monotonic_ms()
                out[i] = { clock.sleep(ms) == nil, clock.monotonic_ms() - before >= ms }
            end
            return out
        ]])
        assert.same({ { true, true }, { true, true }, { true, true }, { true, true } }, result)
    end)

    it("ends a wait at the deadline of the call", function()
        local file = tmp.file("chunk.lua", 'require("clock").sleep(86400000) return "slept"')
        local result = program.run({ args = { "run", "--call-deadline-ms", "100", file } })
        assert.equal(1, result.code)
        assert.equal("", result.stdout)
        assert.not_equal("", result.stderr)
    end)

    it("a stopped wait raises through pcall", function()
        local file = tmp.file("chunk.lua", 'while true do pcall(require("clock").sleep, 86400000) end')
        local result = program.run({ args = { "run", "--call-deadline-ms", "100", file } })
        assert.equal(1, result.code)
    end)

    it("tells wall time as number and text", function()
        local before = os.time()
        local result = program.lua([[
            local clock = require("clock")
            return { clock.now_ms(), clock.iso(), math.type(clock.now_ms()), math.type(clock.monotonic_ms()) }
        ]])
        local after = os.time()
        assert.is_true(result[1] // 1000 >= before and result[1] // 1000 <= after, result[1])
        assert.matches("^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%dZ$", result[2])
        local text = result[2]:sub(1, 19)
        assert.is_true(text >= os.date("!%Y-%m-%dT%H:%M:%S", before) and text <= os.date("!%Y-%m-%dT%H:%M:%S", after), text)
        assert.same({ "integer", "float" }, { result[3], result[4] })
    end)

    it("goes only forward", function()
        assert.is_true(program.lua([[
            local clock = require("clock")
            local last = clock.monotonic_ms()
            for _ = 1, 10000 do
                local now = clock.monotonic_ms()
                if now < last then return false end
                last = now
            end
            return true
        ]]))
    end)

    it("names function, what is expected and what came", function()
        local result = program.lua([[
            local clock, out = require("clock"), {}
            for i, ms in ipairs({ -1, 86400001, 0 / 0, math.huge, "1", {} }) do out[i] = select(2, pcall(clock.sleep, ms)) end
            out[7] = select(2, pcall(clock.sleep))
            return out
        ]])
        local expected = "^clock%.sleep: expected milliseconds from 0 to 86400000, got "
        for i, got in ipairs({ "%-1$", "86400001$", "%-?nan$", "inf$", "1$", "table: ", "nil$" }) do
            assert.matches(expected .. got, result[i])
        end
    end)
end)
