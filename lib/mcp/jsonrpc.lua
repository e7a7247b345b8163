--- JSON-RPC 2.0: the shape of messages and the text of answers. Knows no method.
local json = require("json")

local jsonrpc = {}

jsonrpc.PARSE_ERROR = -32700
jsonrpc.INVALID_REQUEST = -32600
jsonrpc.METHOD_NOT_FOUND = -32601
jsonrpc.INVALID_PARAMS = -32602
jsonrpc.INTERNAL_ERROR = -32603

---@class mcp.Failure the error member of an answer
---@field code integer
---@field message string
---@field data? any

---@return mcp.Failure
function jsonrpc.failure(code, message, data) return { code = code, message = message, data = data } end

--- The two values of a method that was asked wrongly.
---@param text string
---@return nil
---@return mcp.Failure
function jsonrpc.invalid_params(text) return nil, jsonrpc.failure(jsonrpc.INVALID_PARAMS, "Invalid params: " .. text) end

local function invalid(text) return nil, jsonrpc.failure(jsonrpc.INVALID_REQUEST, "Invalid request: " .. text) end

local function is_id(value) return type(value) == "string" or math.type(value) == "integer" end

--- A JSON value that is an object.
jsonrpc.is_object = json.is_object

--- The id to answer to: nil where the message has none that may be repeated.
function jsonrpc.id_of(message)
    local id = jsonrpc.is_object(message) and message.id
    if is_id(id) then return id end
    return nil
end

--- The id of what wants an answer; nil for anything else.
function jsonrpc.request_id(message)
    local id = jsonrpc.id_of(message)
    return id ~= nil and message.method ~= nil and id or nil
end

--- Whether a message wants no answer, though something else may be wrong with it.
function jsonrpc.is_notification(message)
    return jsonrpc.is_object(message) and type(message.method) == "string" and message.id == nil
end

local function kind_without_method(message)
    if message.result == nil and message.error == nil then return invalid("it has no method") end
    if not is_id(message.id) and message.id ~= json.null then return invalid("the answer has no id") end
    return "response"
end

--- What a decoded message is.
---@return "request"|"notification"|"response"|nil kind
---@return mcp.Failure? failure
function jsonrpc.classify(message)
    if not jsonrpc.is_object(message) then return invalid("one JSON object was expected") end
    if message.jsonrpc ~= "2.0" then return invalid('jsonrpc must be "2.0"') end
    if message.method == nil then return kind_without_method(message) end
    if type(message.method) ~= "string" then return invalid("method must be a string") end
    local params = message.params
    if params ~= nil and params ~= json.null and not jsonrpc.is_object(params) then
        return nil, jsonrpc.failure(jsonrpc.INVALID_PARAMS, "Invalid params: an object was expected")
    end
    if message.id == nil then return "notification" end
    if not is_id(message.id) then return invalid("id must be a string or an integer") end
    return "request"
end

--- An id as JSON text, or the integer that becomes just that where it is put into a text.
---@param id string|integer
---@return string|integer
function jsonrpc.id_text(id) return type(id) == "number" and id or json.encode(id) end

--- The text of a successful answer; `result` is JSON text.
function jsonrpc.result(id, result)
    return '{"jsonrpc":"2.0","id":' .. jsonrpc.id_text(id) .. ',"result":' .. result .. "}"
end

--- The text of an error answer. `id` may be json.null, or nil to leave it out.
---@param failure mcp.Failure
function jsonrpc.error(id, failure) return json.encode({ jsonrpc = "2.0", id = id, error = failure }) end

return jsonrpc
