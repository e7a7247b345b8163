local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("call.run", function()
    local host, call, exchange, tools

    before_each(function()
        host = fake_host.install()
        call, exchange, tools = require("mcp.call"), require("mcp.exchange"), require("mcp.registry").new()
    end)

    local function define(handler, more)
        local given = {
            name = "echo", description = "d", handler = handler,
            input = { type = "object", properties = { text = { type = "string" }, n = { type = { "integer", "null" } } } },
        }
        for name, value in pairs(more or {}) do given[name] = value end
        assert(tools:add(given))
    end

    local function run(params, fields)
        local from = { era = "legacy", revision = "2025-11-25", client = exchange.client("curl", "8"), bytes = 20 }
        for name, value in pairs(fields or {}) do from[name] = value end
        local text, failure = call.run(tools, params, exchange.new(from))
        return text and json.decode(text), failure
    end

    local function text_of(result) return result.content[1].text end

    it("calls the handler with checked arguments and gives its result", function()
        local got
        define(function(args, ctx)
            got = { args, ctx.tool, ctx.meta, ctx.client.name }
            return "said " .. args.text
        end)
        local result = run({ name = "echo", arguments = { text = "x", n = json.null }, _meta = { ["a/b"] = 1 } })
        assert.same({ content = { { type = "text", text = "said x" } }, isError = false }, result)
        assert.same({ { text = "x" }, "echo", { ["a/b"] = 1 }, "curl" }, got)
    end)

    it("takes absent and null arguments for none", function()
        define(function(args) return tostring(next(args)) end)
        assert.equal("nil", text_of(run({ name = "echo" })))
        assert.equal("nil", text_of(run({ name = "echo", arguments = json.null })))
    end)

    it("M13 answers an unknown tool with -32602 and the nearest name", function()
        define(function() return "" end)
        local result, failure = run({ name = "ecko" })
        assert.is_nil(result)
        assert.same({ code = -32602, message = 'Unknown tool "ecko"; did you mean "echo"?' }, failure)
    end)

    it("answers parameters of the wrong shape with -32602", function()
        define(function() return "" end)
        local array = json.array({})
        for _, params in ipairs({ {}, { name = 5 }, { name = "echo", arguments = array }, { name = "echo", arguments = "x" } }) do
            local result, failure = run(params)
            assert.is_nil(result)
            assert.equal(-32602, failure.code)
        end
    end)

    it("M13 answers bad arguments with a result that the agent reads, and does not call the handler", function()
        local called = false
        define(function() called = true end)
        local result = run({ name = "echo", arguments = { text = 5 } })
        assert.is_true(result.isError)
        assert.equal("text: expected a string, got number 5", text_of(result))
        assert.is_false(called)
    end)

    it("gives the agent the message of nil and a message, and of tool.fail from any depth", function()
        define(function(args)
            if args.text == "return" then return nil, "why" end
            local function deep() require("fail").raise("deep") end
            deep()
        end)
        local failed = { content = { { type = "text", text = "why" } }, isError = true }
        assert.same(failed, run({ name = "echo", arguments = { text = "return" } }))
        assert.equal("deep", text_of(run({ name = "echo" })))
        assert.equal(0, #host.lines - 2) -- two lines for the calls, none about an internal error
    end)

    it("M13 logs whatever else is raised, and tells the agent the id alone", function()
        local raised
        define(function() error(raised) end)
        local odd = setmetatable({}, { __tostring = function() return "odd" end })
        for _, value in ipairs({ "text", { "table" }, 5, odd, false }) do
            raised = value
            local result = run({ name = "echo" })
            assert.is_true(result.isError)
            assert.equal("Internal error in echo; the server's log has it under 0123456789abcdef", text_of(result))
            local line = host.lines[#host.lines - 1]
            assert.equal("error", line.level)
            assert.matches("call_spec.lua", line.fields.trace)
        end
        raised = nil
        assert.is_true(run({ name = "echo" }).isError)
    end)

    it("takes a result that is none for an internal error", function()
        define(function() return 5 end)
        assert.matches("^Internal error in echo", text_of(run({ name = "echo" })))
        assert.matches("content is a number", host.lines[1].fields.error)
    end)

    for name, value in pairs({
        ["NaN"] = 0 / 0, ["infinity"] = math.huge, ["a function"] = print, ["mixed keys"] = { 1, a = 2 },
        ["a cycle"] = (function()
            local t = {}
            t.t = t
            return t
        end)(),
    }) do
        it("J07 J05 takes " .. name .. " in a result for an internal error, and answers", function()
            define(function() return { content = "x", structured = { value = value } } end)
            local result = run({ name = "echo" })
            assert.is_true(result.isError)
            assert.matches("^Internal error in echo", text_of(result))
            assert.matches("json.encode", host.lines[1].fields.error)
        end)

        it("J07 J05 the same without content, where the text is made of it", function()
            define(function() return { structured = { value = value } } end)
            assert.matches("^Internal error in echo", text_of(run({ name = "echo" })))
            assert.matches("json.encode", host.lines[1].fields.error)
        end)
    end

    it("takes a result that raises when it is looked at for an internal error", function()
        define(function() return setmetatable({}, { __index = function() error("do not look") end }) end)
        assert.matches("^Internal error in echo", text_of(run({ name = "echo" })))
        assert.matches("do not look", host.lines[1].fields.error)
    end)

    describe("with an output schema", function()
        local OUTPUT = { type = "object", properties = { n = { type = "integer" } }, required = { "n" } }

        it("lets through what satisfies it", function()
            define(function() return { content = "x", structured = { n = 1 } } end, { output = OUTPUT })
            assert.same({ n = 1 }, run({ name = "echo" }).structuredContent)
        end)

        it("takes what breaks it for an internal error", function()
            define(function() return { content = "x", structured = { n = "one" } } end, { output = OUTPUT })
            assert.is_true(run({ name = "echo" }).isError)
            assert.matches("breaks the tool's output schema: n: expected an integer", host.lines[1].fields.error)
        end)

        it("takes a result without structure for an internal error, unless the call failed", function()
            define(function(args)
                if args.text then return nil, args.text end
                return "x"
            end, { output = OUTPUT })
            assert.matches("Internal error", text_of(run({ name = "echo" })))
            assert.equal("why", text_of(run({ name = "echo", arguments = { text = "why" } })))
        end)

        it("checks structured errors too", function()
            define(function() return { content = "x", structured = {}, isError = true } end, { output = OUTPUT })
            assert.matches("Internal error", text_of(run({ name = "echo" })))
        end)
    end)

    it("logs each call: tool, outcome, duration, bytes, client, era", function()
        define(function()
            host.now = host.now + 12.4
            return "x"
        end)
        local encoded = call.run(tools, { name = "echo" }, exchange.new({
            era = "modern", revision = "2026-07-28", client = exchange.client("curl", "8"), bytes = 20,
        }))
        assert.same({
            level = "info", logger = "call", message = "tools/call",
            fields = {
                tool = "echo", outcome = "ok", duration_ms = 12, bytes_in = 20, bytes_out = #encoded, client = "curl",
                client_version = "8", era = "modern",
            },
        }, host.lines[1])
    end)

    it("logs how a call ended", function()
        define(function(args)
            if args.text == "fail" then return nil, "no" end
            if args.text == "raise" then error("x") end
            return "x"
        end)
        local outcomes = {}
        for _, text in ipairs({ "good", "fail", "raise", 5 }) do
            run({ name = "echo", arguments = { text = text } })
            outcomes[#outcomes + 1] = host.lines[#host.lines].fields.outcome
        end
        assert.same({ "ok", "error", "internal", "refused" }, outcomes)
    end)

    it("prepares the answer for a handler that is stopped", function()
        local stopped, result
        local reason = "tools.lua:5: stopped: it computed for more than 2000 ms"
        define(function()
            result = json.decode(stopped(reason))
            return "x"
        end)
        run({ name = "echo" }, { transport = { on_long = function(_, answer) stopped = answer end } })
        assert.is_true(result.isError)
        assert.equal("echo was stopped: it computed for more than 2000 ms", text_of(result)) -- M13: nothing of the inside
        assert.same({ tool = "echo", reason = reason }, host.lines[1].fields)
        assert.equal("stopped", host.lines[2].fields.outcome)
        assert.equal(2, #host.lines) -- a call ends once
    end)
end)
