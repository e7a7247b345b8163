--- Lists of messages in one body, which revision 2025-03-26 has: they are answered one after the other, in one list.
local incident = require("mcp.incident")
local invoke = require("mcp.invoke")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local legacy = require("mcp.legacy")
local revisions = require("mcp.revisions")

local batch = {}

local MESSAGES_MAX = 100

--- Whether the client that sent a list may do so.
---@param transport mcp.Transport
function batch.is_taken(transport)
    return (legacy.revision_of(transport) or revisions.BATCHES) == revisions.BATCHES
end

local function refusal(messages)
    if #messages == 0 then return "the list is empty" end
    if #messages > MESSAGES_MAX then return ("at most %d messages in a list"):format(MESSAGES_MAX) end
    for _, message in ipairs(messages) do
        if jsonrpc.is_object(message) and message.method == "initialize" then return "initialize stands alone" end
    end
end

local function invalid(id, text)
    return jsonrpc.error(id, jsonrpc.failure(jsonrpc.INVALID_REQUEST, "Invalid request: " .. text))
end

-- The answer to one message; the status matters only when it is about the whole session.
local function answer(server, message, transport)
    local kind, failure = jsonrpc.classify(message)
    if not kind and jsonrpc.is_notification(message) then return 202 end
    if not kind then return 200, jsonrpc.error(jsonrpc.id_of(message) or json.null, failure) end
    return incident.guard(message, legacy.handle, server, kind, message, transport)
end

local NOT_REACHED = jsonrpc.failure(jsonrpc.INTERNAL_ERROR, "The list of messages was stopped before this one")

-- What a list that is stopped at a message is answered with: nobody waits in vain for what comes after it.
local function when_stopped(messages, position, answers)
    return function(last) -- nil: the client does not want it
        local all = table.move(answers, 1, #answers, 1, {})
        if jsonrpc.request_id(messages[position]) ~= nil then all[#all + 1] = last end
        for later = position + 1, #messages do
            local id = jsonrpc.request_id(messages[later])
            if id ~= nil then all[#all + 1] = jsonrpc.error(id, NOT_REACHED) end
        end
        return #all > 0 and batch.text(all) or nil
    end
end

-- A transport for one of the messages: what would end the request as a whole is an answer to the list.
local function part_of(transport, compose)
    local part = { assumed = revisions.BATCHES }
    function part.on_long(_, stopped, id) transport:on_long(stopped, id, compose) end
    return setmetatable(part, { __index = function(_, name)
        local value = transport[name]
        if type(value) ~= "function" then return value end
        return function(_, ...) return value(transport, ...) end
    end })
end

--- The text of a list of answers.
function batch.text(answers) return "[" .. table.concat(answers, ",") .. "]" end

local function one(server, messages, position, transport, answers)
    local message = messages[position]
    local part = part_of(transport, when_stopped(messages, position, answers))
    part:on_long(invoke.stopped("The request", {}), jsonrpc.request_id(message))
    return answer(server, message, part)
end

--- Handles a list of messages.
---@param server mcp.Server
---@param messages table
---@param transport mcp.Transport
---@return integer status
---@return string? body
function batch.handle(server, messages, transport)
    local complaint = refusal(messages)
    if complaint then return 400, invalid(json.null, complaint) end
    local answers = {}
    for position = 1, #messages do
        local status, body = one(server, messages, position, transport, answers)
        if status == 404 then return status, body end
        answers[#answers + 1] = body
    end
    if #answers == 0 then return 202 end
    return 200, batch.text(answers)
end

return batch
