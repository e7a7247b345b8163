local oauth = require("spec.support.oauth")
local servers = require("spec.support.server")
local tmp = require("spec.support.tmp")

describe("SECURITY.md", function()
    local text

    setup(function() text = tmp.read("SECURITY.md"):gsub("%s+", " ") end)

    it("A63 says what content networks and hosted clients need", function()
        for _, wanted in ipairs({ "AI bots", "160.79.104.0/21", "IPv4", "443", "User-Agent", "third-party cookies",
            "claude.ai" }) do
            assert.is_truthy(text:find(wanted, 1, true), wanted)
        end
    end)

    it("names every file of the state folder, and how to rotate", function()
        local folder = tmp.dir("state")
        local server = servers.start({ env = { SANDSTORM_STATE_DIR = folder } })
        server:request({ method = "POST", path = "/session/create", body = '{"type":"t"}' })
        local app = oauth.new(server)
        app:sign_in()
        server:stop()
        local seen = 0
        for name in tmp.shell("ls " .. folder):gmatch("[^\n]+") do
            local whole = name:gsub("%-%l+$", "") -- SQLite's companions
            assert.is_truthy(text:find("`" .. whole .. "`", 1, true), name)
            assert.equal("600\n", tmp.shell(("stat -c %%a %s/%s"):format(folder, name)), name)
            seen = seen + 1
        end
        assert.is_true(seen >= 3)
        for _, wanted in ipairs({ "Rotation: change `SANDSTORM_MCP_TOKEN`", "chmod 600", "revoke all" }) do
            assert.is_truthy(text:find(wanted, 1, true), wanted)
        end
    end)

    it("says that access is a shell, and how to report and to revoke", function()
        for _, wanted in ipairs({ "has a shell as the user", "Report a vulnerability", "sandstorm-mcp token list",
            "What is not promised" }) do
            assert.is_truthy(text:find(wanted, 1, true), wanted)
        end
    end)
end)
