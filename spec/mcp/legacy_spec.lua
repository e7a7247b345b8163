local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("legacy.handle", function()
    local legacy, server

    before_each(function()
        fake_host.install()
        legacy = require("mcp.legacy")
        local tools = require("mcp.registry").new()
        tools:add({
            name = "echo", description = "d", input = { type = "object" }, annotations = { readOnlyHint = true },
            output = { type = "object", properties = { result = { type = "string" } } },
            handler = function() return "said" end,
        })
        tools:seal()
        server = { registry = tools, info = { name = "sandstorm", version = "2.0.0" } }
    end)

    local function handle(kind, message, headers)
        local transport = { bytes = 0, header = function(_, name) return (headers or {})[name] end }
        local status, body = legacy.handle(server, kind, message, transport)
        return status, body and json.decode(body)
    end

    local function request(method, params, headers)
        return handle("request", { jsonrpc = "2.0", id = 7, method = method, params = params }, headers)
    end

    local function hello(version)
        return { protocolVersion = version, capabilities = {}, clientInfo = { name = "x", version = "1" } }
    end

    it("answers initialize with the revision asked for, or with its newest", function()
        for asked, given in pairs({
            ["2024-11-05"] = "2024-11-05", ["2025-03-26"] = "2025-03-26", ["2025-06-18"] = "2025-06-18",
            ["2025-11-25"] = "2025-11-25", ["2026-07-28"] = "2025-11-25", ["1999-01-01"] = "2025-11-25",
        }) do
            local status, answer = request("initialize", hello(asked))
            assert.equal(200, status)
            assert.same({
                jsonrpc = "2.0", id = 7,
                result = {
                    protocolVersion = given, capabilities = { tools = { listChanged = true }, logging = {} },
                    serverInfo = { name = "sandstorm", version = "2.0.0" },
                },
            }, answer)
        end
    end)

    it("refuses an initialize that lacks what it must have", function()
        for _, field in ipairs({ "protocolVersion", "capabilities", "clientInfo" }) do
            local params = hello("2025-11-25")
            params[field] = nil
            local status, answer = request("initialize", params)
            assert.equal(200, status)
            assert.equal(-32602, answer.error.code)
            assert.matches(field, answer.error.message)
        end
        assert.equal(-32602, select(2, request("initialize")).error.code)
    end)

    it("answers ping with an empty object, params or not", function()
        local transport = { bytes = 0, header = function() end }
        local message = { jsonrpc = "2.0", id = 7, method = "ping", params = { x = 1 } }
        local _, body = legacy.handle(server, "request", message, transport)
        assert.equal('{"jsonrpc":"2.0","id":7,"result":{}}', body)
    end)

    it("lists tools in the revision that the header says, else in its newest", function()
        local _, old = request("tools/list", nil, { ["mcp-protocol-version"] = "2024-11-05" })
        assert.is_nil(old.result.tools[1].annotations)
        local _, new = request("tools/list", json.null)
        assert.same({ readOnlyHint = true }, new.result.tools[1].annotations)
        assert.is_table(new.result.tools[1].outputSchema)
    end)

    it("knows no cursor", function()
        assert.equal(-32602, select(2, request("tools/list", { cursor = "abc" })).error.code)
        assert.equal(-32602, select(2, request("tools/list", { cursor = "" })).error.code)
        assert.is_table(select(2, request("tools/list", { cursor = json.null })).result)
    end)

    it("calls tools in the revision that the header says, without any session", function()
        local _, new = request("tools/call", { name = "echo" })
        local content = { { type = "text", text = "said" } }
        assert.same({ content = content, structuredContent = { result = "said" }, isError = false }, new.result)
        local _, old = request("tools/call", { name = "echo" }, { ["mcp-protocol-version"] = "2025-03-26" })
        assert.same({ content = content, isError = false }, old.result)
    end)

    it("ignores a task that it did not offer", function()
        assert.equal("said", select(2, request("tools/call", { name = "echo", task = { ttl = 1 } })).result.content[1].text)
    end)

    it("M13 answers an unknown method with 200 and -32601", function()
        local status, answer = request("server/discover")
        assert.equal(200, status)
        assert.equal(7, answer.id)
        assert.equal(-32601, answer.error.code)
    end)

    it("M05 takes notifications and answers with 202 and nothing", function()
        for _, method in ipairs({ "notifications/initialized", "notifications/cancelled", "notifications/nope", "tools/call" }) do
            local status, body = handle("notification", { jsonrpc = "2.0", method = method })
            assert.equal(202, status)
            assert.is_nil(body)
        end
        local status, body = handle("response", { jsonrpc = "2.0", id = 7, result = {} })
        assert.equal(202, status)
        assert.is_nil(body)
    end)

    it("J02 lists no tools as an empty array", function()
        local empty = require("mcp.registry").new()
        empty:seal()
        server.registry = empty
        local _, body = legacy.handle(server, "request", { id = 1, method = "tools/list" }, { header = function() end })
        assert.equal('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}', body)
    end)
end)
