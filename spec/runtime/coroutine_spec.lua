--- Coroutines of scripts: as stock Lua's, and pauses and waits pass through them.
local program = require("spec.support.program")
local same_lua = require("spec.support.same_lua")

-- In stock Lua a wait is nothing; `spin` computes for several slices, so that the program pauses in it.
local PREFIX = [==[
    local found, clock = pcall(require, "clock")
    local wait = found and function() clock.sleep(1) end or function() end
    local function spin()
        local ends = os.clock() + 0.04
        while os.clock() < ends do end
        wait()
    end
    local lines = {}
    local function add(...)
        local t = table.pack(...)
        for i = 1, t.n do t[i] = tostring(t[i]):gsub("0x%x+", "ADDRESS") end
        lines[#lines + 1] = table.concat(t, " ")
    end
]==]

local CASES = {
    ["values go in and out"] = [==[
        local co = coroutine.create(function(a, b)
            spin()
            add("in", a, b)
            local x, y = coroutine.yield(1, nil, 3)
            spin()
            add("got", x, y, coroutine.yield())
            return "done", nil
        end)
        add(coroutine.resume(co, "a", "b"))
        add(coroutine.resume(co, nil, "y"))
        add(coroutine.resume(co, 7))
        add(coroutine.resume(co))
    ]==],
    ["the state is what the script sees"] = [==[
        local outer
        local inner = coroutine.create(function()
            spin()
            add(coroutine.status(outer), coroutine.isyieldable(), select(2, coroutine.running()))
            add(coroutine.resume(outer))
            add(pcall(coroutine.close, outer))
            coroutine.yield()
        end)
        outer = coroutine.create(function()
            add(coroutine.status(outer), coroutine.status(inner))
            coroutine.resume(inner)
            add(coroutine.status(inner))
            spin()
        end)
        add(coroutine.status(outer))
        coroutine.resume(outer)
        add(coroutine.status(outer), coroutine.isyieldable(), select(2, coroutine.running()), coroutine.isyieldable(inner))
    ]==],
    ["errors"] = [==[
        local co = coroutine.create(function() spin() error("first") end)
        add(coroutine.resume(co))
        add(coroutine.status(co), coroutine.close(co))
        add(pcall(coroutine.wrap(function() spin() error("second") end)))
        add(pcall(coroutine.wrap(function() spin() error({}) end)))
        add(pcall(coroutine.wrap(function() spin() error() end)))
        add(coroutine.wrap(function() return pcall(function() spin() error("third", 0) end) end)())
        local over = coroutine.wrap(spin)
        over()
        add(pcall(over))
        add(pcall(coroutine.create), pcall(coroutine.resume, 1))
        add(pcall(coroutine.yield, 1))
        add(coroutine.resume(coroutine.running()))
    ]==],
    ["generators"] = [==[
        local function count(n) return coroutine.wrap(function() for i = 1, n do spin() coroutine.yield(i) end end) end
        for i in count(4) do add(i) end
        local function walk(t)
            if type(t) ~= "table" then return coroutine.yield(t) end
            for _, v in ipairs(t) do walk(v) end
            wait()
        end
        for v in coroutine.wrap(function() walk({ 1, { 2, { 3, { 4 } } }, 5 }) end) do add(v) end
    ]==],
    ["closing"] = [==[
        local function closed(name, then_)
            return setmetatable({}, { __close = function(_, e)
                add("closed", name, e)
                if then_ then error(then_, 0) end
            end })
        end
        local co = coroutine.create(function() local x <close> = closed("a") spin() coroutine.yield() end)
        coroutine.resume(co)
        add(coroutine.close(co))
        add(coroutine.status(co), coroutine.close(co))
        co = coroutine.create(function() local x <close> = closed("b", "bad") coroutine.yield() end)
        coroutine.resume(co)
        add(coroutine.close(co))
        add(coroutine.close(coroutine.create(print)))
        co = coroutine.wrap(function() local x <close> = closed("c") spin() error("oops", 0) end)
        add(pcall(co))
        co = coroutine.create(function()
            local x <close> = setmetatable({}, { __close = function() add(pcall(coroutine.yield, 1)) end })
            coroutine.yield()
        end)
        coroutine.resume(co)
        add(coroutine.close(co))
    ]==],
    ["deep nesting"] = [==[
        local function deep(n)
            if n == 0 then spin() return "bottom" end
            return coroutine.wrap(function() spin() return deep(n - 1) end)()
        end
        add(deep(12))
        local function endless() return coroutine.wrap(endless)() end
        add((select(2, pcall(endless)):gsub("^.*: ", "")))
    ]==],
    ["callbacks of the library"] = [==[
        local function slow(c) spin() return c:upper() end
        add(("abc"):gsub("%a", slow))
        add(coroutine.wrap(function() return ("abc"):gsub("%a", slow) end)())
        local t = { 3, 1, 2 }
        table.sort(t, function(a, b) spin() return a < b end)
        add(table.concat(t, " "))
        local yielding = coroutine.wrap(function()
            t = { 2, 1 }
            table.sort(t, function(a, b) spin() wait() return a < b end)
            return t[1], t[2]
        end)
        add(yielding())
        local pieces = { "return ", "1 + 1" }
        add(load(function() spin() return table.remove(pieces, 1) end)())
        add(load(function() error("reader", 0) end))
        local slow_pairs = setmetatable({}, { __pairs = function() spin() return next, { 1 }, nil end })
        for k, v in pairs(slow_pairs) do add(k, v) end
    ]==],
}

describe("coroutines", function()
    for name, code in pairs(CASES) do
        it("are as stock Lua's: " .. name, function()
            same_lua(PREFIX .. code .. '\nreturn table.concat(lines, "\\n")', {}, {
                env = { SANDSTORM_SCRIPT_CPU_MS = "60000" },
            })
        end)
    end

    it("belong to who resumed them, also while they wait", function()
        assert.same({ "normal", false, "cannot resume non-suspended coroutine", "cannot close a normal coroutine", "over" },
            program.lua([[
                local fiber, clock, inbox = require("fiber"), require("clock"), require("inbox")
                local box <close> = inbox.open()
                box:listen("go on")
                local co = coroutine.create(function() box:take(60000) return "over" end)
                local answer = {}
                fiber.spawn(function()
                    answer[1] = coroutine.status(co)
                    answer[2], answer[3] = coroutine.resume(co)
                    answer[4] = select(2, pcall(coroutine.close, co)):gsub("^.*: ", "")
                    inbox.deliver("go on", "now")
                end)
                answer[5] = select(2, coroutine.resume(co))
                return answer
            ]]))
    end)

    it("the one of another handler can be neither resumed nor closed", function()
        assert.same({ "normal", "cannot resume non-suspended coroutine", "cannot close a normal coroutine" }, program.lua([[
            local fiber, clock = require("fiber"), require("clock")
            local others
            fiber.spawn(function() others = coroutine.running() clock.sleep(60000) end)
            clock.sleep(1)
            return {
                coroutine.status(others),
                select(2, coroutine.resume(others)),
                (select(2, pcall(coroutine.close, others)):gsub("^.*: ", "")),
            }
        ]]))
    end)

    it("wait for processes as handlers do", function()
        assert.same({ "one\n", "two\n" }, program.lua([[
            local process = require("process")
            local each = coroutine.wrap(function()
                for _, word in ipairs({ "one", "two" }) do
                    coroutine.yield(process.run({ argv = { "echo", word } }).stdout)
                end
            end)
            return { each(), each() }
        ]]))
    end)
end)
