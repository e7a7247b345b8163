--- Lists of messages in one body, which revision 2025-03-26 has: they are answered one after the other, in one list.
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
    return legacy.handle(server, kind, message, transport)
end

-- A transport for one of the messages: what would end the request as a whole makes a list of the answers so far.
local function part_of(transport, answers)
    local part = { assumed = revisions.BATCHES }
    function part.on_long(_, stopped, id)
        transport:on_long(stopped, id, function(last) return batch.text(answers, last) end)
    end
    return setmetatable(part, { __index = function(_, name)
        local value = transport[name]
        if type(value) ~= "function" then return value end
        return function(_, ...) return value(transport, ...) end
    end })
end

--- The text of a list of answers.
function batch.text(answers, last)
    local all = table.move(answers, 1, #answers, 1, {})
    all[#all + 1] = last
    return "[" .. table.concat(all, ",") .. "]"
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
    for _, message in ipairs(messages) do
        local status, body = answer(server, message, part_of(transport, answers))
        if status == 404 then return status, body end
        answers[#answers + 1] = body
    end
    if #answers == 0 then return 202 end
    return 200, batch.text(answers)
end

return batch
