local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

describe("host", function()
    it("tells the version that --version tells", function()
        local version = program.run({ args = { "--version" } }).stdout:match("^sandstorm%-mcp (%S+)\n$")
        assert.equal(version, program.lua('return require("host").version'))
    end)

    it("tells what machine and server have, as the kernel does", function()
        local function uptime() return math.tointeger(tonumber(tmp.read("/proc/uptime"):match("^(%d+)"))) end
        local before = uptime()
        local info = program.lua('return require("host").info()')
        assert.is_true(info.uptime >= before and info.uptime <= uptime(), info.uptime)
        assert.equal(tonumber(tmp.shell("nproc")), info.cores)
        local total = tonumber(tmp.read("/proc/meminfo"):match("MemTotal:%s*(%d+)")) * 1024
        assert.is_true(info.memory_available > 0 and info.memory_available <= total, info.memory_available)
        assert.is_true(info.disk_available > 0, info.disk_available)
        assert.is_true(info.lua_bytes > 1000, info.lua_bytes)
        assert.same({ 1, 0, 1, 0 }, { info.generation, info.connections, info.live_calls, info.jobs })
        assert.is_nil(info.script_error)
        assert.equal(1, program.lua('return require("host").generation()'))
    end)

    it("knows its scripts again after a restart, and after an edit that they are others", function()
        local folder = tmp.dir("scripts")
        local path = folder .. "/tools.lua"
        local function id_of(text)
            if text then tmp.write(path, text) end
            local result = program.run({ args = { "call", "id", "--tools", path } })
            assert.equal(0, result.code, result.stderr)
            return assert(result.stdout:match("^(%x+)\n$"), result.stdout)
        end
        local SCRIPT = [[
            local host, other = require("host"), require("other")
            tool {
                name = "id", description = "d", input = { type = "object" },
                handler = function() return host.scripts_id() end,
            }
        ]]
        tmp.write(folder .. "/other.lua", "return 1")
        local first = id_of(SCRIPT)
        assert.equal(16, #first)
        assert.equal(first, id_of())
        local second = id_of(SCRIPT .. " ")
        assert.not_equal(first, second)
        tmp.write(folder .. "/other.lua", "return 22")
        assert.not_equal(second, id_of())
    end)

    it("starts no program for it", function()
        local result = program.lua([[
            local host = require("host")
            return { uptime = host.info().uptime, found = #host.which({ "sh" }) }
        ]], { env = { PATH = "/nowhere" } })
        assert.is_true(result.uptime > 0)
        assert.equal(0, result.found)
    end)

    it("cannot be asked while the scripts are loaded", function()
        local tools = tmp.file("tools.lua", '\nrequire("host").info()\n')
        local result = program.run({ args = { "check", "--tools", tools } })
        assert.equal(1, result.code)
        local why = "tools%.lua:2: host%.info: cannot be asked while the scripts are loaded; call it in a handler"
        assert.matches(why, result.stderr)
    end)

    it("tells every setting that is no secret", function()
        local workspace = tmp.dir("workspace")
        local result = program.lua([[
            local host = require("host")
            return { host.setting("workspace_root"), host.setting("state_dir"), host.setting("port"), host.setting("log_level"),
                     host.setting("public_url"), host.setting("body_limit"), host.setting("tools") == nil }
        ]], { workspace = workspace, env = { SANDSTORM_TOOLS = false } })
        assert.same({ workspace, workspace .. "/.sandstorm-mcp", 8080, "WARNING", "", 16777216 }, { table.unpack(result, 1, 6) })
    end)

    it("tells no secret", function()
        local secret = "secret-0123456789"
        local env = { SANDSTORM_MCP_TOKEN = secret, MCP_AUTH_TOKEN = secret, SESSION_AUTH_TOKEN = secret }
        local result = program.lua([[
            local host, seen = require("host"), {}
            for _, name in ipairs({ "SANDSTORM_MCP_TOKEN", "MCP_AUTH_TOKEN", "SESSION_AUTH_TOKEN" }) do
                seen[#seen + 1] = os.getenv(name)
            end
            local function why(name) return (select(2, pcall(host.setting, name))) end
            return { seen = #seen, token = why("token"), session = why("session_token") }
        ]], { env = env })
        assert.same({
            seen = 0,
            token = "host.setting: token is a secret",
            session = "host.setting: session_token is a secret",
        }, result)
    end)

    it("leaves no secret in the environment that other processes see", function()
        local source = tmp.file("chunk.lua", 'require("log").error("here") require("clock").sleep(86400000)')
        local process = program.spawn({ args = { "run", source }, env = { SANDSTORM_MCP_TOKEN = "secret-0123456789" } })
        assert.is_true(program.wait_until(function() return process:stderr() ~= "" end))
        local seen = tmp.read("/proc/" .. process.pid .. "/environ") or ""
        process:signal_with("sigkill")
        process:wait()
        assert.is_nil(seen:find("secret-0123456789", 1, true))
    end)

    it("finds programs in PATH: files that may be executed, no folders", function()
        local folder = tmp.dir("bin")
        tmp.shell(("cd %s; mkdir folder; echo >plain; echo >good; chmod 644 plain; chmod 755 good"):format(folder))
        tmp.shell(("cd %s; ln -s good link; ln -s none dead"):format(folder))
        local result = program.lua([[
            local names = { "nope", "link", "good", "folder", "plain", "dead", "", "./good", "sh" }
            return require("host").which(names)
        ]], { env = { PATH = "/nowhere:" .. folder .. ":/bin" } })
        assert.same({ "link", "good", "sh" }, result)
    end)

    it("makes identifiers that do not repeat", function()
        local ids = program.lua([[
            local ids = {}
            for i = 1, 1000 do ids[i] = require("host").random_id() end
            return ids
        ]])
        local seen = {}
        for _, id in ipairs(ids) do
            assert.matches("^%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x$", id)
            assert.is_nil(seen[id])
            seen[id] = true
        end
    end)

    it("names function, what is expected and what came", function()
        local result = program.lua([[
            local host = require("host")
            local function try(f, ...) return (select(2, pcall(f, ...))) end
            return {
                try(host.setting), try(host.setting, "workspace-root"), try(host.which, "sh"), try(host.which, { "sh", {} }),
            }
        ]])
        assert.same({
            "host.setting: expected the name of a setting, got no value",
            "host.setting: unknown setting workspace-root; did you mean workspace_root?",
            "host.which: expected a list of names, got string",
            "host.which: name 2: expected a string, got table",
        }, result)
    end)
end)
