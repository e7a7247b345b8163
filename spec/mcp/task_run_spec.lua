local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("running a tool beyond its request", function()
    local task_run, host, order, stored, exchange, inbox, meanwhile

    before_each(function()
        host = fake_host.install()
        order, stored, meanwhile = {}, {}, nil
        inbox = { listen = function() end, take = function() order[#order + 1] = "take" end }
        host.inbox.open = function() return setmetatable(inbox, { __close = function() end }) end
        local spawn = host.fiber.spawn
        host.fiber.spawn = function(...)
            order[#order + 1] = "spawn"
            return spawn(...)
        end
        package.loaded["mcp.task_store"] = {
            new_id = function() return "t1" end,
            create = function(fields)
                order[#order + 1] = "create"
                if meanwhile then meanwhile() end
                if stored == nil then return nil, "database is locked" end
                stored = { id = fields.id, status = "working", created = "c", updated = "u", ttl_ms = fields.ttl_ms,
                    principal = fields.principal, tool = fields.tool }
                return stored
            end,
            remove = function(id) order[#order + 1] = "remove " .. id end,
            update = function(_, changes)
                if stored.status ~= "working" then return nil end
                for name, value in pairs(changes) do stored[name] = value end
                return stored
            end,
        }
        exchange = require("mcp.exchange").new({ revision = "2026-07-28", capabilities = {}, principal = "ann", asker = {} })
        task_run = require("mcp.task_run")
    end)

    local function call(start, work, more)
        local tool = { name = "t", task = { start = start, ttl_ms = more and more.ttl_ms } }
        return task_run.call(tool, exchange, work or print, more and more.stopped or function(reason) return nil, { code = 1,
            message = reason } end)
    end

    local function finish(run) return host.spawned[#host.spawned][run or "handler"] end

    it("keeps the task before its handler runs, and before the client hears of it", function()
        local made = json.decode(call("auto", function() return '{"content":[]}' end))
        assert.same({ "create", "spawn" }, order)
        assert.same({ "t1", "working", "task", 3600000 }, { made.taskId, made.status, made.resultType, made.ttlMs })
        finish()()
        assert.same({ "completed", '{"content":[]}' }, { stored.status, stored.result })
    end)

    it("belongs to who called, and to the tool", function()
        call("auto")
        assert.same({ "ann", "t" }, { stored.principal, stored.tool })
        exchange.principal = nil
        call("auto")
        assert.equal("", stored.principal)
    end)

    it("fails with the error of the protocol that the handler ended with", function()
        call("auto", function() return nil, { code = -32000, message = "no" } end)
        finish()()
        assert.same({ "failed", "no" }, { stored.status, stored.message })
        assert.equal(-32000, json.decode(stored.error).code)
    end)

    it("fails when its handler is stopped, and that is accounted for", function()
        local accounted
        call("auto", print, { stopped = function(reason) accounted = reason end, ttl_ms = 50 })
        local spawned = host.spawned[#host.spawned]
        assert.equal(50, spawned.limits.deadline_ms)
        spawned.limits.on_stop("tools.lua:1: stopped: the call took longer than its deadline")
        assert.matches("deadline", accounted)
        finish()()
        assert.same({ "failed", "t was stopped: the call took longer than its deadline" }, { stored.status, stored.message })
    end)

    it("makes no task of what is done soon enough", function()
        inbox.take = function() finish()() end
        assert.equal('{"content":[]}', (call("slow", function() return '{"content":[]}' end)))
        assert.same({ "spawn" }, order)
    end)

    it("makes a task of what is not", function()
        local made = json.decode(call("slow", print))
        assert.same({ "spawn", "take", "create" }, order)
        assert.equal("task", made.resultType)
    end)

    it("is no task where it ends, or asks, while that is being kept", function()
        meanwhile = function() finish()() end
        assert.equal('{"content":[]}', (call("slow", function() return '{"content":[]}' end)))
        assert.same({ "spawn", "take", "create", "remove t1" }, order)
    end)

    it("is made a task once, though request and handler both want that", function()
        meanwhile = function()
            meanwhile = nil
            exchange.asker.begin_task() -- the handler waits until the request has made it one
        end
        assert.equal("task", json.decode(call("slow", print)).resultType)
        assert.same({ "spawn", "take", "create", "take" }, order)
    end)

    it("is no task where none can be kept: the client waits, or is told if it must be one", function()
        stored = nil
        inbox.take = function()
            order[#order + 1] = "take"
            if #order == 4 then finish()() end
            return "woken"
        end
        assert.equal('{"content":[]}', (call("slow", function() return '{"content":[]}' end)))
        assert.same({ "spawn", "take", "create", "take" }, order)
        local result, failure = call("auto", print)
        assert.is_nil(result)
        assert.same({ -32603, "The task cannot be kept now; try again later" }, { failure.code, failure.message })
        assert.equal(1, #host.spawned)
    end)

    it("keeps its end though the store fails for a while, and does not fail for its progress", function()
        call("auto", function() return '{"content":[]}' end)
        local store, failures = package.loaded["mcp.task_store"], 3
        local update = store.update
        function store.update(...)
            failures = failures - 1
            if failures >= 0 then error("database is locked", 0) end
            return update(...)
        end
        exchange.on_progress({ progress = 1, message = "half" })
        finish()()
        assert.same({ "completed", '{"content":[]}' }, { stored.status, stored.result })
        assert.equal(-1, failures)
    end)

    it("makes a task when the handler says so, and talks to the task from there on", function()
        exchange.transport = { send = print }
        inbox.take = function() exchange.asker.begin_task() end
        local made = json.decode(call("manual", print))
        assert.equal("task", made.resultType)
        assert.is_nil(exchange.transport.send)
        exchange.on_progress({ progress = 1, message = "half" })
        assert.equal("half", stored.message)
    end)

    it("waits two seconds for a slow tool, a day for one that says when, and is woken by the end of either", function()
        local waited, key
        inbox.listen = function(_, wanted) key = wanted end
        for start, ms in pairs({ slow = 2000, manual = 86400000 }) do
            waited = nil
            inbox.take = function(_, limit)
                waited = waited or limit
                finish()()
            end
            call(start, function() return '{"content":[]}' end)
            assert.equal(ms, waited)
            assert.same({ { key, "" } }, host.sent)
            table.remove(host.sent)
        end
    end)

    it("wakes its request when the handler says that it is a task", function()
        local key
        inbox.listen = function(_, wanted) key = wanted end
        inbox.take = function()
            exchange.asker.begin_task()
            assert.same({ key, "" }, host.sent[1])
            assert.equal("working", stored.status)
        end
        call("manual", print)
    end)

    it("asks the client through the task", function()
        local asker = exchange.asker
        call("auto")
        assert.not_equal(asker, exchange.asker)
    end)

    it("ends the handler with its request as long as it is no task, and gives the answer for that", function()
        local on_long
        exchange.transport = { on_long = function(_, stopped) on_long = stopped end }
        inbox.take = function()
            assert.equal("accounted", on_long("the client left"))
            finish("limits").on_stop("stopped: the client left")
        end
        assert.equal("accounted", (call("slow", print, { stopped = function() return "accounted" end })))
        assert.same({ { "task t1", "the client left" } }, host.stopped)
        inbox.take = function() exchange.asker.begin_task() end
        call("manual", print)
        on_long("the client left")
        assert.equal(1, #host.stopped)
    end)

    it("is stopped by its id", function()
        call("auto", function()
            assert.equal("task t1", host.tag)
            return "{}"
        end)
        finish()()
    end)
end)
