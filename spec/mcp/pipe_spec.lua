local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("the pipe", function()
    local pipe, host, server

    before_each(function()
        host = fake_host.install()
        pipe = require("mcp.pipe")
        local registry = require("mcp.registry").new()
        registry:add({ name = "echo", description = "d", input = { type = "object" }, handler = function() return "said" end })
        registry:seal()
        server = { registry = registry, info = { name = "sandstorm", version = "2.0.0" } }
    end)

    -- Writes a line to the server; returns what it spawned, if anything.
    local function line(message)
        local before = #host.spawned
        pipe.line(server, type(message) == "string" and message or json.encode(message))
        return host.spawned[before + 1]
    end

    local function written()
        local list = {}
        for _, sent in ipairs(host.sent) do list[#list + 1] = json.decode(sent[2]) end
        return list
    end

    local CALL = { jsonrpc = "2.0", id = 7, method = "tools/call", params = { name = "echo" } }

    it("answers each line in a fiber of its own, which has its name before anything else", function()
        local run = line(CALL)
        assert.same({}, written())
        run.handler()
        assert.equal("call pipe 7", host.tag)
        assert.equal("said", written()[1].result.content[1].text)
    end)

    it("answers what is no JSON at once", function()
        assert.is_nil(line("nonsense"))
        assert.same({ -32700, json.null }, { written()[1].error.code, written()[1].id })
    end)

    it("answers a request that fails inside, and tells the client nothing of the inside", function()
        server.registry.find = function() error("database is locked: /secret/path") end
        line(CALL).handler()
        local answer = written()[1]
        assert.same({ 7, -32603 }, { answer.id, answer.error.code })
        assert.is_nil(answer.error.message:find("secret", 1, true))
        assert.matches("/secret/path", host.lines[#host.lines].fields.error)
    end)

    it("answers a request that was stopped before its work began, and nothing to a notification", function()
        line(CALL).limits.on_stop("stopped: the server is shutting down")
        assert.equal("The request was stopped: the server is shutting down", written()[1].error.message)
        line({ jsonrpc = "2.0", method = "notifications/initialized" }).limits.on_stop("stopped: x")
        line({ jsonrpc = "2.0", id = 3, result = json.object({}) }).limits.on_stop("stopped: x")
        assert.equal(1, #written())
    end)

    it("answers nothing to what the client cancelled", function()
        line(CALL).limits.on_stop("stopped: cancelled by the client")
        assert.same({}, written())
    end)
end)
