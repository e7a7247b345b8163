--- The extension io.modelcontextprotocol/tasks of the stateless era: calls that go on beyond their request.
local ask_replay = require("mcp.ask_replay")
local ask_task = require("mcp.ask_task")
local inbox = require("inbox")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local questions = require("mcp.questions")
local task_run = require("mcp.task_run")
local task_store = require("mcp.task_store")
local task_view = require("mcp.task_view")

local tasks = {}

local EXTENSION = "io.modelcontextprotocol/tasks"

tasks.EXTENSIONS = { [EXTENSION] = json.object({}) }
tasks.REQUIRED = { extensions = tasks.EXTENSIONS }

local DONE = '{"resultType":"complete"}' -- an acknowledgement, and nothing else

local invalid = jsonrpc.invalid_params

--- Whether the client of a request follows tasks.
---@param exchange mcp.Exchange
function tasks.are_followed_by(exchange)
    local extensions = exchange.capabilities.extensions
    return jsonrpc.is_object(extensions) and jsonrpc.is_object(extensions[EXTENSION])
end

-- The task, if it is the caller's own.
local function own(id, exchange)
    local task = type(id) == "string" and task_store.get(id)
    if task and task.principal == (exchange.principal or "") then return task end
    return nil
end

--- Whether a task is known and belongs to who asks.
function tasks.owned_by(id, exchange) return own(id, exchange) ~= nil end

--- Lets a tool that may run as a task do so; or the capability that the client lacks.
---@param tool mcp.Tool
---@param exchange mcp.Exchange
---@return table? lacking
function tasks.prepare(tool, exchange)
    if tasks.are_followed_by(exchange) then
        exchange.tasks = task_run.call
        return nil
    end
    return tool.task.required and tasks.REQUIRED or nil
end

---@type table<string, mcp.Method>
tasks.methods = {}

-- A method about one task of a client that follows tasks.
local function method(name, run)
    tasks.methods[name] = function(_, params, exchange)
        if not tasks.are_followed_by(exchange) then return nil, ask_replay.lacks(tasks.REQUIRED), 400 end
        local task = own(params.taskId, exchange)
        if not task then return invalid("there is no such task") end
        return run(task, params, exchange)
    end
end

method("tasks/get", function(task, _, exchange) return exchange:encode(task_view.detailed(task)) end)

method("tasks/cancel", function(task)
    task_run.cancel(task.id)
    return DONE
end)

-- Sorts answers: those that fit what is open are taken off it.
local function accept(open, given)
    local accepted = {}
    for key, answer in pairs(given) do
        local question = open[key]
        local wrong = question and questions.judge(question, answer)
        if wrong == "malformed" then return invalid(("the answer to %q is malformed"):format(key)) end
        if question and not wrong then accepted[key] = answer end
    end
    for key in pairs(accepted) do open[key] = nil end
    return accepted
end

method("tasks/update", function(task, params)
    local given = params.inputResponses
    if not jsonrpc.is_object(given) then return invalid("inputResponses must be an object") end
    local open = task_view.questions(task.id)
    local accepted, failure = accept(open, given)
    if not accepted then return nil, failure end
    if next(accepted) then
        task_view.put_questions(task.id, open, task.ttl_ms)
        inbox.deliver(ask_task.key(task.id), json.encode(accepted))
    end
    return DONE
end)

return tasks
