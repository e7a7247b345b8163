local fake_host = require("spec.support.fake_host")
local tmp = require("spec.support.tmp")

describe("script.run", function()
    local script, tools

    before_each(function()
        fake_host.install()
        script, tools = require("mcp.script"), require("mcp.registry").new()
    end)

    local function run(text) script.run(tmp.file("tools.lua", text), tools) end

    local function complaint(text)
        local ok, raised = pcall(run, text)
        assert.is_false(ok)
        return raised
    end

    local TOOL = 'tool { name = "a", description = "d", input = { type = "object" }, handler = function() %s end }'

    it("adds the tools that a script defines", function()
        run(TOOL:format('return "x"'))
        assert.same({ "a" }, tools:names())
    end)

    it("gives scripts the standard library, require and json", function()
        run([[
            assert(json.encode({}) == "{}" and require("json") == json)
            assert(string.format("%d", 5) == "5" and type(require) == "function")
        ]])
    end)

    it("tells file and line of a definition that is wrong", function()
        local text = complaint("\n\n" .. TOOL:format("") .. "\ntool {\n  name = 'b',\n}")
        assert.matches('tools.lua:4: tool "b": field description is missing', text)
    end)

    it("tells file and line of what is no Lua, and of what raises", function()
        assert.matches("tools.lua:2: ", complaint("\ntool {{"))
        assert.matches("tools.lua:3: boom", complaint("\n\nerror('boom')"))
    end)

    it("says so when there is no such file", function()
        local ok, raised = pcall(script.run, "/nowhere/tools.lua", tools)
        assert.is_false(ok)
        assert.matches("/nowhere/tools.lua", raised)
    end)

    it("lets a script have names of its own while it is read, and none afterwards", function()
        run("count = 1; function bump() count = count + 1 end; bump(); assert(count == 2)\n" .. TOOL:format("bump()"))
        assert.is_nil(rawget(_G, "count"))
        local ok, raised = pcall(tools:find("a").handler)
        assert.is_false(ok)
        assert.matches("global count: scripts keep no state between calls", raised)
    end)

    it("offers tool.fail, and does not let the word be changed", function()
        run(TOOL:format('tool.fail("no")'))
        local ok, raised = pcall(tools:find("a").handler)
        assert.is_false(ok)
        assert.equal("no", require("fail").message_of(raised))
        assert.matches("tools.lua:1: tool is read%-only", complaint("tool.x = 1"))
    end)
end)
