local fake_host = require("spec.support.fake_host")

describe("ctx", function()
    local host, context, fail

    before_each(function()
        host = fake_host.install()
        context, fail = require("mcp.context"), require("fail")
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

    it("knows whether somebody follows the call", function()
        local function followed(fields, meta)
            fields.client = { name = "curl" }
            return context.new("echo", fields, meta or {}):is_followed()
        end
        assert.is_false(followed({}))
        assert.is_false(followed({ asker = {} }))
        assert.is_true(followed({}, { progressToken = 0 }))
        assert.is_true(followed({ on_progress = function() end }))
        assert.is_true(followed({ asker = { begin_task = function() end } }))
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

    describe("tells its client", function()
        local sent, exchange

        before_each(function()
            sent = {}
            exchange = {
                client = {}, log_level = "warning",
                notify = function(_, method, params) sent[#sent + 1] = { method, params } end,
                progress = function(_, params) sent[#sent + 1] = { "progress", params } end,
            }
        end)

        local function ctx(meta) return context.new("echo", exchange, meta or { progressToken = "t" }) end

        it("how far it is, if that grows and comes not too fast", function()
            local call = ctx()
            call:progress(0, 10)
            call:progress(1, 10, "too soon")
            host.now = 10
            call:progress(2, 10, "in time")
            call:progress(2, 10, "no news")
            call:progress(10, 10, "the end, whenever")
            local steps = {}
            for position, message in ipairs(sent) do steps[position] = message[2].progress end
            assert.same({ 0, 2, 10 }, steps)
            assert.same({ progressToken = "t", progress = 2, total = 10, message = "in time" }, sent[2][2])
        end)

        it("nothing of progress without a token that is one", function()
            for _, token in ipairs({ 1.5, true, {} }) do ctx({ progressToken = token }):progress(1) end
            ctx({}):progress(1)
            assert.same({}, sent)
            ctx({ progressToken = 7 }):progress(1)
            assert.equal(7, sent[1][2].progressToken)
        end)

        it("nothing that progress cannot be", function()
            for _, wrong in ipairs({ { "1" }, { 1, "2" }, { 1, 2, 3 }, { 0 / 0 }, { 1 / 0 }, { 1, 0 / 0 }, { 1, -1 / 0 } }) do
                local ok, raised = pcall(ctx().progress, ctx(), table.unpack(wrong))
                assert.is_false(ok)
                assert.matches("ctx:progress: expected", raised, 1, true)
            end
            assert.same({}, sent)
        end)

        it("no more questions at one time than can be answered", function()
            local asked = {}
            exchange.questions = function() return { inputs = function() return "answers" end } end
            for number = 1, 64 do asked["q" .. number] = {} end
            assert.equal("answers", ctx():inputs(asked))
            asked.more = {}
            assert.has_error(function() ctx():inputs(asked) end, "ctx:inputs: expected at most 64 questions")
        end)

        it("messages of the level that it wants, and above", function()
            ctx():log("info", "quiet")
            ctx():log("warning", "plain")
            ctx():log("error", "with fields", { n = 1 })
            assert.equal(2, #sent)
            assert.same({ level = "warning", logger = "echo", data = "plain" }, sent[1][2])
            assert.same({ message = "with fields", n = 1 }, sent[2][2].data)
        end)
    end)
end)
