--- Where tasks are kept while they run and until their time to live is over. A task that has come to its end does not
--- change any more.
local clock = require("clock")
local crypto = require("crypto")
local json = require("json")
local shared = require("shared")

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
---@field result? string JSON text
---@field error? string JSON text

local FINAL = { completed = true, failed = true, cancelled = true }

function task_store.is_final(status) return FINAL[status] == true end

local function key(id) return "task " .. id end

function task_store.new_id() return crypto.random_text(18) end

--- Keeps a new task.
---@param fields { id: string, principal: string, tool: string, ttl_ms: integer }
---@return mcp.Task?
---@return string? message
function task_store.create(fields)
    local now = clock.iso()
    local task = {
        id = fields.id, principal = fields.principal, tool = fields.tool, ttl_ms = fields.ttl_ms, status = "working",
        created = now, updated = now,
    }
    if not shared.put(key(task.id), json.encode(task), task.ttl_ms) then return nil, "there is no room for a task" end
    return task
end

---@param id string
---@return mcp.Task?
function task_store.get(id)
    local text = shared.get(key(id))
    return text and json.decode(text) or nil
end

--- Changes a task that has not come to its end.
---@param id string
---@param changes table<string, any>
---@return mcp.Task? changed nil: it is unknown or final
function task_store.update(id, changes)
    local task, left = task_store.get(id), shared.ttl(key(id))
    if not task or not left or FINAL[task.status] then return nil end
    for name, value in pairs(changes) do task[name] = value end
    task.updated = clock.iso()
    shared.put(key(id), json.encode(task), math.max(left, 1))
    return task
end

return task_store
