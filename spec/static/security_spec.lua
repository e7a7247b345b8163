local tmp = require("spec.support.tmp")

describe("SECURITY.md", function()
    local text

    setup(function() text = tmp.read("SECURITY.md"):gsub("%s+", " ") end)

    it("D63 says what content networks and hosted clients need", function()
        for _, wanted in ipairs({ "AI bots", "160.79.104.0/21", "IPv4", "443", "User-Agent", "third-party cookies",
            "claude.ai" }) do
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
