local cjson = require("cjson")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local uv = require("luv")
local wire = require("spec.support.wire")

local function tool(name, handler)
    return ([[
tool { name = %q, description = "For the specs", input = { type = "object" }, handler = function(args, ctx) %s end }
]]):format(name, handler)
end

local BASE = tool("ping_tool", 'return "pong"')

-- Replaces a file as editors do: a new file takes the name.
local function save_by_rename(path, text)
    tmp.write(path .. ".new", text)
    assert(uv.fs_rename(path .. ".new", path))
end

local function names(s)
    local list = {}
    for i, t in ipairs(s:rpc("tools/list").result.tools) do list[i] = t.name end
    table.sort(list)
    return table.concat(list, " ")
end

local function health(s) return cjson.decode(s:request({ method = "GET", path = "/health" }).body) end

local function offers(s, wanted)
    assert.is_true(program.wait_until(function() return names(s) == wanted end),
        ("wanted %s, offered %s\n%s"):format(wanted, names(s), s.process:stdout()))
end

describe("scripts", function()
    local s, path

    before_each(function()
        path = tmp.dir("scripts") .. "/tools.lua"
        tmp.write(path, BASE)
        s = server.start({ tools = path })
    end)
    after_each(function() s:stop() end)

    it("L06 every save is loaded: by rename twice, in place, after deletion, by git", function()
        save_by_rename(path, BASE .. tool("second", 'return "2"'))
        offers(s, "ping_tool second")
        save_by_rename(path, BASE .. tool("third", 'return "3"'))
        offers(s, "ping_tool third")
        tmp.write(path, BASE .. tool("fourth", 'return "4"'))
        offers(s, "fourth ping_tool")
        assert(uv.fs_unlink(path))
        assert.is_true(program.wait_until(function() return health(s).script_error ~= nil end))
        assert.equal("fourth ping_tool", names(s))
        tmp.write(path, BASE)
        offers(s, "ping_tool")
        local folder = path:match("^(.*)/")
        tmp.shell(("cd %s && git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm one"
            .. " && git checkout -qb other && printf '%%s' %s > tools.lua"
            .. " && git -c user.name=a -c user.email=a@b commit -qam two"):format(
            tmp.quote(folder), tmp.quote(BASE .. tool("branch", 'return "b"'))))
        offers(s, "branch ping_tool")
        tmp.shell(("cd %s && git checkout -q -"):format(tmp.quote(folder)))
        offers(s, "ping_tool")
    end)

    -- What a link in a watched folder leads to changes without an event in that folder.
    local function behind_link()
        local link = tmp.dir("linked") .. "/tools.lua"
        assert(uv.fs_symlink(path, link))
        return server.start({ tools = link })
    end

    it("L06 a save that no event tells of, behind a link, is found by looking", function()
        local looks = behind_link()
        tmp.write(path, BASE .. tool("second", 'return "2"'))
        offers(looks, "ping_tool second")
        save_by_rename(path, BASE .. tool("third", 'return "3"'))
        offers(looks, "ping_tool third")
        looks:stop()
    end)

    it("L06 a save that an event tells of is not left to the looking: who must look misses saves that the other loads", function()
        local looks = behind_link()
        local saves = 0
        assert.is_true(program.wait_until(function()
            saves = saves + 1
            tmp.write(path, BASE .. tool("save_" .. saves, 'return "x"'))
            offers(s, "ping_tool save_" .. saves)
            return health(s).generation >= health(looks).generation + 5
        end), saves .. " saves")
        looks:stop()
    end)

    it("L06 a named pipe in the place of a script holds up nothing: the next save is loaded", function()
        assert(uv.fs_unlink(path))
        tmp.shell("mkfifo " .. tmp.quote(path))
        local function says_why() return (health(s).script_error or ""):find("not a regular file", 1, true) ~= nil end
        assert.is_true(program.wait_until(says_why))
        save_by_rename(path, BASE .. tool("second", 'return "2"'))
        offers(s, "ping_tool second")
    end)

    it("L04 coroutines of scripts that are read disturb no handler that computes meanwhile", function()
        tmp.write(path, "local function busy() local x = 0 for j = 1, 300 do x = x + j end end\n"
            .. "local function wraps(n) for _ = 1, n do coroutine.wrap(busy)() end end wraps(30000)\n"
            .. tool("work", 'wraps(2000) for _ = 1, 3000000 do end return "done"'))
        offers(s, "work")
        for _ = 1, 40 do
            local calls = {}
            for i = 1, 3 do
                calls[i] = s:connect()
                calls[i]:send(wire.call(s, "work"))
            end
            s.process:signal_with("sighup")
            for i = 1, 3 do
                assert.equal(200, calls[i]:read_response().status)
                calls[i]:close()
            end
        end
        save_by_rename(path, BASE) -- a stop would not wait long for a reading that is under way
        offers(s, "ping_tool")
    end)

    -- Lua's compiler cannot be interrupted, and looks for a name in every function around: here for minutes.
    local function slow_to_compile()
        local locals, around = {}, {}
        for i = 1, 190 do locals[i] = string.char(97 + i % 26, 65 + i // 26) end
        for i = 1, 90 do around[i] = "local " .. table.concat(locals, ",") .. " function x()\n" end
        return table.concat(around) .. ("b=b\n"):rep(900000) .. ("end "):rep(#around)
    end

    it("D05 the server stops although a script is read without end", function()
        tmp.write(path, BASE .. slow_to_compile())
        s.process:signal_with("sighup")
        assert.is_true(program.wait_until(function() return wire.cpu_seconds(s) > 1 end)) -- it computes in its thread
        assert.equal("pong", s:text("ping_tool"))
        s.process:signal_with("sigterm")
        assert.equal(1, (s.process:wait()))
        assert.matches("a thread is still busy", s.process:stdout(), 1, true)
        s = server.start({ tools = tmp.file("tools.lua", BASE) })
    end)

    it("a change of a module beside the root file is loaded", function()
        local module = path:gsub("tools%.lua$", "answers.lua")
        tmp.write(module, 'return { text = "one" }')
        tmp.write(path, BASE .. 'local answers = require("answers")\n' .. tool("answer", "return answers.text"))
        offers(s, "answer ping_tool")
        assert.equal("one", s:text("answer"))
        save_by_rename(module, 'return { text = "two" }')
        assert.is_true(program.wait_until(function() return s:text("answer") == "two" end))
    end)

    it("a file that was just cut to nothing takes no tool away; a byte order mark is no error", function()
        tmp.write(path, "")
        local function says_why() return (health(s).script_error or ""):find("tools.lua: empty", 1, true) ~= nil end
        assert.is_true(program.wait_until(says_why))
        assert.equal("ping_tool", names(s))
        tmp.write(path, "\u{FEFF}#!/usr/bin/env sandstorm-mcp\n" .. BASE .. tool("marked", 'return "m"'))
        offers(s, "marked ping_tool")
    end)

    it("SIGHUP reads again what did not change", function()
        local before = health(s)
        s.process:signal_with("sighup")
        s:wait_log(function(line) return line.msg == "generation 2 serves now" end)
        assert.equal(before.script_error, health(s).script_error)
    end)

    it("a broken edit changes nothing for agents; log and health say where it is", function()
        local broken = {
            { BASE .. "tool { name = \n", "tools.lua:3: unexpected symbol" },
            { BASE .. "error('no')", "tools.lua:2: no" },
            { BASE .. "local x <const> = require('missing')", "module 'missing' not found" },
            { BASE .. "while true do end", "tools.lua:2: reading the scripts took too long" },
            { BASE .. 'tool { name = "x" }', "tools.lua:2:" },
            { BASE .. BASE, "tools.lua:2:" },
            { BASE .. 'require("clock").sleep(1)', "cannot wait while the scripts are loaded" },
            { BASE .. 'require("process").jobs()', "process.jobs: not while the scripts are loaded" },
            { BASE .. 'require("process").job(1)', "process.job: not while the scripts are loaded" },
            { BASE .. 'require("process").signal(1)', "process.signal: not while the scripts are loaded" },
            { BASE .. 'require("fiber").stop("a", "b")', "fiber.stop: not while the scripts are loaded" },
            { BASE .. 'require("shared").put("a", "b", 1000)', "shared: not while the scripts are loaded" },
            { BASE .. 'require("stream").count("a")', "stream: not while the scripts are loaded" },
            { BASE .. 'require("inbox").open()', "inbox.open: not while the scripts are loaded" },
            { BASE .. 'require("inbox").deliver("a", "b")', "inbox.deliver: not while the scripts are loaded" },
        }
        for _, case in ipairs(broken) do
            save_by_rename(path, case[1])
            assert.is_true(program.wait_until(function()
                return (health(s).script_error or ""):find(case[2], 1, true) ~= nil
            end), case[2] .. " is not in " .. tostring(health(s).script_error))
            assert.equal("pong", s:text("ping_tool"))
            s:wait_log(function(line) return line.level == "ERROR" and line.msg:find(case[2], 1, true) end)
        end
        save_by_rename(path, BASE)
        assert.is_true(program.wait_until(function() return health(s).script_error == nil end))
    end)

    it("a call that runs ends on the generation that it began on", function()
        tmp.write(path, BASE .. [[
            local shared, clock = require("shared"), require("clock")
        ]] .. tool("wait", 'shared.put("waits", "yes", 60000) while not shared.get("go") do clock.sleep(5) end return "old"')
            .. tool("waits", 'return shared.get("waits") or "no"') .. tool("go", 'shared.put("go", "yes", 60000) return "ok"'))
        offers(s, "go ping_tool wait waits")
        local running = s:connect()
        running:send(wire.call(s, "wait"))
        assert.is_true(program.wait_until(function() return s:text("waits") == "yes" end))
        tmp.write(path, BASE .. 'local shared = require("shared")\n' .. tool("wait", 'return "new"')
            .. tool("go", 'shared.put("go", "yes", 60000) return "ok"'))
        offers(s, "go ping_tool wait")
        assert.equal("new", s:text("wait"))
        s:text("go")
        assert.equal("old", cjson.decode(running:read_response().body).result.content[1].text)
        running:close()
    end)

    it("a file that is no script at all, or no file, stops the start with a clear line", function()
        for text, wanted in pairs({ ["tool {"] = "tools.lua:1:", ["\27Lua"] = "binary chunk" }) do
            local file = tmp.write(tmp.dir("bad") .. "/tools.lua", text)
            local result = program.run({ args = { "check", "--tools", file } })
            assert.equal(1, result.code)
            assert.equal("", result.stdout)
            assert.matches(wanted, result.stderr, 1, true)
        end
        local missing = program.run({ args = { "check", "--tools", "/nowhere/tools.lua" } })
        assert.equal(1, missing.code)
        assert.matches("/nowhere/tools.lua: cannot be read", missing.stderr, 1, true)
    end)
end)

describe("an operator's day", function()
    it("adds, breaks and mends a tool under constant calls: no call fails, nothing leaks, the new tool answers", function()
        local path = tmp.dir("day") .. "/tools.lua"
        tmp.write(path, BASE)
        local s = server.start({ tools = path, env = { SANDSTORM_LOG_LEVEL = "debug" } })
        local stop = tmp.dir("stop") .. "/now"
        local outputs, children = {}, {}
        for i = 1, 4 do
            local pipe = uv.new_pipe()
            outputs[i] = ""
            children[i] = assert(uv.spawn("lua5.4", {
                args = { "spec/support/load.lua", "127.0.0.1", tostring(s.port), s.token, stop, "ping_tool", "{}" },
                cwd = program.root, stdio = { nil, pipe, 2 },
            }, function() end))
            pipe:read_start(function(_, text) if text then outputs[i] = outputs[i] .. text else pipe:close() end end)
        end
        for round = 1, 5 do
            save_by_rename(path, BASE .. tool("new" .. round, 'return "new"'))
            offers(s, "new" .. round .. " ping_tool")
            assert.equal("new", s:text("new" .. round))
            save_by_rename(path, BASE .. "tool {{{")
            assert.is_true(program.wait_until(function() return health(s).script_error ~= nil end))
            assert.equal("new", s:text("new" .. round))
            save_by_rename(path, BASE)
            offers(s, "ping_tool")
        end
        local descriptors = s:descriptors()
        for round = 1, 20 do
            save_by_rename(path, BASE .. tool("again" .. round, 'return "new"'))
            offers(s, "again" .. round .. " ping_tool")
        end
        tmp.write(stop, "")
        assert.is_true(program.wait_until(function()
            for i = 1, 4 do if not outputs[i]:find("\n") then return false end end
            return true
        end))
        for i = 1, 4 do
            local load = cjson.decode(outputs[i])
            assert.same({}, load.failures)
            assert.is_true(load.calls > 50, load.calls)
            children[i]:close()
        end
        assert.is_true(program.wait_until(function() return s:descriptors() <= descriptors + 2 end))
        -- Every generation but the one that serves is gone.
        local function count(pattern)
            local found = 0
            for _, line in ipairs(s:log()) do if line.msg:find(pattern) then found = found + 1 end end
            return found
        end
        local taken = count("^generation %d+ serves now$")
        assert.is_true(taken >= 30, taken)
        assert.is_true(program.wait_until(function() return count("^generation %d+ is closed$") == taken end))
        s:stop()
    end)
end)
