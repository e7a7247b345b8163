local fake_host = require("spec.support.fake_host")
local tmp = require("spec.support.tmp")

local SCRIPT = [[
tool {
  name = "greet", title = "Greet", description = "Says hello\nto somebody",
  input = { type = "object", properties = { times = { type = "integer" }, name = { type = "string" } }, required = { "name" } },
  handler = function(args)
    if args.name == "nobody" then return nil, "there is nobody" end
    return ("Hello, " .. args.name .. "! "):rep(args.times or 1)
  end,
}
tool {
  name = "mixed", description = "Several\nthings", input = { type = "object" },
  handler = function() return { "a", { type = "image", data = "AA==", mimeType = "image/png" } } end,
}
]]

describe("app.load", function()
    local app

    before_each(function()
        fake_host.install()
        app = require("app")
    end)

    local function load(text) return app.load(tmp.file("tools.lua", text)) end

    it("gives the routes", function()
        local paths = {} -- a set
        for _, route in ipairs(load(SCRIPT).routes) do
            assert.is_nil(paths[route.path], route.path)
            paths[route.path] = true
        end
        for _, path in ipairs({
            "/mcp", "/mcp/", "/health", "/metrics", "/session/create", "/session/{id}/exec", "/session/{id}/status",
            "/session/{id}/extend", "/session/{id}", "/oauth/register",
        }) do
            assert.is_true(paths[path], path)
        end
    end)

    it("runs a tool for the command line, arguments as text", function()
        local loaded = load(SCRIPT)
        assert.same({ true, "Hello, you! Hello, you! " }, { loaded.call("greet", { name = "you", times = "2" }) })
        assert.same({ false, "there is nobody" }, { loaded.call("greet", { name = "nobody" }) })
        assert.same({ false, 'Unknown tool "gret"; did you mean "greet"?' }, { loaded.call("gret", {}) })
        local ok, text = loaded.call("greet", {})
        assert.is_false(ok)
        assert.matches("^name: required", text)
        assert.same({ true, 'a\n{"data":"AA==","mimeType":"image/png","type":"image"}' }, { loaded.call("mixed", {}) })
    end)

    it("describes the tools", function()
        assert.equal(
            "greet                      name [times]               Greet\n"
            .. "mixed                                                 Several\n"
            .. "2 tools", load(SCRIPT).describe())
    end)

    it("tells file and line of what is wrong", function()
        local ok, raised = pcall(load, SCRIPT .. "tool { name = 5 }")
        assert.is_false(ok)
        assert.matches("tools.lua:13: tool: field name must be a string, got number", raised)
    end)

    it("keeps the tools of two readings apart", function()
        local one, two = load(SCRIPT), load("")
        assert.is_true(one.call("greet", { name = "you" }))
        assert.is_false((two.call("greet", { name = "you" })))
        assert.equal("0 tools", two.describe())
    end)
end)
