local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("prompts/get", function()
    local prompts, registry, exchange, fail

    before_each(function()
        fake_host.install()
        prompts, exchange, fail = require("mcp.prompts"), require("mcp.exchange"), require("fail")
        registry = require("mcp.registry").new()
    end)

    local function define(handler)
        registry:add_prompt({
            name = "greet", description = "Greets", arguments = { { name = "name", required = true }, { name = "more" } },
            handler = handler,
        })
    end

    local function get(params, revision)
        local from = exchange.new({ era = "legacy", revision = revision or "2025-11-25", client = {}, bytes = 0 })
        local text, failure = prompts.run(registry, params, from)
        return text and json.decode(text), failure
    end

    it("gives messages in whatever form the handler wrote them", function()
        local value
        define(function(args) return type(value) == "function" and value(args) or value end)
        local function messages(given)
            value = given
            return get({ name = "greet", arguments = { name = "Ann" } }).messages
        end
        local hello = { { role = "user", content = { type = "text", text = "Hello" } } }
        assert.same(hello, messages("Hello"))
        assert.same(hello, messages({ type = "text", text = "Hello" }))
        assert.same(hello, messages({ role = "user", content = "Hello" }))
        assert.same(hello, messages({ "Hello" }))
        assert.same({ hello[1], { role = "assistant", content = { type = "text", text = "Hi" } } },
            messages({ messages = { "Hello", { role = "assistant", content = "Hi" } } }))
        assert.same("Hello Ann", messages(function(args) return "Hello " .. args.name end)[1].content.text)
        value = { description = "Own", messages = { "x" } }
        assert.equal("Own", get({ name = "greet", arguments = { name = "Ann" } }).description)
    end)

    it("refuses what it cannot be asked with -32602", function()
        define(function() return nil, "There is nobody of that name" end)
        for message, params in pairs({
            ["Invalid params: name must be a string"] = {},
            ['Unknown prompt "gret"; did you mean "greet"?'] = { name = "gret" },
            ["Invalid params: argument name is missing"] = { name = "greet" },
            ["Invalid params: argument more must be a string"] = { name = "greet", arguments = { name = "A", more = 5 } },
            ["Invalid params: arguments must be an object"] = { name = "greet", arguments = json.array({}) },
            ["Invalid params: There is nobody of that name"] = { name = "greet", arguments = { name = "A" } },
        }) do
            local _, failure = get(params)
            assert.same({ -32602, message }, { failure.code, failure.message })
        end
    end)

    it("M13 tells of what the handler does wrong in the log alone", function()
        local value
        define(function() return type(value) == "function" and value() or value end)
        for _, wrong in ipairs({
            5, true, { role = "nobody", content = "x" }, { content = { type = "text" } }, { messages = { {} } },
            { messages = { "x" }, description = 5 }, function() error("oops") end,
        }) do
            value = wrong
            local _, failure = get({ name = "greet", arguments = { name = "A" } })
            assert.equal(-32603, failure.code)
            assert.matches("^Internal error in greet", failure.message)
        end
        value = function() fail.refuse(-32000, "not today") end
        assert.equal(-32000, select(2, get({ name = "greet", arguments = { name = "A" } })).code)
    end)

    it("is in the form of the revision", function()
        define(function() return { type = "audio", data = "", mimeType = "audio/wav" } end)
        local params = { name = "greet", arguments = { name = "A" } }
        assert.equal("text", get(params, "2024-11-05").messages[1].content.type)
        assert.equal("audio", get(params, "2025-03-26").messages[1].content.type)
    end)
end)
