--- Where tasks are kept while they run and until their time to live is over: the database `tasks`. A task that has come
--- to its end does not change any more. What the process was running when it ended has failed.
local clock = require("clock")
local crypto = require("crypto")
local db = require("db")

local task_store = {}

---@class mcp.Task
---@field id string
---@field principal string whose it is
---@field tool string
---@field status "working"|"input_required"|"completed"|"failed"|"cancelled"
---@field message? string for people
---@field created string time of day
---@field updated string time of day
---@field ttl_ms integer counted from its creation
---@field expires_ms integer when it is forgotten
---@field result? string JSON text
---@field error? string JSON text

local tasks = db.open("tasks")

local TABLE = [[CREATE TABLE IF NOT EXISTS tasks (
    id TEXT PRIMARY KEY, principal TEXT NOT NULL, tool TEXT NOT NULL, status TEXT NOT NULL, message TEXT,
    created TEXT NOT NULL, updated TEXT NOT NULL, ttl_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,
    result TEXT, error TEXT) WITHOUT ROWID]]
local INSERT = [[INSERT INTO tasks (id, principal, tool, status, created, updated, ttl_ms, expires_ms)
    VALUES (?, ?, ?, 'working', ?, ?, ?, ?)]]
local SELECT = "SELECT * FROM tasks WHERE id = ? AND expires_ms > ?"
-- Absent changes leave what is there.
local UPDATE = [[UPDATE tasks SET status = coalesce(?, status), message = coalesce(?, message),
    result = coalesce(?, result), error = coalesce(?, error), updated = ?
    WHERE id = ? AND status IN ('working', 'input_required')]]
local REMOVE = "DELETE FROM tasks WHERE id = ?"
local FORGET = "DELETE FROM tasks WHERE expires_ms <= ?"
local RECOVER = [[UPDATE tasks SET status = 'failed', message = ?, error = ?, updated = ?
    WHERE status IN ('working', 'input_required') AND principal NOT LIKE 'pipe %']]

function task_store.new_id() return crypto.random_text(18) end

--- Keeps a new task, and forgets those whose time is over.
---@async
---@param fields { id: string, principal: string, tool: string, ttl_ms: integer }
---@return mcp.Task?
---@return string? message
function task_store.create(fields)
    local now, now_ms = clock.iso(), clock.now_ms()
    local expires_ms = now_ms + fields.ttl_ms
    local kept, message = tasks:transaction({
        { TABLE },
        { FORGET, now_ms },
        { INSERT, fields.id, fields.principal, fields.tool, now, now, fields.ttl_ms, expires_ms },
    })
    if not kept then return nil, message end
    return {
        id = fields.id, principal = fields.principal, tool = fields.tool, status = "working", created = now, updated = now,
        ttl_ms = fields.ttl_ms, expires_ms = expires_ms,
    }
end

-- Nothing was ever kept where there is no table.
local function is_empty(message) return message:find("no such table", 1, true) ~= nil end

---@async
---@param id string
---@return mcp.Task? task nil: there is none
function task_store.get(id)
    local rows, message = tasks:query(SELECT, id, clock.now_ms())
    if rows then return rows[1] end
    if not is_empty(message) then error(message, 0) end
    return nil
end

--- Changes a task that has not come to its end.
---@async
---@param id string
---@param changes { status?: string, message?: string, result?: string, error?: string }
---@return mcp.Task? changed nil: it is unknown or final
function task_store.update(id, changes)
    local change, message =
        tasks:exec(UPDATE, changes.status, changes.message, changes.result, changes.error, clock.iso(), id)
    if not change then error(message, 0) end
    return change.changes > 0 and task_store.get(id) or nil
end

--- Takes back a task that nobody has heard of; one that cannot be removed expires.
---@async
---@param id string
function task_store.remove(id) tasks:exec(REMOVE, id) end

--- Marks what a server before this one was running as failed. What runs for a pipe ends with that pipe, and nobody else
--- can see it.
---@async
---@param message string
---@param failure string JSON text
function task_store.recover(message, failure)
    tasks:transaction({ { TABLE }, { RECOVER, message, failure, clock.iso() } })
end

return task_store
