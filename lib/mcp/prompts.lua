--- prompts/get: from the parameters of the request to the text of its result.
local content = require("mcp.content")
local context = require("mcp.context")
local invoke = require("mcp.invoke")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local nearest = require("nearest")
local revisions = require("mcp.revisions")

local prompts = {}

local invalid = jsonrpc.invalid_params

local function arguments_of(prompt, given)
    if given == nil or given == json.null then given = {} end
    if not jsonrpc.is_object(given) then return invalid("arguments must be an object") end
    for name, value in pairs(given) do
        if type(value) ~= "string" then return invalid(("argument %s must be a string"):format(name)) end
    end
    for _, name in ipairs(prompt.required) do
        if given[name] == nil then return invalid(("argument %s is missing"):format(name)) end
    end
    return given
end

local ROLES = { user = true, assistant = true }

local function message_of(given)
    if type(given) == "string" or (type(given) == "table" and given.type) then given = { content = given } end
    if type(given) ~= "table" then return nil, "a message is a " .. type(given) end
    local role, item = given.role or "user", given.content
    if type(item) == "string" then item = { type = "text", text = item } end
    if not ROLES[role] then return nil, "the role of a message is user or assistant" end
    local complaint = content.complaint(item)
    if complaint then return nil, "content of a message: " .. complaint end
    return { role = role, content = item }
end

-- A handler returns a text, a content item, a message, a list of them, or { description =, messages = }.
local function result_of(prompt, value)
    local list, description = value, prompt.public.description
    if type(value) == "table" and value.messages then list, description = value.messages, value.description or description end
    if description ~= nil and type(description) ~= "string" then return nil, "the description is a " .. type(description) end
    if type(list) ~= "table" or list.type or list.role or list.content then list = { list } end
    local messages = json.array({})
    for position, given in ipairs(list) do
        local message, complaint = message_of(given)
        if not message then return nil, complaint end
        messages[position] = message
    end
    return { description = description, messages = messages }
end

local function perform(prompt, arguments, exchange, meta)
    local value, message, trouble = invoke.run(prompt.handler, arguments, context.new(prompt.key, exchange, meta))
    if trouble and trouble.refusal then return nil, trouble.refusal end
    if trouble then return invoke.internal(prompt.key, trouble.trace) end
    if value == nil then return invalid(tostring(message or "the prompt has nothing to say")) end
    local made, complaint = result_of(prompt, value)
    if not made then return invoke.internal(prompt.key, complaint) end
    made.messages = revisions.messages(made.messages, exchange.revision)
    return invoke.encode(prompt.key, made, exchange)
end

--- Gets the prompt that `params` name.
---@param registry mcp.Registry
---@param params table
---@param exchange mcp.Exchange
---@return string? result JSON text
---@return mcp.Failure?
function prompts.run(registry, params, exchange)
    local name = params.name
    if type(name) ~= "string" then return invalid("name must be a string") end
    local prompt = registry.prompts:find(name)
    if not prompt then
        local hint = nearest.hint(name, registry.prompts:keys())
        return nil, jsonrpc.failure(jsonrpc.INVALID_PARAMS, ('Unknown prompt "%s"%s'):format(name, hint))
    end
    local arguments, failure = arguments_of(prompt, params.arguments)
    if not arguments then return nil, failure end
    exchange:may_take_long(invoke.stopped(prompt.key, exchange))
    return perform(prompt, arguments, exchange, jsonrpc.is_object(params._meta) and params._meta or {})
end

return prompts
