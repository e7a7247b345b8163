--- Descendants that left the process group of what the server started.
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

-- `alive(name)`: of the process that wrote its number into that file.
local PRELUDE = [[
    local clock, fiber, fs, process = require("clock"), require("fiber"), require("fs"), require("process")
    local function wait_for(condition)
        local patience = clock.monotonic_ms() + 60000
        while not condition() do
            assert(clock.monotonic_ms() < patience, "it does not come")
            clock.sleep(5)
        end
        return true
    end
    local function pid(name) return (fs.read(name) or ""):match("^(%d+)\n") end
    local function alive(name)
        return process.run({ command = "ps -o stat= -p " .. pid(name) }).stdout:find("^%s*[^Z%s]") ~= nil
    end
    local function gone(name) return pid(name) and not alive(name) end

    -- Cancels a call once its stray "session" runs, and waits for the end of that.
    local function cancelled(options)
        options.timeout_ms = 3600000
        fiber.spawn(function()
            fiber.tag("caller")
            process.run(options)
        end)
        wait_for(function() return pid("session") end)
        fiber.stop("caller", "test")
        return wait_for(function() return gone("session") end)
    end

    -- Leaves the session; leaves the group as timeout(1) and job control do; asks to be left alone.
    local STRAYS = "setsid bash -c 'echo $$ > session; sleep 300; true' & "
        .. "timeout 300 bash -c 'echo $$ > group; sleep 300; true' & "
        .. "setsid bash -c 'trap \"\" TERM; echo $$ > deaf; while :; do sleep 0.1; done' & "
    local NAMES = { "session", "group", "deaf" }
    local function each(predicate)
        for _, name in ipairs(NAMES) do
            if not predicate(name) then return false end
        end
        return true
    end
    local READY = "until [ -s session ] && [ -s group ] && [ -s deaf ]; do sleep 0.01; done; "
]]

local function lua(chunk, opts) return program.lua(PRELUDE .. chunk, opts) end

local function is_alive(pid)
    local stat = tmp.read(("/proc/%d/stat"):format(tonumber(pid)))
    return stat ~= nil and not stat:find(") Z", 1, true)
end

describe("what left the group", function()
    it("lives on when the program ends by itself", function()
        assert.same({ true, true }, lua([[
            local run = process.run({ command = STRAYS .. READY })
            local lives = each(alive)
            for _, name in ipairs(NAMES) do process.run({ command = "kill -9 " .. pid(name) }) end
            return { run.exit_code == 0, lives }
        ]]))
    end)

    it("ends with a time limit", function()
        assert.same({ true, true }, lua([[
            local run = process.run({ command = STRAYS .. READY .. "sleep 300", timeout_ms = 5000 })
            return { run.timed_out, wait_for(function() return each(gone) end) }
        ]]))
    end)

    it("gets SIGTERM first, so that it can tidy up", function()
        assert.equal("bye\n", lua([[
            cancelled({ command =
                "setsid bash -c 'trap \"echo bye > bye; exit\" TERM; echo $$ > session; sleep 300 & wait' & sleep 300" })
            return fs.read("bye")
        ]]))
    end)

    it("ends with a call that is cancelled", function()
        assert.is_true(lua([[
            fiber.spawn(function()
                fiber.tag("caller")
                process.run({ command = STRAYS .. "sleep 300", timeout_ms = 3600000 })
            end)
            wait_for(function() return each(pid) end)
            fiber.stop("caller", "test")
            return wait_for(function() return each(gone) end)
        ]]))
    end)

    it("gets the signals of its background job", function()
        assert.same({ true, true }, lua([[
            local job = process.start({ command = STRAYS .. "sleep 300" })
            wait_for(function() return each(pid) end)
            process.signal(job, "TERM")
            wait_for(function() return gone("session") and gone("group") end)
            clock.sleep(2500) -- what is being ended would get SIGKILL now
            local spared = alive("deaf")
            process.run({ command = "kill -9 " .. pid("deaf") })
            return { spared, process.job(job).state == "killed" }
        ]]))
    end)

    it("of another call is left alone", function()
        assert.same({ true, true }, lua([[
            process.run({ command = STRAYS .. READY })
            local mine = "setsid bash -c 'echo $$ > mine; sleep 300; true' & sleep 300"
            local run = process.run({ command = mine, timeout_ms = 2000 })
            wait_for(function() return gone("mine") end)
            local lives = each(alive)
            for _, name in ipairs(NAMES) do process.run({ command = "kill -9 " .. pid(name) }) end
            return { run.timed_out, lives }
        ]]))
    end)

    it("ends with the server, if what it came of still runs", function()
        local workspace = tmp.dir("workspace")
        lua([[
            process.start({ command = STRAYS .. "sleep 300" })
            wait_for(function() return each(pid) end)
        ]], { workspace = workspace })
        for _, name in ipairs({ "session", "group", "deaf" }) do
            assert.is_false(is_alive(tmp.read(workspace .. "/" .. name):match("%d+")), name)
        end
    end)

    it("is found by its mark however large its environment is", function()
        assert.is_true(lua([[
            -- env(1) keeps the order, so the mark lies behind what is large.
            return cancelled({ env = { LARGE = ("x"):rep(100000) }, command =
                "mkfifo hold; setsid env -i A=\"$LARGE\" B=\"$LARGE\" SANDSTORM_RUN_ID=$SANDSTORM_RUN_ID "
                    .. "/bin/bash -c 'echo $$ > session; read < hold' & sleep 300" })
        ]]))
    end)

    it("is looked for without a descriptor that stays", function()
        assert.is_true(lua([[
            for _ = 1, 40 do assert(process.run({ command = "sleep 300", timeout_ms = 1 }).timed_out) end
            return process.run({ command = "true" }).exit_code == 0
        ]], { wrap = { "prlimit", "--nofile=40" } }))
    end)

    it("cannot be given another mark by a caller", function()
        assert.same({ true, true }, lua([[
            local out = {}
            for i = 1, 2 do
                local all = process.run({ argv = { "env" }, env = { SANDSTORM_RUN_ID = "x" } }).stdout
                out[i] = all:gsub("SANDSTORM_RUN_ID=", "\0"):gsub("^[^%z]*", ""):gsub("\n.*", "")
            end
            return { out[1]:find("^%z%x+$") ~= nil and #out[1] == 17, out[1] ~= out[2] }
        ]]))
    end)
end)

describe("process.signal_marked", function()
    it("signals what was started with one of the values, wherever it is, and never the server itself", function()
        assert.same({ true, true, true, true, true, true }, lua([[
            local function start(value, name)
                process.start({ command = "setsid bash -c 'echo $$ > " .. name .. "; sleep 300; true' & wait",
                    env = { MARK = value } })
                wait_for(function() return pid(name) end)
            end
            local function some(values, signal) return process.signal_marked("MARK", values, signal) > 0 end
            local none = not some({ "own", "another" }, "TERM")
            start("first", "one")
            start("second", "two")
            start("second but longer", "three")
            local looked = some({ "first" }, "0") and alive("one") and alive("two")
            some({ "first" }, "KILL")
            local first = wait_for(function() return gone("one") and not some({ "first" }, "0") end)
            local spared = alive("two")
            some({ "first", "second" }, "KILL")
            local second = wait_for(function() return gone("two") end)
            return { none, looked, first, spared, second, alive("three") and some({ "second but longer" }, "KILL") }
        ]], { env = { MARK = "own" } }))
    end)

    it("names what is expected and what came", function()
        assert.same({
            "process.signal_marked: name: expected a string, got nil", "process.signal_marked: name: expected text without NUL",
            "process.signal_marked: values: expected a string, got number",
            "process.signal_marked: values: expected text without NUL",
            "bad argument #3 to 'process.signal_marked' (invalid option 'HUP')",
        }, lua([[
            local out = {}
            for _, words in ipairs({ { n = 3, [3] = "0" }, { "", {}, "0" }, { "A", { 5 }, "0" }, { "A", { "x\0" }, "0" },
                { "A", {}, "HUP" } }) do
                out[#out + 1] = select(2, pcall(process.signal_marked, table.unpack(words, 1, 3)))
            end
            return out
        ]]))
    end)
end)
