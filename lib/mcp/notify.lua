--- What happened without a request: a list has changed, a resource was updated, a task went on. Clients of the stateless
--- era hear of it on the streams that listen to it, those of the handshake era on the stream of their session.
local json = require("json")
local session = require("mcp.session")
local stream = require("stream")

local notify = {}

notify.SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"

local LISTS = { tools = true, prompts = true, resources = true }

--- The topic of a list for clients of an era.
function notify.list_topic(era, kind) return ("%s list %s"):format(era, kind) end

--- The topic of a resource for clients of the stateless era.
function notify.resource_topic(uri) return "modern resource " .. uri end

--- The topic of a task.
function notify.task_topic(id) return "task " .. id end

--- The topic of everything that goes to one session.
function notify.session_topic(nonce) return "session " .. nonce end

--- What the stream of a session of the handshake era listens to.
---@param nonce string
---@return string[]
function notify.session_topics(nonce)
    local topics = { notify.session_topic(nonce) }
    for kind in pairs(LISTS) do topics[#topics + 1] = notify.list_topic("legacy", kind) end
    return topics
end

local TAG = "\1" -- becomes the tag of each stream, the id of its subscription; JSON text has no such character

--- A message of the stateless era, in which TAG stands where the id of the subscription goes.
---@param message table with `params`, to which the id is added
---@return string
function notify.tagged(message)
    local key = json.encode(notify.SUBSCRIPTION_KEY) .. ":"
    local body = message.params or message.result
    body._meta = body._meta or {}
    body._meta[notify.SUBSCRIPTION_KEY] = notify.SUBSCRIPTION_KEY
    local text = json.encode(message)
    local from, to = text:find(key .. key:sub(1, -2), 1, true)
    return text:sub(1, from + #key - 1) .. TAG .. text:sub(to + 1)
end

local function publish(topic, method, params)
    stream.publish(topic, notify.tagged({ jsonrpc = "2.0", method = method, params = params }))
end

local function list_method(kind) return ("notifications/%s/list_changed"):format(kind) end

local function list_message(kind) return json.encode({ jsonrpc = "2.0", method = list_method(kind) }) end

--- Tells that a list has changed.
---@param kind "tools"|"prompts"|"resources"
function notify.list_changed(kind)
    if not LISTS[kind] then error(("changed: expected tools, prompts or resources, got %s"):format(tostring(kind)), 2) end
    publish(notify.list_topic("modern", kind), list_method(kind), {})
    stream.publish(notify.list_topic("legacy", kind), list_message(kind))
end

--- Tells a client of the handshake era, which may have missed it, that its lists may have changed.
---@param opened stream.Stream of its session
---@param capabilities table what the server can do
function notify.lists_may_have_changed(opened, capabilities)
    for kind in pairs(LISTS) do
        if capabilities[kind] then opened:send(list_message(kind)) end
    end
end

--- Tells that a resource was updated.
---@param uri string
function notify.resource_updated(uri)
    if type(uri) ~= "string" then error("updated: expected the address of a resource, got " .. type(uri), 2) end
    local method = "notifications/resources/updated"
    publish(notify.resource_topic(uri), method, { uri = uri })
    local message = json.encode({ jsonrpc = "2.0", method = method, params = { uri = uri } })
    for _, nonce in ipairs(session.subscribers(uri)) do stream.send_one(notify.session_topic(nonce), message) end
end

--- Tells how a task is.
---@param id string
---@param task table as tasks/get gives it
function notify.task(id, task) publish(notify.task_topic(id), "notifications/tasks", task) end

return notify
