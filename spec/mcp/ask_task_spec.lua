local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("questions of a task", function()
    local ask_task, questions, fail, answers, listened, changes, shown

    before_each(function()
        local host = fake_host.install()
        answers, changes, shown = {}, {}, {}
        host.inbox.open = function()
            return setmetatable({
                listen = function(_, key) listened = key end,
                take = function() return "key", json.encode(table.remove(answers, 1)) end,
            }, { __close = function() end })
        end
        package.loaded["mcp.task_view"] = {
            put_questions = function(_, open) shown[#shown + 1] = open end,
            insist = function(_, change) changes[#changes + 1] = change.status end,
        }
        ask_task, questions, fail = require("mcp.ask_task"), require("mcp.questions"), require("fail")
    end)

    local function new(capabilities)
        local exchange = { capabilities = capabilities or { roots = {} }, revision = "2026-07-28" }
        return ask_task.new({ id = "t1", ttl_ms = 1000 }, exchange)
    end

    it("stand in the task until all are answered, in whatever pieces", function()
        answers = { { a = { roots = {} } }, { unknown = 1 }, { a = { late = true }, b = { roots = { 1 } } } }
        local given = new():inputs({ a = questions.roots(), b = questions.roots() })
        assert.same({ a = { roots = {} }, b = { roots = { 1 } } }, given)
        assert.equal("task answers t1", listened)
        assert.same({ "input_required", "working" }, changes)
    end)

    it("never use a key twice", function()
        answers = { { a = { n = 1 } }, { ["a-2"] = { n = 2 } } }
        local asking = new()
        assert.same({ n = 1 }, asking:inputs({ a = questions.roots() }).a)
        assert.same({ n = 2 }, asking:inputs({ a = questions.roots() }).a)
        assert.is_table(shown[1].a)
        assert.is_table(shown[2]["a-2"])
    end)

    it("are an error of the protocol where the client cannot be asked", function()
        local asking = new({})
        assert.is_false(asking:can(questions.roots()))
        local ok, raised = pcall(asking.inputs, asking, { a = questions.roots() })
        assert.is_false(ok)
        assert.equal(-32021, fail.refusal_of(raised).code)
        assert.same({}, changes)
    end)
end)
