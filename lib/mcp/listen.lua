--- subscriptions/listen of the stateless era: a stream that goes on beyond its request and brings what the client asked
--- to hear of, each message with the id of the request in it.
local cancel = require("mcp.cancel")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local notify = require("mcp.notify")
local offer = require("mcp.offer")
local stream = require("stream")

local listen = {}

local RESOURCES_MAX = 40 -- of one subscription; more are not honoured, as the acknowledgement shows
local TASKS_MAX = 16
local EVERYBODY = "modern listeners"

local LISTS = { toolsListChanged = "tools", promptsListChanged = "prompts", resourcesListChanged = "resources" }

local function lists_of(filter, capabilities, honoured, topics)
    for name, kind in pairs(LISTS) do
        if filter[name] == true and capabilities[kind] then
            honoured[name] = true
            topics[#topics + 1] = notify.list_topic("modern", kind)
        end
    end
end

-- The texts of a list that `wanted` takes, up to `most` of them; nil where there is no list.
local function texts_of(given, most, wanted)
    if not json.is_array(given) then return nil end
    local kept = json.array({})
    for _, text in ipairs(given) do
        local fits = type(text) == "string" and not text:find("\0", 1, true)
        if fits and #kept < most and wanted(text) then kept[#kept + 1] = text end
    end
    return kept
end

local function anything() return true end

-- The text with the id of the subscription in one more place: as the first member of an object.
local function with_id(text, object, member)
    local _, at = text:find(object, 1, true)
    return ("%s%s:\1,%s"):format(text:sub(1, at), member, text:sub(at + 1))
end

-- What the server honours of a filter, and the topics of that.
local function read(filter, server, owns_task)
    local honoured, topics = {}, {}
    local capabilities = offer.capabilities(server.registry)
    lists_of(filter, capabilities, honoured, topics)
    if capabilities.resources then
        honoured.resourceSubscriptions = texts_of(filter.resourceSubscriptions, RESOURCES_MAX, anything)
        for _, uri in ipairs(honoured.resourceSubscriptions or {}) do topics[#topics + 1] = notify.resource_topic(uri) end
    end
    honoured.taskIds = texts_of(filter.taskIds, TASKS_MAX, owns_task)
    for _, id in ipairs(honoured.taskIds or {}) do topics[#topics + 1] = notify.task_topic(id) end
    return json.object(honoured), topics
end

--- Opens the stream and acknowledges.
---@param server mcp.Server
---@param params table
---@param exchange mcp.Exchange
---@param owns_task fun(id: string): boolean
---@return string? nothing the answer comes when the stream ends
---@return mcp.Failure?
function listen.run(server, params, exchange, owns_task)
    local filter = params.notifications
    if not jsonrpc.is_object(filter) then
        return nil, jsonrpc.failure(jsonrpc.INVALID_PARAMS, "Invalid params: notifications must be an object")
    end
    local honoured, topics = read(filter, server, owns_task)
    topics[#topics + 1] = EVERYBODY
    local transport = exchange.transport
    if transport.scope then topics[#topics + 1] = cancel.topic(transport.scope, exchange.id) end
    local opened = transport:listen({ topics = topics, tag = json.encode(exchange.id) })
    if not opened then return nil, jsonrpc.failure(jsonrpc.INTERNAL_ERROR, "There are too many streams") end
    opened:send(json.encode({
        jsonrpc = "2.0", method = "notifications/subscriptions/acknowledged",
        params = { notifications = honoured, _meta = { [notify.SUBSCRIPTION_KEY] = exchange.id } },
    }))
end

--- Ends all subscriptions in good order: the server stops.
---@param dress fun(result: table): table adds what every result has
function listen.finish(dress)
    local cancelled = { jsonrpc = "2.0", method = "notifications/cancelled", params = { reason = "the server stops" } }
    local ended = { jsonrpc = "2.0", result = dress({}) }
    stream.publish(EVERYBODY, with_id(notify.tagged(cancelled), '"params":{', '"requestId"'))
    stream.end_topic(EVERYBODY, with_id(notify.tagged(ended), "{", '"id"'))
end

return listen
