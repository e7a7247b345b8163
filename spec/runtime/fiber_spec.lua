local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

-- Runs a chunk with small limits; returns the process.
local function run(code, more)
    local args = { "run", "--script-cpu-ms", "200", "--call-deadline-ms", "5000", "--lua-memory", "16M" }
    table.move(more or {}, 1, #(more or {}), #args + 1, args)
    args[#args + 1] = tmp.file("chunk.lua", code)
    return program.run({ args = args })
end

local function stopped_for(code, reason)
    local result = run(code)
    assert.equal(1, result.code)
    assert.equal("", result.stdout)
    assert.matches(reason, result.stderr, 1, true)
end

local COMPUTED = "stopped: it computed for more than 200 ms"
local MEMORY = "stopped: the scripts hold all the memory they may"

describe("fiber", function()
    describe("stops code that computes without end", function()
        local cases = {
            ["L01 a loop"] = "while true do end",
            ["L01 a loop in a pcall"] = "pcall(function() while true do end end)",
            ["L01 a coroutine that never yields"] = "coroutine.wrap(function() while true do end end)()",
            ["L02 a pcall that is repeated for ever"] = "while true do pcall(function() while true do end end) end",
            ["L02 an xpcall whose handler loops"] =
                "xpcall(function() while true do end end, function() while true do end end)",
            ["L02 a handler that loops for an ordinary error"] = "xpcall(error, function() while true do end end)",
            ["L02 endless coroutines that are resumed for ever"] = [[
                while true do coroutine.resume(coroutine.create(function() while true do end end)) end]],
            ["L02 endless coroutines that are wrapped for ever"] = [[
                while true do pcall(coroutine.wrap(function() while true do end end)) end]],
            ["L02 a __close handler that loops"] = [[
                local x <close> = setmetatable({}, { __close = function() while true do end end })
                error("e")]],
            ["L02 a __close handler that loops after a stop"] = [[
                local x <close> = setmetatable({}, { __close = function() while true do end end })
                while true do end]],
            ["L02 a __close handler that loops in a coroutine"] = [[
                coroutine.wrap(function()
                    local x <close> = setmetatable({}, { __close = function() while true do end end })
                    while true do end
                end)()]],
            ["a comparison in table.sort that loops"] = "table.sort({ 3, 2, 1 }, function() while true do end end)",
            ["an xpcall in table.sort whose handler loops"] = [[
                local function forever() while true do end end
                table.sort({ 3, 2, 1 }, function() xpcall(forever, forever) end)]],
            ["a metamethod that loops"] = [[
                return setmetatable({}, { __index = function() while true do end end }).x]],
        }
        for name, code in pairs(cases) do
            it(name, function() stopped_for(code, COMPUTED) end)
        end
    end)

    it("lets nobody else have a turn in what is done at once, however long it takes", function()
        local result = program.lua([[
            local fiber, clock = require("fiber"), require("clock")
            local order = {}
            -- Computes until somebody else had a turn, at most for many slices of the processor's time.
            local function compute(name)
                local stop = os.clock() + 0.5
                while #order == 0 and os.clock() < stop do end
                order[#order + 1] = name
                return name, nil, 3
            end
            local function turns(work)
                order = {}
                fiber.spawn(function() order[#order + 1] = "other" end)
                local count = select("#", work(compute, "own"))
                while #order < 2 do clock.sleep(1) end
                return table.concat(order, " ") .. " " .. count
            end
            return { turns(fiber.at_once), turns(function(work, name) return work(name) end),
                     (select(2, pcall(fiber.at_once, clock.sleep, 1))), (select(2, pcall(fiber.at_once, 5))) }
        ]])
        assert.equal("own other 3", result[1])
        assert.equal("other own 3", result[2])
        assert.matches("cannot wait inside a function that C calls back", result[3])
        assert.matches("function expected", result[4])
    end)

    it("L02 refuses __gc, which no hook could stop", function()
        stopped_for("setmetatable({}, { __gc = function() end })", "__gc is not available")
    end)

    it("names file and line of what it stopped", function()
        stopped_for("local x = 1\nwhile true do x = x + 1 end", "chunk.lua:2: " .. COMPUTED)
    end)

    it("gives results of code that was preempted many times", function()
        local result = run([[
            local function pass(...) return ... end
            local function sum(...) local s = 0 for _, v in ipairs({ ... }) do s = s + v end return s end
            local total, n = 0, 60000
            for i = 1, n do total = total + sum(pass(i, 1, pass(2, 3, pass(4)))) end
            return total == n * (n + 1) // 2 + n * 10
        ]], { "--script-cpu-ms", "20000" })
        assert.equal("true\n", result.stdout, result.stderr)
    end)

    it("answers others while one computes", function()
        local result = run([[
            local fiber, clock, inbox = require("fiber"), require("clock"), require("inbox")
            local box <close> = inbox.open()
            box:listen("x")
            fiber.spawn(function() for _ = 1, 3 do clock.sleep(1) end inbox.deliver("x", "between") end)
            fiber.spawn(function() while true do end end, { cpu_ms = 3000 })
            return { box:take(60000) }
        ]], { "--script-cpu-ms", "20000" })
        assert.equal('["x","between"]\n', result.stdout, result.stderr)
    end)

    it("answers others although many compute: not each of them has a slice before", function()
        local result = run([[
            local fiber, clock = require("fiber"), require("clock")
            local begun, over = 0, false
            for _ = 1, 300 do
                fiber.spawn(function()
                    begun = begun + 1
                    while not over do end
                end, { cpu_ms = 20000 })
            end
            clock.sleep(1)
            over = true
            return begun
        ]], { "--script-cpu-ms", "20000" })
        assert.is_true(tonumber(result.stdout) < 300, result.stdout .. result.stderr) -- it woke before the last began
    end)

    it("spawns a bounded number", function()
        local result = run([[
            local fiber, clock, many = require("fiber"), require("clock"), 0
            local ok, why
            repeat
                ok, why = pcall(fiber.spawn, function() clock.sleep(60000) end)
                many = many + 1
            until not ok
            return { many, why }
        ]], { "--lua-memory", "256M", "--script-cpu-ms", "20000" })
        assert.equal('[10000,"fiber.spawn: 10000 handlers run already, which is the limit"]\n', result.stdout, result.stderr)
    end)

    describe("ends with a clear error", function()
        local cases = {
            ["a deadline"] = { 'require("clock").sleep(86400000)', "stopped: the call took longer than its deadline" },
            ["a deadline under pcall"] = { 'while true do pcall(require("clock").sleep, 86400000) end',
                "stopped: the call took longer than its deadline" },
            ["yielding to nobody"] = { "coroutine.yield(1)", "attempt to yield from outside a coroutine" },
            ["waiting in a metamethod that C calls"] = { [[
                tostring(setmetatable({}, { __tostring = function() require("clock").sleep(1) end }))]],
                "cannot wait inside a function that C calls back, such as the metamethod __tostring" },
            ["waiting in a coroutine that such a metamethod resumes"] = { [[
                tostring(setmetatable({}, { __tostring = function() coroutine.wrap(require("clock").sleep)(1) end }))]],
                "cannot wait inside a function that C calls back, such as the metamethod __tostring" },
            ["a memory bomb"] = { 'local t = {} while true do t[#t + 1] = ("x"):rep(100000) .. #t end', MEMORY },
            ["a memory bomb in a pcall that is repeated for ever"] = { [[
                local t = {}
                while true do pcall(function() while true do t[#t + 1] = ("x"):rep(100000) .. #t end end) end]], MEMORY },
            ["a memory bomb in coroutines that are resumed for ever"] = { [[
                local t = {}
                local function fill() while true do t[#t + 1] = ("x"):rep(100000) .. #t end end
                while true do coroutine.resume(coroutine.create(fill)) end]], MEMORY },
            ["a string that doubles"] = { 'local s = "x" while true do s = s .. s end', MEMORY },
            ["deep recursion"] = { "local function f() return 1 + f() end return f()", "stack overflow", "--lua-memory", "256M" },
            ["deep recursion through metamethods"] = { [[
                local t = setmetatable({}, {})
                getmetatable(t).__index = function(_, k) return t[k .. 1] end
                return t.x]], "C stack overflow" },
            ["os.exit"] = { "os.exit(0)", "os.exit is not available" },
            ["a raised string"] = { 'error("boom")', "chunk.lua:1: boom" },
            ["a raised table"] = { "error({ code = 1 })", "table: " },
            ["a raised nil"] = { "error(nil)", "nil" },
            ["an error after an error in __close"] = { [[
                local x <close> = setmetatable({}, { __close = function() error("second") end })
                error("first")]], "second" },
            ["a global"] = { "leaked = 1", "assigning the global 'leaked': nothing outlives a request" },
            ["a precompiled chunk"] = { 'assert(load("\\27Lua", "x", "b"))', "attempt to load a binary chunk" },
        }
        for name, case in pairs(cases) do
            it(name, function()
                local limits = { table.unpack(case, 3) }
                for _, word in ipairs(case[2]:find("deadline", 1, true) and { "--call-deadline-ms", "300" }
                    or { "--call-deadline-ms", "60000", "--script-cpu-ms", "60000" }) do limits[#limits + 1] = word end
                local result = run(case[1], limits)
                assert.equal(1, result.code)
                assert.matches(case[2], result.stderr, 1, true)
            end)
        end
    end)

    it("L04 a thousand handlers wait and collect garbage at the same time, each gets its own", function()
        local result = run([[
            local fiber, clock, shared, inbox = require("fiber"), require("clock"), require("shared"), require("inbox")
            local box <close> = inbox.open()
            box:listen("done")
            local n = 1000
            for i = 1, n do
                fiber.spawn(function()
                    local mine = { i }
                    clock.sleep(i % 7)
                    if i % 50 == 0 then collectgarbage() end
                    clock.sleep(i % 3)
                    assert(mine[1] == i)
                    if shared.add("sum", i, 60000) and shared.add("n", 1, 60000) == n then inbox.deliver("done", "all") end
                end)
            end
            local _, what = box:take(60000)
            return { what, shared.get("sum") }
        ]], { "--call-deadline-ms", "60000", "--script-cpu-ms", "20000" })
        assert.equal('["all","500500"]\n', result.stdout, result.stderr)
    end)

    it("stops others by name, and tells how many", function()
        local result = run([[
            local fiber, clock, inbox = require("fiber"), require("clock"), require("inbox")
            local box <close> = inbox.open()
            box:listen("end")
            for _ = 1, 2 do
                fiber.spawn(function()
                    fiber.tag("sleepers")
                    local x <close> = setmetatable({}, { __close = function() inbox.deliver("end", "closed") end })
                    while true do pcall(clock.sleep, 86400000) end
                end)
            end
            clock.sleep(1)
            local count = fiber.stop("sleepers", "enough")
            return { count, select(2, box:take(5000)), select(2, box:take(5000)), fiber.stop("sleepers", "again") }
        ]])
        assert.equal('[2,"closed","closed",0]\n', result.stdout, result.stderr)
    end)

    it("lets a stopped handler close its variables, however long a step of that takes", function()
        local result = run([[
            local fiber, clock, inbox = require("fiber"), require("clock"), require("inbox")
            local box <close> = inbox.open()
            box:listen("end")
            local big = ("x"):rep(4 * 1024 * 1024)
            for _ = 1, 10 do -- each takes several slices, and at the end of the last the timer has its say
                fiber.spawn(function()
                    fiber.tag("sleeper")
                    local x <close> = setmetatable({}, { __close = function()
                        local size = 0
                        for _ = 1, 15 do size = size + #big:upper() // 1024 // 1024 end
                        inbox.deliver("end", "closed " .. size)
                    end })
                    clock.sleep(86400000)
                end)
                clock.sleep(1)
                fiber.stop("sleeper", "enough")
                if select(2, box:take(5000)) ~= "closed 60" then return "cut short" end
            end
            return "closed"
        ]], { "--script-cpu-ms", "60000", "--call-deadline-ms", "60000" })
        assert.equal('"closed"\n', result.stdout, result.stderr)
    end)

    it("tells the time left, and refuses wrong arguments by name", function()
        local result = run([[
            local fiber = require("fiber")
            local left = fiber.time_left()
            return {
                left > 0 and left <= 5000,
                select(2, pcall(fiber.spawn, 1)),
                select(2, pcall(fiber.spawn, print, { cpu_ms = 0 })),
                select(2, pcall(fiber.stop, "x")),
            }
        ]])
        assert.matches("^%[true,", result.stdout)
        assert.matches("function expected, got number", result.stdout, 1, true)
        assert.matches("fiber.spawn: cpu_ms: expected 1 to 86400000 ms", result.stdout, 1, true)
        assert.matches("bad argument #2 to 'fiber.stop'", result.stdout, 1, true)
    end)
end)
