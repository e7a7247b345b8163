local oauth = require("spec.support.oauth")
local program = require("spec.support.program")
local servers = require("spec.support.server")
local tmp = require("spec.support.tmp")

describe("OAuth clients", function()
    local s

    before_each(function() s = oauth.start() end)
    after_each(function() s:stop() end)

    local function run(...)
        local clients = program.root .. "/spec/clients"
        local node = tmp.shell("ls " .. clients .. "/node_modules/node-linux-*/bin/node"):match("[^\n]+")
        local words = { ... }
        words[1] = clients .. "/" .. words[1]
        local result = program.run({
            command = { node, table.unpack(words) },
            env = { SANDSTORM_URL = ("http://127.0.0.1:%d/mcp"):format(s.port), SANDSTORM_TOKEN = s.token },
        })
        assert(result.code == 0, "\n" .. result.stdout .. result.stderr)
        assert.matches("ok  ", result.stdout)
    end

    for _, method in ipairs({ "none", "client_secret_post", "client_secret_basic" }) do
        it("@modelcontextprotocol/sdk signs in and refreshes: " .. method, function() run("oauth.mjs", "sdk1", method) end)
        it("@modelcontextprotocol/client signs in and refreshes: " .. method, function() run("oauth.mjs", "sdk2", method) end)
    end

    it("Claude Code signs in, connects, and ends its grant when it signs out", function()
        run("claude.mjs", tmp.dir("home"))
        local list = program.run({ args = { "token", "list" }, env = { SANDSTORM_MCP_TOKEN = s.token,
            SANDSTORM_STATE_DIR = s.workspace .. "/.sandstorm-mcp" } }).stdout
        assert.matches("\n%x+ +Claude Code +localhost:%d+ [^\n]* revoked\n$", list)
    end)

    it("the Inspector signs in", function() run("inspector.mjs", tostring(servers.free_port()), tmp.dir("home")) end)

    it("mcp-remote signs in and passes calls on", function() run("remote.mjs") end)
end)
