--- Runs the handler of a tool beyond its request. The handler has a fiber of its own; the request waits for whatever
--- comes first: the result, a question to the client, or that the call has become a task.
local ask_task = require("mcp.ask_task")
local fiber = require("fiber")
local inbox = require("inbox")
local invoke = require("mcp.invoke")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local log = require("log")
local task_store = require("mcp.task_store")
local task_view = require("mcp.task_view")

local task_run = {}

local TTL_MS = 3600000
local SLOW_MS = 2000       -- after that a tool with start = "slow" becomes a task
local PATIENCE_MS = 86400000
local CANCELLED = "the task was cancelled"

local logger = log.logger("tasks")

---@class mcp.TaskRun
---@field id string
---@field tool mcp.Tool
---@field exchange mcp.Exchange
---@field ttl_ms integer
---@field stopped mcp.Stopped
---@field task? mcp.Task once the call has become one
---@field making? boolean the task is being kept
---@field over? boolean the handler has ended before that
---@field text? string
---@field failure? mcp.Failure
---@field status? integer

local function tag(id) return "task " .. id end
local function wake_key(id) return "task run " .. id end
local function made_key(id) return "task made " .. id end

-- Keeps the result, or the error, of a task.
local function settle(run, text, failure)
    if text then return task_view.insist(run.id, { status = "completed", result = text }) end
    task_view.insist(run.id, { status = "failed", error = json.encode(failure), message = failure.message })
end

-- From here on the handler talks to the task instead of the request.
local function talk_to(run, task)
    local exchange = run.exchange
    run.task = task
    exchange.asker = ask_task.new(task, exchange)
    exchange.transport, exchange.log_level = {}, nil
    exchange.on_progress = function(params)
        if params.message then pcall(task_view.change, run.id, { message = params.message }) end
    end
end

-- Makes the call a task, unless it ends meanwhile; what stands against it otherwise.
local function become_task(run)
    run.making = true
    local task, message = task_store.create({
        id = run.id, principal = run.exchange.principal or "", tool = run.tool.name, ttl_ms = run.ttl_ms,
    })
    run.making = false
    if task and not run.over then talk_to(run, task) end
    if task and run.over then task_store.remove(run.id) end
    inbox.deliver(wake_key(run.id), "")
    inbox.deliver(made_key(run.id), "")
    if task then return nil end
    logger.warning("a task cannot be kept", { tool = run.tool.name, error = message })
    return "The task cannot be kept now; try again later"
end

local function ended(run, text, failure, status)
    if run.task then return settle(run, text, failure) end
    run.over, run.text, run.failure, run.status = true, text, failure, status
    inbox.deliver(wake_key(run.id), "")
end

-- What became of a handler that was stopped. Whoever is told of the stop has little time, and the database may take more.
local function stopped(run, reason)
    local text, failure, status = run.stopped(reason)
    if not run.task then return ended(run, text, failure, status) end
    local why = invoke.was_stopped(run.tool.name, reason)
    fiber.spawn(function() settle(run, nil, failure or jsonrpc.failure(jsonrpc.INTERNAL_ERROR, why)) end,
        { deadline_ms = run.ttl_ms })
end

local function start(run, work)
    fiber.spawn(function()
        fiber.tag(tag(run.id))
        ended(run, work())
    end, { deadline_ms = run.ttl_ms, on_stop = function(reason) stopped(run, reason) end })
end

-- A result without what results have around them: it is the task that clients see.
local function created(run)
    local result = run.exchange:dress(task_view.summary(run.task))
    result.resultType = "task"
    return json.encode(result)
end

-- Waits for the end of the handler or for the task, whichever comes first; a call that is slow becomes one, if it can.
local function wait(run, box, timeout_ms)
    box:take(timeout_ms)
    if not run.over and not run.task and not run.making then become_task(run) end
    while not run.over and not run.task and box:take(PATIENCE_MS) do end
    if run.task then return created(run) end
    return run.text, run.failure, run.status
end

-- The handler wants to be a task; the request may be about to make it one. Where none can be kept the client waits.
local function begin_task(run)
    if run.task then return end
    if not run.making then
        become_task(run)
        return
    end
    local box <close> = inbox.open()
    box:listen(made_key(run.id))
    box:take(PATIENCE_MS)
end

-- The handler runs beside its request until one of them makes it a task.
local function run_beside(run, work, timeout_ms)
    local box <close> = inbox.open()
    box:listen(wake_key(run.id))
    run.exchange.asker.begin_task = function() begin_task(run) end
    run.exchange:may_take_long(function(reason)
        if not run.task then fiber.stop(tag(run.id), reason) end
        return run.stopped(reason)
    end)
    start(run, work)
    return wait(run, box, timeout_ms)
end

--- Calls a tool that may become a task; see mcp.Exchange.tasks.
---@param tool mcp.Tool
---@param exchange mcp.Exchange
---@param work fun(): string?, mcp.Failure?
---@param when_stopped mcp.Stopped
---@return string? result JSON text
---@return mcp.Failure?
---@return integer? status
function task_run.call(tool, exchange, work, when_stopped)
    local run = {
        id = task_store.new_id(), tool = tool, exchange = exchange, ttl_ms = tool.task.ttl_ms or TTL_MS,
        stopped = when_stopped,
    }
    local how = tool.task.start
    if how ~= "auto" then return run_beside(run, work, how == "slow" and SLOW_MS or PATIENCE_MS) end
    local trouble = become_task(run)
    if trouble then return nil, jsonrpc.failure(jsonrpc.INTERNAL_ERROR, trouble) end
    start(run, work)
    return created(run)
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
