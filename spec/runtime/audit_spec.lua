local cjson = require("cjson")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

--- Runs Lua with an audit log; returns what it returned, and the lines of the file and of older ones.
local function run(source, env)
    local folder = tmp.dir("audit")
    local all = { SANDSTORM_AUDIT_FILE = folder .. "/audit.log" }
    for name, value in pairs(env or {}) do all[name] = value end
    local result = program.lua('local audit, clock, process = require("audit"), require("clock"), require("process")\n' .. source,
        { env = all, args = { folder } })
    local function lines(name)
        local list = {}
        for line in (tmp.read(folder .. "/" .. name) or ""):gmatch("[^\n]+") do list[#list + 1] = cjson.decode(line) end
        return list
    end
    return result, lines, folder
end

describe("audit", function()
    it("writes a line with the time in front, into a file that only its owner can read", function()
        local _, lines, folder = run('audit.write({ event = "x", n = 1, text = "ü\\n" })')
        local line = lines("audit.log")[1]
        assert.matches("^%d+%-%d+%-%d+T[%d:.]+Z$", line.ts)
        assert.same({ "x", 1, "ü\n" }, { line.event, line.n, line.text })
        assert.equal("600 1\n", tmp.shell(("stat -c '%%a %%h' %s/audit.log"):format(folder)))
    end)

    it("keeps nothing where no file is named", function()
        local enabled = program.lua([[
            local audit = require("audit")
            audit.write({ event = "x" })
            return { audit.enabled(), audit.error() == nil }
        ]])
        assert.same({ false, true }, enabled)
    end)

    it("adds to what is there", function()
        local folder = tmp.dir("audit")
        tmp.write(folder .. "/a", '{"old":1}\n')
        program.lua('require("audit").write({ new = 1 })', { env = { SANDSTORM_AUDIT_FILE = folder .. "/a" } })
        assert.matches('^{"old":1}\n{"ts":"[^"]*","new":1}\n$', tmp.read(folder .. "/a"))
    end)

    it("begins a new file at its size and keeps as many older ones as asked for, whole lines in each", function()
        local folder = tmp.dir("audit")
        for i = 1, 30 do
            program.lua('require("audit").write({ n = tonumber(...), fill = ("x"):rep(1000) })', { args = { tostring(i) },
                env = { SANDSTORM_AUDIT_FILE = folder .. "/a", SANDSTORM_AUDIT_BYTES = "4096", SANDSTORM_AUDIT_FILES = "2" } })
        end
        local numbers = {}
        for _, name in ipairs({ "a.2", "a.1", "a" }) do
            for line in assert(tmp.read(folder .. "/" .. name)):gmatch("[^\n]+") do
                numbers[#numbers + 1] = cjson.decode(line).n
            end
        end
        assert.is_nil(tmp.kind(folder .. "/a.3"))
        assert.equal(30, numbers[#numbers])
        for position = 2, #numbers do assert.equal(numbers[position - 1] + 1, numbers[position]) end
        assert.is_true(#numbers >= 7 and #numbers <= 9)
    end)

    it("a link, a folder and a full disk are told, and what waits is written when it can be", function()
        for _, line in ipairs({ "ln -s elsewhere audit.log", "mkdir audit.log" }) do
            local folder = tmp.dir("audit")
            tmp.shell(("cd %s; %s"):format(folder, line))
            local process = program.run({ args = { "call", "file_list" }, env = { SANDSTORM_AUDIT_FILE = folder
                .. "/audit.log" } })
            assert.equal(0, process.code)
            assert.is_nil(tmp.kind(folder .. "/elsewhere"))
        end
    end)

    it("raises for what is no table of names", function()
        local said = run([[
            local function said(value) return (select(2, pcall(audit.write, value))) end
            return { said("x"), said({ 1 }), said({ f = print }) }
        ]])
        assert.matches("table expected, got string", said[1])
        assert.matches("audit%.write: argument 1 %(fields%): expected a table with names as keys", said[2])
        assert.matches("^audit%.write: ", said[3])
    end)
end)
