local fake_host = require("spec.support.fake_host")

describe("Addresses that clients name", function()
    local uri

    setup(function()
        fake_host.install()
        uri = require("oauth.uri")
    end)

    it("A24 are read strictly", function()
        assert.same({ scheme = "https", host = "A.example", port = "8443", path = "/x", query = "y=%20" },
            uri.parse("HTTPS://A.example:8443/x?y=%20"))
        assert.same({ scheme = "com.example.app", path = "/cb" }, uri.parse("com.example.app:/cb"))
        assert.same({ scheme = "http", host = "[::1]", path = "" }, uri.parse("http://[::1]"))
        assert.same({ scheme = "app", path = "", query = "x" }, uri.parse("app:?x"))
        assert.equal("65535", uri.parse("http://a:65535/").port)
        assert.is_table(uri.parse("app:" .. ("x"):rep(2044)))
        for _, text in ipairs({ "", "x", "/x", "1x:y", "https:", "http://a:65536/", "http://a b/", "http://u@a/",
            "http://a/#", "x:\n", "app:" .. ("x"):rep(2045) }) do
            assert.is_nil(uri.parse(text), text)
        end
    end)

    it("A24 may be redirected to: https anywhere, http on loopback, and the schemes of apps", function()
        for _, text in ipairs({ "https://a.example/cb", "http://localhost:5/", "http://[::1]/", "com.example.app:/cb" }) do
            assert.is_table(uri.redirect(text), text)
        end
        for _, text in ipairs({ "http://a.example/", "https:a.example", "http:localhost", "javascript:x", "https://*.example/",
            "https://a.example,b.example/" }) do
            assert.is_nil(uri.redirect(text), text)
        end
    end)

    it("A32 are compared without the port on loopback", function()
        local function comparable(text) return uri.comparable(text, uri.parse(text)) end
        assert.equal("http://localhost/cb?x", comparable("http://localhost:123/cb?x"))
        assert.equal("http://127.0.0.1/", comparable("http://127.0.0.1:5"))
        assert.equal("https://a.example:5", comparable("https://a.example:5"))
    end)

    it("A37 are shown by their host, or whole where an app is meant", function()
        assert.equal("a.example:5", uri.shown("https://a.example:5/secret?x"))
        assert.equal("cursor://x/y", uri.shown("cursor://x/y"))
    end)

    it("A35 mean this server, with or without slash and default port", function()
        for _, resource in ipairs({ "https://mcp.example.com", "https://MCP.example.com:443/", "https://mcp.example.com/mcp",
            "HTTPS://mcp.example.com/mcp/" }) do
            assert.is_true(uri.is_resource_of("https://mcp.example.com", resource), resource)
        end
        for _, resource in ipairs({ "http://mcp.example.com", "https://mcp.example.com:8443", "https://mcp.example.com/mcp?x",
            "https://mcp.example.com.evil.example", "https:mcp.example.com", "app://mcp.example.com", "mcp.example.com", "" }) do
            assert.is_false(uri.is_resource_of("https://mcp.example.com", resource), resource)
        end
    end)

    it("A39 get parameters behind a query that is there", function()
        assert.equal("https://a/?x=1", uri.join("https://a/", "x=1"))
        assert.equal("https://a/?y&x=1", uri.join("https://a/?y", "x=1"))
    end)
end)
