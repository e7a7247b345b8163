local program = require("spec.support.program")
local tmp = require("spec.support.tmp")
local uv = require("luv")

describe("the command line", function()
    it("says so when its output cannot be written", function()
        for _, args in ipairs({ { "check" }, { "--help" }, { "--version" }, { "call", "file_list" } }) do
            local result = program.run({ args = args, wrap = { "sh", "-c", 'exec "$@" >/dev/full', "sh" } })
            assert.equal(1, result.code)
            assert.equal("sandstorm-mcp: cannot write to stdout\n", result.stderr)
        end
    end)

    it("takes each argument of a tool once", function()
        for _, args in ipairs({ { "path=a", "path=b" }, { "path=a", "--json", '{"path":"b"}' } }) do
            local result = program.run({ args = { "call", "file_mkdir", table.unpack(args) } })
            assert.equal(1, result.code)
            assert.equal("", result.stdout)
            assert.matches('argument "path" is given twice; give each name once', result.stderr, 1, true)
            assert.equal("", tmp.shell("ls -A " .. tmp.quote(result.workspace)))
        end
        local both = program.run({ args = { "call", "file_write", "path=a", "--json", '{"content":"x=y"}' } })
        assert.equal("x=y", tmp.read(both.workspace .. "/a"), both.stderr)
        local twice = program.run({ args = { "call", "file_write", "path=a", "content=x=y" } })
        assert.equal("x=y", tmp.read(twice.workspace .. "/a"))
    end)

    it("waits for no function that was spawned beside", function()
        local result = program.lua([[
            local fiber, clock = require("fiber"), require("clock")
            fiber.spawn(function() clock.sleep(86400000) end)
            clock.sleep(10)
            return "over"
        ]])
        assert.equal("over", result)
    end)

    for _, name in ipairs({ "sigint", "sigterm", "sighup" }) do
        it("that is ended by " .. name .. " takes what it waits for with it", function()
            local mark = tmp.dir("cli") .. "/pid"
            local process = program.spawn({
                args = { "call", "terminal_exec", ("command=echo $$ > %s; sleep 300"):format(mark) },
            })
            local child
            assert.is_true(program.wait_until(function()
                child = uv.fs_stat(mark) and tonumber(tmp.read(mark))
                return child ~= nil
            end))
            process:signal_with(name)
            local code, signal = process:wait()
            assert.same({ 0, uv.constants[name:upper()] }, { code, signal })
            assert.is_true(program.wait_until(function() return uv.kill(child, 0) == nil end))
        end)
    end
end)
