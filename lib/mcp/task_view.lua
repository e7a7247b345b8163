--- Tasks as clients see them, and the questions that wait in one.
local clock = require("clock")
local json = require("json")
local log = require("log")
local notify = require("mcp.notify")
local shared = require("shared")
local task_store = require("mcp.task_store")

local task_view = {}

local POLL_MS = 500
local AGAIN_MS = 1000

local logger = log.logger("tasks")

local FINAL = { completed = true, failed = true, cancelled = true }

local function key(id) return "task questions " .. id end

--- The questions of a task that wait for an answer. They live as long as the handler that asks them.
---@param id string
---@return table<string, mcp.Question>
function task_view.questions(id)
    local text = shared.get(key(id))
    return text and json.decode(text) or {}
end

---@param id string
---@param open table<string, mcp.Question>
---@param ttl_ms integer
function task_view.put_questions(id, open, ttl_ms)
    if next(open) then shared.put(key(id), json.encode(open), ttl_ms) else shared.remove(key(id)) end
end

local function decoded(text)
    if text == nil then return nil end
    return (json.decode(text))
end

--- What every message about a task says.
---@param task mcp.Task
---@return table
function task_view.summary(task)
    return {
        taskId = task.id, status = task.status, statusMessage = task.message, createdAt = task.created,
        lastUpdatedAt = task.updated, ttlMs = task.ttl_ms, pollIntervalMs = POLL_MS,
    }
end

--- All of it: questions, result or error too.
---@param task mcp.Task
---@return table
function task_view.detailed(task)
    local view = task_view.summary(task)
    if task.status == "input_required" then
        local open = task_view.questions(task.id)
        if next(open) then view.inputRequests = open else view.status = "working" end -- it was just answered
    end
    view.result, view.error = decoded(task.result), decoded(task.error)
    return view
end

--- Changes a task and tells those who follow it.
---@param id string
---@param changes table<string, any>
---@return boolean changed
function task_view.change(id, changes)
    local task = task_store.update(id, changes)
    if not task then return false end
    if FINAL[task.status] then shared.remove(key(id)) end
    notify.task(id, task_view.detailed(task))
    return true
end

--- The same, however long the database takes no change: what became of a handler, or of a client's answer, is not lost
--- because somebody holds it or the disk is full. Ends with the fiber that calls it at the latest.
---@async
---@param id string
---@param changes table<string, any>
function task_view.insist(id, changes)
    local ok, message = pcall(task_view.change, id, changes)
    if ok then return end
    logger.warning("what became of a task cannot be kept yet", { task = id, error = tostring(message) })
    repeat clock.sleep(AGAIN_MS) until pcall(task_view.change, id, changes)
end

return task_view
