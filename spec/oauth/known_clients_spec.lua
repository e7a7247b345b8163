local fake_host = require("spec.support.fake_host")

describe("oauth.known_clients", function()
    local known_clients

    setup(function()
        fake_host.install()
        known_clients = require("oauth.known_clients")
    end)

    it("finds documents by their address, with any one segment for a star", function()
        assert.equal("Claude Code", known_clients.find("https://claude.ai/oauth/claude-code-client-metadata").name)
        assert.equal("ChatGPT", known_clients.find("https://chatgpt.com/oauth/a1-b_2/client.json").name)
        for _, id in ipairs({ "https://claude.ai/oauth/claude-code-client-metadata/",
            "https://claudeXai/oauth/claude-code-client-metadata", "https://chatgpt.com/oauth//client.json",
            "https://chatgpt.com/oauth/a/b/client.json",
            "xhttps://chatgpt.com/oauth/a/client.json", "" }) do
            assert.is_nil(known_clients.find(id), id)
        end
    end)

    it("takes every other character of a pattern as itself", function()
        assert.is_true(known_clients.matches("a.b-c+(d)[e]%f^$?*", "a.b-c+(d)[e]%f^$?x"))
        assert.is_false(known_clients.matches("a.b", "axb"))
        assert.is_false(known_clients.matches("a*", "a?x"))
        assert.is_false(known_clients.matches("a", "ba"))
    end)
end)
