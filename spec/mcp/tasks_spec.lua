local fake_host = require("spec.support.fake_host")
local json = require("json")

local EXTENSION = "io.modelcontextprotocol/tasks"

describe("the methods about tasks", function()
    local tasks, host, task, exchange_of

    before_each(function()
        host = fake_host.install()
        task = { id = "t1", status = "working", created = "c", updated = "u", ttl_ms = 5, principal = "ann", tool = "t" }
        package.loaded["mcp.task_store"] = {
            get = function(id) return id == "t1" and task or nil end,
            update = function(_, changes)
                if task.status == "completed" then return nil end
                for name, value in pairs(changes) do task[name] = value end
                return task
            end,
        }
        local exchange = require("mcp.exchange")
        tasks = require("mcp.tasks")
        function exchange_of(principal, capabilities)
            return exchange.new({
                principal = principal or "ann", revision = "2026-07-28",
                capabilities = capabilities or { extensions = { [EXTENSION] = json.object({}) } },
            })
        end
    end)

    local function run(method, params, principal, capabilities)
        params.taskId = params.taskId or "t1"
        local text, failure, status = tasks.methods[method](nil, params, exchange_of(principal, capabilities))
        return text and json.decode(text), failure, status
    end

    it("are for clients that follow tasks, before anything else is looked at", function()
        for _, capabilities in ipairs({ {}, { extensions = json.array({}) }, { extensions = { [EXTENSION] = true } } }) do
            local _, failure, status = run("tasks/get", { taskId = "unknown" }, "ann", capabilities)
            assert.same({ -32021, 400 }, { failure.code, status })
            assert.is_table(failure.data.requiredCapabilities.extensions[EXTENSION])
        end
    end)

    it("know a task of their caller, and no other", function()
        assert.equal("t1", run("tasks/get", {}).taskId)
        for method in pairs(tasks.methods) do
            for _, case in ipairs({ { {}, "eve" }, { { taskId = "t2" }, "ann" }, { { taskId = 5 }, "ann" } }) do
                local params = { inputResponses = {} }
                for name, value in pairs(case[1]) do params[name] = value end
                local _, failure, status = run(method, params, case[2])
                assert.same({ -32602, nil }, { failure.code, status })
            end
        end
        assert.is_false(tasks.owned_by("t1", exchange_of("eve")))
        assert.is_true(tasks.owned_by("t1", exchange_of("ann")))
    end)

    it("take answers that fit what is open, leave the others open, and tell the handler", function()
        local view = require("mcp.task_view")
        local question = require("mcp.questions").form("Name?", {
            type = "object", properties = { name = { type = "string" } }, required = { "name" },
        })
        view.put_questions("t1", { a = question, b = question }, 1000)
        local good, bad = { action = "accept", content = { name = "Ann" } }, { action = "accept", content = { name = 5 } }
        assert.same({ resultType = "complete" }, run("tasks/update", { inputResponses = { a = good, b = bad, c = good } }))
        assert.is_nil(view.questions("t1").a)
        assert.is_table(view.questions("t1").b)
        assert.equal("task answers t1", host.sent[1][1])
        assert.same({ a = good }, json.decode(host.sent[1][2]))
        assert.equal(-32602, select(2, run("tasks/update", { inputResponses = { b = 5 } })).code)
        assert.equal(-32602, select(2, run("tasks/update", { inputResponses = json.array({}) })).code)
        assert.same({ resultType = "complete" }, run("tasks/update", { inputResponses = {} }))
        assert.equal(1, #host.sent)
    end)

    it("cancel what still runs, with its handler", function()
        assert.same({ resultType = "complete" }, run("tasks/cancel", {}))
        assert.equal("cancelled", task.status)
        assert.equal("task t1", host.stopped[1][1])
        task.status = "completed"
        assert.same({ resultType = "complete" }, run("tasks/cancel", {}))
        assert.equal(1, #host.stopped)
    end)

    it("let a tool be a task where it may and the client follows it", function()
        local optional, required = { task = { required = false } }, { task = { required = true } }
        local from = exchange_of()
        assert.is_nil(tasks.prepare(required, from))
        assert.is_function(from.tasks)
        local plain = exchange_of("ann", {})
        assert.is_nil(tasks.prepare(optional, plain))
        assert.is_nil(plain.tasks)
        assert.is_table(tasks.prepare(required, plain).extensions)
    end)
end)
