local fake_host = require("spec.support.fake_host")
local json = require("json")

local VERSION = "io.modelcontextprotocol/protocolVersion"
local CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
local CLIENT = "io.modelcontextprotocol/clientInfo"
local SERVER = "io.modelcontextprotocol/serverInfo"

describe("modern.handle", function()
    local host, modern, server

    before_each(function()
        host = fake_host.install()
        modern = require("mcp.modern")
        local tools = require("mcp.registry").new()
        tools:add({
            name = "echo", description = "d",
            input = {
                type = "object",
                properties = { text = { type = "string", ["x-mcp-header"] = "Text" }, any = true },
            },
            handler = function(args) return { content = args.text or "", structured = json.array({ 1 }) } end,
        })
        tools:seal()
        server = { registry = tools, info = { name = "sandstorm", version = "2.0.0" } }
    end)

    local function meta(version) return { [VERSION] = version or "2026-07-28", [CAPABILITIES] = json.object({}) } end

    local function good_headers(method, name)
        return { ["mcp-protocol-version"] = "2026-07-28", ["mcp-method"] = method, ["mcp-name"] = name }
    end

    local function handle(kind, message, headers)
        local transport = { bytes = 0, header = function(_, name) return headers[name] end }
        local status, body = modern.handle(server, kind, message, transport)
        return status, body and json.decode(body)
    end

    local function request(method, params, headers)
        local message = { jsonrpc = "2.0", id = "a", method = method, params = params or { _meta = meta() } }
        return handle("request", message, headers or good_headers(method))
    end

    local function call(params, changes)
        params._meta = params._meta or meta()
        local headers = good_headers("tools/call", params.name)
        for name, value in pairs(changes or {}) do headers[name] = value or nil end
        return request("tools/call", params, headers)
    end

    local function expect(status, code, got_status, answer)
        assert.equal(status, got_status)
        assert.equal(code, answer.error and answer.error.code)
        assert.equal("a", answer.id)
        return answer.error
    end

    it("tells what the server is", function()
        local status, answer = request("server/discover")
        assert.equal(200, status)
        assert.same({
            resultType = "complete", supportedVersions = { "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" },
            capabilities = {
                tools = { listChanged = true }, logging = {}, extensions = { ["io.modelcontextprotocol/tasks"] = {} },
            },
            ttlMs = 0, cacheScope = "private",
            _meta = { [SERVER] = { name = "sandstorm", version = "2.0.0" } },
        }, answer.result)
    end)

    it("lists tools with what caches need", function()
        local _, answer = request("tools/list")
        assert.equal("echo", answer.result.tools[1].name)
        assert.is_true(answer.result.tools[1].inputSchema.properties.any)
        assert.equal("complete", answer.result.resultType)
        assert.equal(0, answer.result.ttlMs)
        assert.equal("private", answer.result.cacheScope)
        assert.same({ name = "sandstorm", version = "2.0.0" }, answer.result._meta[SERVER])
    end)

    it("calls tools, and gives structured content of any type", function()
        local status, answer = call({ name = "echo", arguments = {} })
        assert.equal(200, status)
        assert.equal("complete", answer.result.resultType)
        assert.same({ 1 }, answer.result.structuredContent)
        assert.same({ name = "sandstorm", version = "2.0.0" }, answer.result._meta[SERVER])
    end)

    it("logs the client's own name", function()
        local params = { name = "echo", _meta = meta() }
        params._meta[CLIENT] = { name = "agent", version = "3" }
        call(params)
        assert.equal("agent", host.lines[1].fields.client)
        assert.equal("3", host.lines[1].fields.client_version)
    end)

    it("refuses _meta that lacks what each request must say", function()
        for _, params in ipairs({
            {}, { _meta = "x" }, { _meta = {} }, { _meta = { [CAPABILITIES] = {} } }, { _meta = { [VERSION] = "2026-07-28" } },
            { _meta = { [VERSION] = 5, [CAPABILITIES] = {} } }, { _meta = { [VERSION] = json.null, [CAPABILITIES] = {} } },
            { _meta = { [VERSION] = "2026-07-28", [CAPABILITIES] = json.array({}) } },
            { _meta = { [VERSION] = "2026-07-28", [CAPABILITIES] = {}, [CLIENT] = "x" } },
        }) do
            expect(400, -32602, request("server/discover", params))
        end
    end)

    it("wants the revision in the header too, and the same", function()
        local headers = good_headers("server/discover")
        headers["mcp-protocol-version"] = nil
        expect(400, -32020, request("server/discover", nil, headers))
        expect(400, -32020, request("server/discover", { _meta = meta("v999.0.0") }))
    end)

    it("tells the revisions that it has when another is asked for", function()
        for _, version in ipairs({ "v999.0.0", "2025-11-25" }) do
            local headers = good_headers("server/discover")
            headers["mcp-protocol-version"] = version
            local failure = expect(400, -32022, request("server/discover", { _meta = meta(version) }, headers))
            assert.equal(version, failure.data.requested)
            assert.equal("2026-07-28", failure.data.supported[1])
        end
    end)

    it("wants the method in a header, letter by letter", function()
        for _, method in ipairs({ "tools/list", "TOOLS/CALL", "" }) do
            expect(400, -32020, call({ name = "echo" }, { ["mcp-method"] = method }))
        end
        expect(400, -32020, call({ name = "echo" }, { ["mcp-method"] = false }))
    end)

    it("wants the tool's name in a header, plain or encoded", function()
        expect(400, -32020, call({ name = "echo" }, { ["mcp-name"] = false }))
        expect(400, -32020, call({ name = "echo" }, { ["mcp-name"] = "other" }))
        expect(400, -32020, call({ name = "echo" }, { ["mcp-name"] = "=?base64?ZWNobw?=" }))
        assert.equal(200, (call({ name = "echo" }, { ["mcp-name"] = "=?base64?ZWNobw==?=" })))
        assert.equal(200, (request("tools/list", nil, good_headers("tools/list", "ignored"))))
    end)

    it("wants arguments in headers where the schema says so", function()
        local arguments = { text = "Hello" }
        expect(400, -32020, call({ name = "echo", arguments = arguments }))
        expect(400, -32020, call({ name = "echo", arguments = arguments }, { ["mcp-param-text"] = "=?base64?SGVsbG8?=" }))
        assert.equal(200, (call({ name = "echo", arguments = arguments }, { ["mcp-param-text"] = "Hello" })))
        assert.equal(200, (call({ name = "echo", arguments = arguments }, { ["mcp-param-text"] = "=?base64?SGVsbG8=?=" })))
        assert.equal(200, (call({ name = "echo", arguments = { text = json.null } })))
    end)

    it("M13 answers methods that it does not have with 404, those of the handshake included", function()
        for _, method in ipairs({
            "initialize", "ping", "logging/setLevel", "resources/subscribe", "prompts/list", "unknown/method",
        }) do
            expect(404, -32601, request(method))
        end
    end)

    it("M13 answers an unknown tool with 200 and -32602: anything else would look like another era", function()
        local failure = expect(200, -32602, call({ name = "ecko" }))
        assert.matches('did you mean "echo"', failure.message)
        expect(200, -32602, call({}))
    end)

    it("knows no cursor", function()
        expect(200, -32602, request("tools/list", { cursor = "x", _meta = meta() }))
    end)

    it("M05 takes notifications with 202 and nothing, and refuses answers", function()
        local status, body = handle("notification", { jsonrpc = "2.0", method = "notifications/x" }, {})
        assert.equal(202, status)
        assert.is_nil(body)
        local refused, answer = handle("response", { jsonrpc = "2.0", id = 1, result = {} }, {})
        assert.equal(400, refused)
        assert.equal(-32600, answer.error.code)
    end)

    it("keeps the _meta of a handler's result, and does not change it", function()
        local own = { ["x/y"] = 1 }
        server.registry:add({
            name = "own", description = "d", input = { type = "object" },
            handler = function() return { content = "", _meta = own } end,
        })
        local _, answer = call({ name = "own" })
        assert.equal(1, answer.result._meta["x/y"])
        assert.is_table(answer.result._meta[SERVER])
        assert.same({ ["x/y"] = 1 }, own)
    end)
end)
