--- The first command of the README, on a machine that has the packages.
local program = require("spec.support.program")
local server = require("spec.support.server")
local tap = require("spec.support.tap")
local tmp = require("spec.support.tmp")

describe("deploy/quickstart.sh", function()
    local home, port, process

    local function start(env)
        local all = { HOME = home, SANDSTORM_MCP_PORT = tostring(port), SANDSTORM_WORKSPACE_ROOT = false }
        for name, value in pairs(env or {}) do all[name] = value end
        process = program.spawn({ command = { program.root .. "/deploy/quickstart.sh" }, env = all })
        program.wait_until(function() return not process:running() or server.accepts("127.0.0.1", port) end)
        assert(process:running(), process:stdout() .. process:stderr())
        return process:stdout()
    end

    local function stop()
        process:signal_with("sigterm")
        assert.equal(0, (process:wait()))
    end

    before_each(function()
        home, port = tmp.dir("home"), server.free_port()
    end)

    after_each(function()
        if process then process:signal_with("sigkill") end
    end)

    it("serves, and the curl that it prints works", function()
        local printed = start()
        local curl = assert(printed:match("\n  (curl [^\n]+)"), printed)
        local answer = tmp.shell(curl)
        assert.matches('"exit_code":0', answer, 1, true)
        tap.hear(200, {}, answer)
        assert.equal("directory", tmp.kind(home .. "/sandstorm-workspace"))
        stop()
    end)

    it("prints the line that connects Claude Code, with the kept token", function()
        local printed = start()
        local token = tmp.read(home .. "/.config/sandstorm-mcp/token")
        assert.matches("^" .. ("%x"):rep(64) .. "$", token)
        local line = ('claude mcp add --transport http sandstorm http://127.0.0.1:%d/mcp --header "Authorization: Bearer %s"')
            :format(port, token)
        assert(printed:find("\n  " .. line .. "\n", 1, true), printed)
        stop()
    end)

    it("makes a token that only its owner can read, once", function()
        start()
        stop()
        local path = home .. "/.config/sandstorm-mcp/token"
        local token = tmp.read(path)
        assert.equal("600 700\n", tmp.shell("echo $(stat -c %a " .. path .. " " .. path:match("(.*)/") .. ")"))
        assert(start():find(token, 1, true), "the second start prints another token")
        stop()
        assert.equal(token, tmp.read(path))
    end)

    it("takes a token from the environment and keeps none then", function()
        assert(start({ SANDSTORM_MCP_TOKEN = "from-outside" }):find("Bearer from-outside", 1, true))
        stop()
        assert.is_nil(tmp.kind(home .. "/.config"))
    end)

    it("refuses an argument that it does not know", function()
        local result = program.run({ command = { program.root .. "/deploy/quickstart.sh", "--prot" } })
        assert.equal(2, result.code)
        assert.matches("SANDSTORM_MCP_PORT", result.stderr)
    end)
end)
