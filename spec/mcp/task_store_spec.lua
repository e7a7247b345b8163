local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

-- Runs a chunk in the program, where the database is the real one; `store` is the module, `new` makes a task.
local function run(source, state)
    return (program.lua([[
        local store, clock = require("mcp.task_store"), require("clock")
        local function new(fields)
            local all = { id = store.new_id(), principal = "ann", tool = "t", ttl_ms = 60000 }
            for name, value in pairs(fields or {}) do all[name] = value end
            return assert(store.create(all))
        end
    ]] .. source, { env = { SANDSTORM_STATE_DIR = state } }))
end

describe("the store of tasks", function()
    it("keeps a new task at once, and finds nothing where nothing was kept", function()
        local result = run([[
            local before = store.get("x")
            local made = new()
            local kept = store.get(made.id)
            return { before == nil, kept.status, kept.principal, kept.tool, kept.ttl_ms, #made.id >= 24,
                     kept.created == made.created }
        ]], tmp.dir("state"))
        assert.same({ true, "working", "ann", "t", 60000, true, true }, result)
    end)

    it("changes a task until it has come to its end, and not any more", function()
        local result = run([[
            local id = new().id
            local asked = store.update(id, { status = "input_required", message = "half" })
            local done = store.update(id, { status = "completed", result = "{}" })
            local late = store.update(id, { status = "cancelled" })
            local kept = store.get(id)
            return { asked.status, asked.message, done.status, late == nil, kept.status, kept.result, kept.message,
                     store.update("unknown", { status = "failed" }) == nil }
        ]], tmp.dir("state"))
        assert.same({ "input_required", "half", "completed", true, "completed", "{}", "half", true }, result)
    end)

    it("forgets a task when its time is over", function()
        local result = run([[
            local short, long = new({ ttl_ms = 1 }).id, new().id
            clock.sleep(5)
            return { store.get(short) == nil, store.get(long) ~= nil }
        ]], tmp.dir("state"))
        assert.same({ true, true }, result)
    end)

    it("outlives the process; what was running then has failed, but for what a pipe runs", function()
        local state = tmp.dir("state")
        local ids = run([[
            local done, running, asking, piped = new().id, new().id, new().id, new({ principal = "pipe x" }).id
            store.update(done, { status = "completed", result = "{}" })
            store.update(asking, { status = "input_required" })
            return { done, running, asking, piped }
        ]], state)
        local statuses = run(([[
            store.recover("lost", '{"code":-32603,"message":"lost"}')
            local list = {}
            for position, id in ipairs({ %q, %q, %q, %q }) do
                local task = store.get(id)
                list[position] = task.status .. (task.error and " with error" or "")
            end
            return list
        ]]):format(table.unpack(ids)), state)
        assert.same({ "completed", "failed with error", "failed with error", "working" }, statuses)
    end)

    it("says what the database has against it, and does not take that for nothing", function()
        local result = run([[
            local function raised(f, ...) return (select(2, pcall(f, ...))) end
            local made, why = store.create({ id = "x", principal = "", tool = "t", ttl_ms = 1 })
            return { made == nil, why, raised(store.get, "x"), raised(store.update, "x", { status = "failed" }) }
        ]], "/dev/null/state")
        assert.is_true(result[1])
        for i = 2, 4 do assert.equal("/dev/null/state/tasks.db: Not a directory", result[i]) end
    end)
end)
