local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("completion/complete", function()
    local complete, registry, exchange

    before_each(function()
        fake_host.install()
        complete, exchange = require("mcp.complete"), require("mcp.exchange")
        registry = require("mcp.registry").new()
        registry:add_prompt({ name = "p", description = "d", handler = print, arguments = { { name = "a" }, { name = "b" } } })
        registry:add_template({ uri_template = "t:{id}", name = "n", handler = print })
        registry:add_resource({ uri = "r:1", name = "r", handler = print })
    end)

    local PROMPT, TEMPLATE = { type = "ref/prompt", name = "p" }, { type = "ref/resource", uri = "t:{id}" }

    local function ask(ref, name, value, context)
        local from = exchange.new({ era = "legacy", revision = "2025-11-25", client = {}, bytes = 0 })
        local params = { ref = ref, argument = { name = name, value = value or "" }, context = context }
        local text, failure = complete.run(registry, params, from)
        return text and json.decode(text).completion, failure, text
    end

    local function define(handler) registry:add_completion({ prompt = "p", argument = "a", handler = handler }) end

    it("gives the handler what was typed and chosen, and the client a hundred values at most", function()
        local got
        define(function(value, ctx)
            got = { value, ctx.arguments.b }
            local values = {}
            for number = 1, 120 do values[number] = number end
            return values
        end)
        local completion = ask(PROMPT, "a", "x", { arguments = { b = "chosen" } })
        assert.same({ "x", "chosen" }, got)
        assert.same({ 100, 120, true, "1" }, { #completion.values, completion.total, completion.hasMore, completion.values[1] })
    end)

    it("says that there are no more where a hundred are all", function()
        define(function()
            local values = {}
            for number = 1, 100 do values[number] = number end
            return values
        end)
        local completion = ask(PROMPT, "a")
        assert.same({ 100, 100, false }, { #completion.values, completion.total, completion.hasMore })
    end)

    it("J02 gives an empty list where there is nothing to suggest", function()
        define(function() return {} end)
        local plain = { type = "ref/resource", uri = "r:1" }
        for _, ref in ipairs({ { PROMPT, "a" }, { PROMPT, "b" }, { TEMPLATE, "id" }, { plain, "x" } }) do
            local completion, _, text = ask(ref[1], ref[2])
            assert.same({ {}, 0, false }, { completion.values, completion.total, completion.hasMore })
            assert.matches('"values":[]', text, 1, true)
        end
    end)

    it("refuses what there is not with -32602", function()
        define(function() return nil, "Not like that" end)
        for message, case in pairs({
            ['there is no prompt "q"'] = { { type = "ref/prompt", name = "q" }, "a" },
            ['the prompt has no argument "z"'] = { PROMPT, "z" },
            ['the template has no place "z"'] = { TEMPLATE, "z" },
            ['there is no resource "t:1"'] = { { type = "ref/resource", uri = "t:1" }, "id" },
            ["ref must be a ref/prompt or a ref/resource"] = { { type = "x" }, "a" },
            ["ref.name must be a string"] = { { type = "ref/prompt" }, "a" },
            ["argument must have a name and a value that are strings"] = { PROMPT, 5 },
            ["Not like that"] = { PROMPT, "a" },
        }) do
            local _, failure = ask(case[1], case[2])
            assert.same({ -32602, "Invalid params: " .. message }, { failure.code, failure.message })
        end
    end)

    it("M13 tells of what the handler does wrong in the log alone", function()
        local value
        define(function() return type(value) == "function" and value() or value end)
        for _, wrong in ipairs({ "text", 5, { {} }, { true }, function() error("oops") end }) do
            value = wrong
            assert.equal(-32603, select(2, ask(PROMPT, "a")).code)
        end
    end)
end)
