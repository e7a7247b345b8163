--- Runs the handler of a tool beyond its request. The handler has a fiber of its own; the request waits for whatever
--- comes first: the result, a question to the client, or that the call has become a task.
local ask_task = require("mcp.ask_task")
local fiber = require("fiber")
local inbox = require("inbox")
local invoke = require("mcp.invoke")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local task_store = require("mcp.task_store")
local task_view = require("mcp.task_view")

local task_run = {}

local TTL_MS = 3600000
local SLOW_MS = 2000       -- after that a tool with start = "slow" becomes a task
local PATIENCE_MS = 86400000
local CANCELLED = "the task was cancelled"

---@class mcp.TaskRun
---@field id string
---@field tool mcp.Tool
---@field exchange mcp.Exchange
---@field ttl_ms integer
---@field stopped mcp.Stopped
---@field task? mcp.Task once the call has become one
---@field over? boolean the handler has ended before that
---@field text? string
---@field failure? mcp.Failure
---@field status? integer

local function tag(id) return "task " .. id end
local function wake_key(id) return "task run " .. id end

-- Keeps the result, or the error, of a task.
local function settle(run, text, failure)
    if text then return task_view.change(run.id, { status = "completed", result = text }) end
    task_view.change(run.id, { status = "failed", error = json.encode(failure), message = failure.message })
end

-- From here on the handler talks to the task instead of the request.
local function become_task(run)
    local exchange = run.exchange
    local task, message = task_store.create({
        id = run.id, principal = exchange.principal or "", tool = run.tool.name, ttl_ms = run.ttl_ms,
    })
    if not task then error(message, 0) end
    run.task = task
    exchange.asker = ask_task.new(task, exchange)
    exchange.transport, exchange.log_level = {}, nil
    exchange.on_progress = function(params)
        if params.message then task_view.change(run.id, { message = params.message }) end
    end
end

local function ended(run, text, failure, status)
    if run.task then return settle(run, text, failure) end
    run.over, run.text, run.failure, run.status = true, text, failure, status
    inbox.deliver(wake_key(run.id), "")
end

local function start(run, work)
    fiber.spawn(function()
        fiber.tag(tag(run.id))
        ended(run, work())
    end, {
        deadline_ms = run.ttl_ms,
        on_stop = function(reason)
            local text, failure, status = run.stopped(reason)
            if not run.task then return ended(run, text, failure, status) end
            local why = invoke.was_stopped(run.tool.name, reason)
            settle(run, nil, failure or jsonrpc.failure(jsonrpc.INTERNAL_ERROR, why))
        end,
    })
end

-- A result without what results have around them: it is the task that clients see.
local function created(run)
    local result = run.exchange:dress(task_view.summary(run.task))
    result.resultType = "task"
    return json.encode(result)
end

local function wait(run, box, timeout_ms)
    box:take(timeout_ms)
    if not run.over and not run.task then become_task(run) end
    if run.task then return created(run) end
    return run.text, run.failure, run.status
end

--- Calls a tool that may become a task; see mcp.Exchange.tasks.
---@param tool mcp.Tool
---@param exchange mcp.Exchange
---@param work fun(): string?, mcp.Failure?
---@param stopped mcp.Stopped
---@return string? result JSON text
---@return mcp.Failure?
---@return integer? status
function task_run.call(tool, exchange, work, stopped)
    local run = {
        id = task_store.new_id(), tool = tool, exchange = exchange, ttl_ms = tool.task.ttl_ms or TTL_MS, stopped = stopped,
    }
    if tool.task.start == "auto" then
        become_task(run)
        start(run, work)
        return created(run)
    end
    local box <close> = inbox.open()
    box:listen(wake_key(run.id))
    exchange.asker.begin_task = function()
        become_task(run)
        inbox.deliver(wake_key(run.id), "")
    end
    exchange:may_take_long(function(reason)
        if not run.task then fiber.stop(tag(run.id), reason) end
        return stopped(reason)
    end)
    start(run, work)
    return wait(run, box, tool.task.start == "slow" and SLOW_MS or PATIENCE_MS)
end

local LOST = jsonrpc.failure(jsonrpc.INTERNAL_ERROR, "The server was restarted while the task ran")

--- Marks tasks whose handlers ended with an earlier server; to be called once, when a server starts.
function task_run.recover() task_store.recover(LOST.message, json.encode(LOST)) end

--- Cancels a task; one that has come to its end stays as it is.
---@param id string
function task_run.cancel(id)
    if task_view.change(id, { status = "cancelled" }) then fiber.stop(tag(id), CANCELLED) end
end

return task_run
