--- process.run with `on_output`: a handler watches its program.
local program = require("spec.support.program")

local PRELUDE = [[
    local clock, fiber, fs, process = require("clock"), require("fiber"), require("fs"), require("process")
]]

local function lua(chunk) return program.lua(PRELUDE .. chunk) end

describe("process.run with on_output", function()
    it("tells what comes while the program still runs, stream by stream", function()
        -- The program goes on only when its first words were seen.
        local seen = lua([[
            local seen = {}
            local run = process.run({
                command = "echo one; echo err >&2; until [ -e go ]; do sleep 0.01; done; echo two",
                on_output = function(stdout, stderr)
                    seen[#seen + 1] = stdout .. "|" .. stderr
                    if stdout:find("one") then fs.write("go", "") end
                end,
            })
            return { table.concat(seen), #seen > 1, run.stdout, run.stderr, run.exit_code }
        ]])
        assert.same({ true, "one\ntwo\n", "err\n", 0 }, { table.unpack(seen, 2) })
        assert.equal("one\ntwo\nerr\n", (seen[1]:gsub("|", ""):gsub("^one\nerr\ntwo\n$", "one\ntwo\nerr\n")))
    end)

    it("ends the program when the coroutine that runs it was left in the middle", function()
        assert.equal("gone", lua([[
            do
                local begin = coroutine.wrap(function()
                    process.run({
                        command = "trap 'echo gone > gone; exit' TERM; echo begun; while :; do sleep 0.01; done",
                        on_output = function() coroutine.yield() end,
                    })
                end)
                begin()
            end
            collectgarbage()
            while not fs.stat("gone") do clock.sleep(5) end
            return "gone"
        ]]))
    end)

    it("gives all of it to one that is quick, and the end of it to a slow one", function()
        local result = lua([[
            local function watch(command, look)
                local bytes, calls = {}, 0
                local run = process.run({ command = command, capture_bytes = 10, on_output = function(stdout)
                    calls, bytes[#bytes + 1] = calls + 1, stdout
                    if look then look() end
                end })
                return table.concat(bytes), calls, run
            end
            local all = watch("seq 5000")
            local last, _, run = watch("seq 100000")
            return { select(2, all:gsub("\n", "")), last:sub(-7), #last <= 3 * 65536, run.stdout, run.stdout_bytes }
        ]])
        assert.same({ 5000, "100000\n", true, "1\n2\n3\n4\n5\n", 588895 }, result)
    end)

    it("is not called when nothing came", function()
        assert.equal(0, lua([[
            local calls = 0
            assert(process.run({ command = "sleep 0.6", on_output = function() calls = calls + 1 end }).exit_code == 0)
            return calls
        ]]))
    end)

    it("may wait, and misses nothing meanwhile", function()
        assert.same({ "a\nb\n", 0 }, lua([[
            local seen = ""
            local run = process.run({ command = "echo a; sleep 0.4; echo b", on_output = function(stdout)
                clock.sleep(300)
                seen = seen .. stdout .. assert(process.run({ command = "true" })).stdout
            end })
            return { seen, run.exit_code }
        ]]))
    end)

    -- The server lives on: the program must end because of its handler.
    local GONE = [[
        local function wait_for(condition)
            local patience = clock.monotonic_ms() + 60000
            repeat
                assert(clock.monotonic_ms() < patience, "it does not come")
                clock.sleep(5)
            until condition()
        end
        local function pid() return (fs.read("pid") or ""):match("^(%d+)\n") end
        local function gone() return process.run({ command = "kill -0 " .. pid() .. " 2>&1" }).exit_code ~= 0 end
        local COMMAND = "echo $$ > pid; echo x; sleep 300 & wait"
    ]]

    it("that raises ends the program, and the error is the caller's", function()
        assert.same({ false, "enough" }, lua(GONE .. [[
            local ok, message = pcall(process.run, { command = COMMAND, on_output = function() error("enough", 0) end })
            wait_for(gone)
            return { ok, message }
        ]]))
    end)

    for where, body in pairs({
        ["between two calls"] = "called = true",
        ["in the function"] = "called = true; clock.sleep(300000)",
    }) do
        it("stopped " .. where .. " ends the program", function()
            assert.equal(1, lua(GONE .. [[
                local called = false
                fiber.spawn(function()
                    fiber.tag("watcher")
                    process.run({ command = COMMAND, timeout_ms = 3600000, on_output = function() ]] .. body .. [[ end })
                end)
                wait_for(function() return called and pid() end)
                local count = fiber.stop("watcher", "test")
                wait_for(gone)
                return count
            ]]))
        end)
    end

    it("keeps what came before a time limit", function()
        local result = lua([[
            local seen = ""
            local run = process.run({ command = "echo x; sleep 300", timeout_ms = 300, on_output = function(stdout)
                seen = seen .. stdout
            end })
            return { seen, run.stdout, run.timed_out }
        ]])
        assert.same({ "x\n", "x\n", true }, result)
    end)

    it("has to be a function", function()
        assert.equal("process.run: option on_output: expected a function, got 5",
            lua([[return select(2, pcall(process.run, { command = "true", on_output = 5 }))]]))
    end)
end)
