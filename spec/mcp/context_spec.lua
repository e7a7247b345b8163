local fake_host = require("spec.support.fake_host")

describe("ctx", function()
    local host, context, fail

    before_each(function()
        host = fake_host.install()
        context, fail = require("mcp.context"), require("mcp.fail")
    end)

    local function new() return context.new("echo", { client = { name = "curl" } }, { ["x/y"] = 1 }) end

    it("knows the call", function()
        local ctx = new()
        assert.equal("echo", ctx.tool)
        assert.equal("curl", ctx.client.name)
        assert.same({ ["x/y"] = 1 }, ctx.meta)
    end)

    it("makes paths absolute, names that are not UTF-8 included", function()
        assert.equal("/w/a/b", new():path("a/b"))
        assert.equal("/w/a\xff", new():path("$'a\\xff'"))
    end)

    it("ends the call with a message for the agent when a path lies outside", function()
        local ok, raised = pcall(function() new():path("../x") end)
        assert.is_false(ok)
        assert.equal('Path "../x" is outside the allowed directory (/w)', fail.message_of(raised))
    end)

    it("logs with the tool's name", function()
        new():log("warning", "odd", { count = 3 })
        assert.same({ level = "warning", logger = "tool", message = "odd", fields = { tool = "echo", count = 3 } }, host.lines[1])
    end)

    it("refuses a level that the log does not have", function()
        local ok, raised = pcall(function() new():log("loud", "x") end)
        assert.is_false(ok)
        assert.matches("context_spec.lua:%d+: ctx:log: there is no level loud$", raised)
    end)
end)
