--- completion/complete: suggestions for an argument of a prompt or of a template of addresses.
local context = require("mcp.context")
local invoke = require("mcp.invoke")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")

local complete = {}

local VALUES_MAX = 100

local invalid = jsonrpc.invalid_params

local KINDS = { ["ref/prompt"] = { "prompt", "name" }, ["ref/resource"] = { "resource", "uri" } }

local function contains(list, wanted)
    for _, value in ipairs(list) do
        if value == wanted then return true end
    end
    return false
end

-- Whether what is referred to exists and has that argument.
local function check(registry, kind, of, argument)
    if kind == "prompt" then
        local prompt = registry.prompts:find(of)
        if not prompt then return ("there is no prompt %q"):format(of) end
        return not prompt.known[argument] and ("the prompt has no argument %q"):format(argument) or nil
    end
    local template = registry.templates:find(of)
    if not template then return not registry.resources:find(of) and ("there is no resource %q"):format(of) or nil end
    return not contains(template.variables, argument) and ("the template has no place %q"):format(argument) or nil
end

local function read(registry, params)
    local ref, argument = params.ref, params.argument
    local kind = jsonrpc.is_object(ref) and KINDS[ref.type]
    if not kind then return invalid("ref must be a ref/prompt or a ref/resource") end
    local of = ref[kind[2]]
    if type(of) ~= "string" then return invalid(("ref.%s must be a string"):format(kind[2])) end
    if not jsonrpc.is_object(argument) or type(argument.name) ~= "string" or type(argument.value) ~= "string" then
        return invalid("argument must have a name and a value that are strings")
    end
    local complaint = check(registry, kind[1], of, argument.name)
    if complaint then return invalid(complaint) end
    return { kind = kind[1], of = of, argument = argument.name, value = argument.value }
end

-- The result, or what is wrong with what the handler returned.
local function result_of(values)
    if type(values) ~= "table" then return nil, "a completion returns a list of texts, got a " .. type(values) end
    local kept = json.array({})
    for position = 1, math.min(#values, VALUES_MAX) do
        local value = values[position]
        if type(value) == "number" then value = tostring(value) end
        if type(value) ~= "string" then return nil, ("value %d of a completion is a %s"):format(position, type(value)) end
        kept[position] = value
    end
    return { completion = { values = kept, total = #values, hasMore = #values > VALUES_MAX } }
end

-- What was chosen for other arguments, for those who depend on it.
local function chosen(params)
    local given = jsonrpc.is_object(params.context) and params.context.arguments
    return jsonrpc.is_object(given) and given or {}
end

--- Suggests values for the argument that `params` name.
---@param registry mcp.Registry
---@param params table
---@param exchange mcp.Exchange
---@return string? result JSON text
---@return mcp.Failure?
function complete.run(registry, params, exchange)
    local asked, failure = read(registry, params)
    if not asked then return nil, failure end
    local completion = registry:completion(asked.kind, asked.of, asked.argument)
    if not completion then return exchange:encode(result_of({})) end
    local ctx = context.new(asked.of, exchange, jsonrpc.is_object(params._meta) and params._meta or {})
    ctx.arguments = chosen(params)
    exchange:may_take_long(invoke.stopped(asked.of, exchange))
    local values, message, trouble = invoke.run(completion.handler, asked.value, ctx)
    if trouble and trouble.refusal then return nil, trouble.refusal end
    if values == nil and message then return invalid(tostring(message)) end
    local made, wrong = nil, trouble and trouble.trace
    if not trouble then made, wrong = result_of(values or {}) end
    if made then return exchange:encode(made) end
    return invoke.internal(asked.of, wrong)
end

return complete
