local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("a task as clients see it", function()
    local task_view, host, task

    before_each(function()
        host = fake_host.install()
        task = { id = "t1", status = "working", created = "c", updated = "u", ttl_ms = 5, principal = "ann", tool = "secret" }
        package.loaded["mcp.task_store"] = { update = function(_, changes)
            if task.status == "completed" then return nil end
            for name, value in pairs(changes) do task[name] = value end
            return task
        end }
        task_view = require("mcp.task_view")
    end)

    it("says what every message says, and nothing of its owner", function()
        task.message = "half"
        assert.same({
            taskId = "t1", status = "working", statusMessage = "half", createdAt = "c", lastUpdatedAt = "u", ttlMs = 5,
            pollIntervalMs = 500,
        }, task_view.detailed(task))
    end)

    it("has its questions while they are open; just answered it works again", function()
        task.status = "input_required"
        task_view.put_questions("t1", { name = { method = "roots/list" } }, 1000)
        assert.same({ name = { method = "roots/list" } }, task_view.detailed(task).inputRequests)
        task_view.put_questions("t1", {}, 1000)
        local view = task_view.detailed(task)
        assert.equal("working", view.status)
        assert.is_nil(view.inputRequests)
    end)

    it("has its result or its error at its end", function()
        task.result = '{"content":[]}'
        assert.equal("[]", json.encode(task_view.detailed(task).result.content))
        task.result, task.error = nil, '{"code":-1,"message":"m"}'
        assert.equal(-1, task_view.detailed(task).error.code)
    end)

    it("is told of when it changes, and only then", function()
        assert.is_true(task_view.change("t1", { status = "completed", result = "{}" }))
        assert.equal("task t1", host.sent[1][1])
        local message = json.decode((host.sent[1][2]:gsub("\1", "7")))
        assert.same({ "notifications/tasks", "completed" }, { message.method, message.params.status })
        assert.is_false(task_view.change("t1", { status = "cancelled" }))
        assert.equal(1, #host.sent)
    end)

    it("has no questions any more at its end", function()
        task_view.put_questions("t1", { name = { method = "roots/list" } }, 1000)
        task_view.change("t1", { status = "input_required" })
        assert.is_truthy(next(task_view.questions("t1")))
        task_view.change("t1", { status = "completed", result = "{}" })
        assert.same({}, task_view.questions("t1"))
    end)
end)
