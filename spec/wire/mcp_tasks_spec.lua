--- The tasks extension of the stateless revision.
local json = require("json")
local mcp = require("spec.support.mcp")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local TOOLS = "spec/fixtures/tools/protocol.lua"
local EXTENSION = "io.modelcontextprotocol/tasks"
local CAPABILITIES = { elicitation = {}, extensions = { [EXTENSION] = {} } }

local ANN = { name = { action = "accept", content = { name = "Ann" } } }

describe("a task", function()
    local s, client

    setup(function() s = server.start({ tools = TOOLS }) end)
    teardown(function() s:stop() end)
    before_each(function() client = mcp.modern(s, CAPABILITIES) end)

    local function get(id, with) return (with or client):result("tasks/get", { taskId = id }) end

    local function wait(id, status)
        local task
        assert(program.wait_until(function()
            task = get(id)
            return task.status == status
        end), task and task.status)
        return task
    end

    it("is made before the answer, runs, and keeps its result", function()
        local made = client:call("job", { ms = 50 })
        assert.same({ "task", "working", 3600000 }, { made.resultType, made.status, made.ttlMs })
        assert.is_nil(made.result)
        assert.matches("^%d+%-%d%d%-%d%dT%d%d:%d%d:%d%d", made.createdAt)
        assert.equal(made.taskId, get(made.taskId).taskId)
        local done = wait(made.taskId, "completed")
        assert.equal("complete", done.resultType)
        assert.equal("done", done.result.content[1].text)
        assert.equal("complete", done.result.resultType)
        assert.equal("half", done.statusMessage)
    end)

    it("is made only when it takes long, where the tool wants that", function()
        assert.equal("done", client:text("job_slow", { ms = 1 }))
        local made = client:call("job_slow", { ms = 2200 })
        assert.equal("task", made.resultType)
        assert.equal("done", wait(made.taskId, "completed").result.content[1].text)
    end)

    it("is not made for a client that follows none; a tool that must be one is refused then", function()
        local other = mcp.modern(s)
        assert.equal("done", other:text("job"))
        local failure, status = other:failure("tools/call", { name = "job_required" })
        assert.same({ 400, -32021 }, { status, failure.code })
        assert.same({ [EXTENSION] = {} }, failure.data.requiredCapabilities.extensions)
        for _, method in ipairs({ "tasks/get", "tasks/update", "tasks/cancel" }) do
            failure, status = other:failure(method, { taskId = "x" })
            assert.same({ 400, -32021 }, { status, failure.code })
        end
        assert.equal("done", mcp.session(s, "2025-11-25"):text("job_required"))
        assert.equal(404, select(2, client:failure("tasks/list", {})))
    end)

    it("asks while it runs", function()
        local id = client:call("job", { ask = true }).taskId
        local asking = wait(id, "input_required")
        assert.equal("elicitation/create", asking.inputRequests.name.method)
        assert.same({ resultType = "complete" }, client:result("tasks/update", { taskId = id, inputResponses = json.object({}) }))
        client:result("tasks/update", { taskId = id, inputResponses = { other = { action = "accept" } } })
        client:result("tasks/update", { taskId = id, inputResponses = { name = { action = "accept", content = { name = 5 } } } })
        assert.equal("input_required", get(id).status)
        assert.equal(-32602, client:failure("tasks/update", { taskId = id, inputResponses = { name = 5 } }).code)
        assert.equal(-32602, client:failure("tasks/update", { taskId = id }).code)
        client:result("tasks/update", { taskId = id, inputResponses = ANN })
        assert.equal("Ann", wait(id, "completed").result.content[1].text)
    end)

    it("is cancelled, and stays so", function()
        local id = client:call("job", { ms = 600000 }).taskId
        assert.same({ resultType = "complete" }, client:result("tasks/cancel", { taskId = id }))
        assert.equal("cancelled", get(id).status)
        client:result("tasks/cancel", { taskId = id })
        local done = client:call("job").taskId
        wait(done, "completed")
        client:result("tasks/cancel", { taskId = done })
        assert.equal("completed", get(done).status)
    end)

    local function fate(name) return mcp.bare(s):text("fate", { name = name }) end

    it("takes its handler with it when it is cancelled, asleep or asking", function()
        for name, arguments in pairs({ ["task asleep"] = {}, ["task asking"] = { ask = true } }) do
            arguments.name = name
            local id = client:call("job_asleep", arguments).taskId
            assert.is_true(program.wait_until(function() return fate(name) == "began -" end))
            if arguments.ask then wait(id, "input_required") end
            client:result("tasks/cancel", { taskId = id })
            assert.is_true(program.wait_until(function() return fate(name) == "began closed" end))
            local task = get(id)
            assert.same({ "cancelled", nil, nil, nil }, { task.status, task.result, task.error, task.inputRequests })
            client:result("tasks/update", { taskId = id, inputResponses = ANN })
            assert.equal("cancelled", get(id).status)
        end
    end)

    it("is cut from its client's connection: nothing ends it but its end", function()
        local call = client:open("tools/call", { name = "job_asleep", arguments = { name = "task alone" } })
        local id = call:answer().result.taskId
        call.connection:reset()
        assert.is_true(program.wait_until(function() return fate("task alone") == "began -" end))
        assert.equal("working", get(id).status)
        client:result("tasks/cancel", { taskId = id })
    end)

    it("fails with the error of the protocol that its handler raises, and has no result then", function()
        local task = wait(client:call("job_refused").taskId, "failed")
        assert.same({ code = -32000, message = "not today", data = { why = "spec" } }, task.error)
        assert.is_nil(task.result)
        assert.equal("not today", task.statusMessage)
    end)

    it("asks several things at once; a key is never used twice", function()
        local id = client:call("job_many").taskId
        local function answer(key, name)
            local answers = { [key] = { action = "accept", content = { name = name } } }
            client:result("tasks/update", { taskId = id, inputResponses = answers })
        end
        local open = wait(id, "input_required").inputRequests
        assert.is_table(open.first and open.second)
        answer("first", "A")
        open = get(id).inputRequests
        assert.is_nil(open.first)
        assert.is_table(open.second)
        answer("first", "too late")
        answer("second", "B")
        assert.is_true(program.wait_until(function() return (get(id).inputRequests or {})["first-2"] ~= nil end))
        answer("first", "of the question before")
        assert.equal("input_required", get(id).status)
        answer("first-2", "C")
        assert.equal("A B C", wait(id, "completed").result.content[1].text)
    end)

    it("begins when the handler says so: what it asks before, the client answers by calling again", function()
        local asked = client:call("job_later")
        assert.equal("input_required", asked.resultType)
        local more = { inputResponses = ANN, requestState = asked.requestState, _meta = { progressToken = 1 } }
        local made = client:call("job_later", nil, more)
        assert.equal("task", made.resultType)
        assert.is_nil(made.requestState)
        local done = wait(made.taskId, "completed")
        assert.same({ "Ann", "nearly Ann" }, { done.result.content[1].text, done.statusMessage })
        local plain = mcp.modern(s, { elicitation = {} })
        assert.equal("Ann", plain:text("job_later", nil, { inputResponses = ANN }))
    end)

    it("ends, and is forgotten, with its time to live, though its handler would go on", function()
        local made = client:call("job_short")
        assert.equal(300, made.ttlMs)
        assert.is_true(program.wait_until(function()
            return client:request("tasks/get", { taskId = made.taskId }).error ~= nil
        end))
        s:wait_log(function(line) return line.tool == "job_short" and line.outcome == "stopped" end)
    end)

    it("tells the agent of a failure of the tool as its result", function()
        local task = wait(client:call("job_broken").taskId, "completed")
        assert.is_true(task.result.isError)
    end)

    it("is nobody else's, and unknown to those who guess", function()
        local failure = client:failure("tasks/get", { taskId = "nonsense" })
        assert.equal(-32602, failure.code)
        failure = client:failure("tasks/get", {})
        assert.equal(-32602, failure.code)
    end)

    it("is forgotten when its time is over", function()
        local id = client:call("job_required").taskId
        wait(id, "completed")
        assert.is_true(program.wait_until(function()
            local answer = client:request("tasks/get", { taskId = id })
            return answer.error ~= nil and answer.error.code == -32602
        end, 50))
    end)

    it("is heard of by those who listen", function()
        local id = client:call("job", { ask = true }).taskId
        local stream = client:open("subscriptions/listen", { notifications = { taskIds = json.array({ id, "unknown" }) } })
        assert.same({ id }, stream:next().params.notifications.taskIds)
        wait(id, "input_required")
        client:result("tasks/update", { taskId = id, inputResponses = ANN })
        local last
        repeat
            last = stream:next().params
            assert.equal(id, last.taskId)
        until last.status == "completed"
        assert.equal("Ann", last.result.content[1].text)
        local filter = { taskIds = json.array({ id }) }
        local failure, status = mcp.modern(s):failure("subscriptions/listen", { notifications = filter })
        assert.same({ 400, -32021 }, { status, failure.code })
    end)

    it("outlives the server: what is done is kept, what was running has failed", function()
        local options = { tools = TOOLS, env = { SANDSTORM_STATE_DIR = tmp.dir("state") } }
        local first = server.start(options)
        local before = mcp.modern(first, CAPABILITIES)
        local done, running = before:call("job").taskId, before:call("job", { ms = 600000 }).taskId
        assert.is_true(program.wait_until(function() return get(done, before).status == "completed" end))
        first:kill()
        local second = server.start(options)
        local after = mcp.modern(second, CAPABILITIES)
        assert.equal("done", get(done, after).result.content[1].text)
        assert.is_true(program.wait_until(function() return get(running, after).status == "failed" end))
        assert.equal(-32603, get(running, after).error.code)
        second:stop()
    end)
end)
