local fake_host = require("spec.support.fake_host")

describe("headers that repeat a message", function()
    local modern_headers

    setup(function()
        fake_host.install()
        modern_headers = require("mcp.modern_headers")
    end)

    local function code(method, params, headers, revision)
        params._meta = { ["io.modelcontextprotocol/protocolVersion"] = revision or "2026-07-28" }
        local transport = { header = headers and function(_, name) return headers[name] end }
        local failure = modern_headers.wrong({ method = method, params = params }, transport)
        return failure and failure.code
    end

    local RIGHT = { ["mcp-protocol-version"] = "2026-07-28", ["mcp-method"] = "tools/call", ["mcp-name"] = "x" }
    local function with(changes)
        local headers = {}
        for name, value in pairs(RIGHT) do headers[name] = value end
        for name, value in pairs(changes) do headers[name] = value or nil end
        return headers
    end

    it("are right, or tell in which way they are wrong", function()
        assert.is_nil(code("tools/call", { name = "x" }, RIGHT))
        assert.is_nil(code("tools/call", { name = "x" }, with({ ["mcp-name"] = "=?base64?eA==?=" })))
        for _, changes in ipairs({
            { ["mcp-protocol-version"] = false }, { ["mcp-protocol-version"] = "2025-11-25" }, { ["mcp-method"] = false },
            { ["mcp-method"] = "TOOLS/CALL" }, { ["mcp-name"] = false }, { ["mcp-name"] = "y" },
            { ["mcp-name"] = "=?base64?x?=" },
        }) do
            assert.equal(-32020, code("tools/call", { name = "x" }, with(changes)))
        end
        assert.equal(-32022, code("tools/call", { name = "x" }, with({ ["mcp-protocol-version"] = "v9" }), "v9"))
    end)

    it("are given once", function()
        local function twice(_, name) return RIGHT[name], name == "mcp-name" and 2 or 1 end
        local params = { name = "x", _meta = { ["io.modelcontextprotocol/protocolVersion"] = "2026-07-28" } }
        local failure = modern_headers.wrong({ method = "tools/call", params = params }, { header = twice })
        assert.equal("Header mismatch: Mcp-Name is given twice", failure.message)
    end)

    it("name what the method is about", function()
        for method, params in pairs({
            ["prompts/get"] = { name = "x" }, ["resources/read"] = { uri = "x" }, ["tasks/get"] = { taskId = "x" },
            ["tasks/update"] = { taskId = "x" }, ["tasks/cancel"] = { taskId = "x" },
        }) do
            assert.is_nil(code(method, params, with({ ["mcp-method"] = method })))
            assert.equal(-32020, code(method, params, with({ ["mcp-method"] = method, ["mcp-name"] = "y" })))
        end
        assert.is_nil(code("tools/list", {}, with({ ["mcp-method"] = "tools/list", ["mcp-name"] = false })))
    end)

    it("are not there on a pipe, where only the revision counts", function()
        assert.is_nil(code("tools/call", { name = "x" }, false))
        assert.equal(-32022, code("tools/call", { name = "x" }, false, "2025-11-25"))
    end)
end)
