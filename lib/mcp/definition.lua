--- A tool as an operator defines it: checked with messages that say what would be right, and compiled.
local arguments = require("mcp.arguments")
local fields = require("mcp.fields")
local json = require("json")
local parameter_headers = require("mcp.parameter_headers")
local schema_text = require("mcp.schema_text")

local definition = {}

-- Fields of a definition and their Lua types; the first four are required.
local REQUIRED = { "name", "description", "input", "handler" }
local TYPES = {
    name = "string", description = "string", input = "table", handler = "function",
    title = "string", annotations = "table", output = "table", icons = "table", meta = "table",
    enabled = "function", task = "string|table", single_use = "boolean",
}
local TASK = { support = "string", start = "string", ttl_ms = "number" }
local SUPPORT = { forbidden = true, optional = true, required = true }
local START = { auto = true, slow = true, manual = true }
local ANNOTATIONS = {
    title = "string",
    readOnlyHint = "boolean", destructiveHint = "boolean", idempotentHint = "boolean", openWorldHint = "boolean",
}

local function check_texts(given)
    local name = given.name
    if #name > 128 or not name:find("^[%w_.-]+$") then
        return "field name must be 1 to 128 letters, digits, _, - or ."
    end
    if not given.description:find("%S") then return "field description must not be empty: it is all that agents know" end
end

-- A schema that clients can read: JSON, and an object at the root where arguments are meant.
local function check_schema(field, schema)
    local ok, complaint = pcall(json.encode, schema)
    if not ok then return ("field %s is no JSON: %s"):format(field, complaint) end
    if field == "input" and schema.type ~= "object" then
        return 'field input must be a JSON Schema with type = "object", for arguments have names'
    end
    schema_text.mark(schema)
end

local function check_task(task)
    if type(task) == "string" then task = { support = task } end
    local complaint = fields.check(task or {}, TASK, "task field")
    if complaint or not task then return complaint end
    if not SUPPORT[task.support] then return "field task must be forbidden, optional or required" end
    if task.start and not START[task.start] then return "task field start must be auto, slow or manual" end
end

local function check(given)
    return fields.check(given, TYPES, "field")
        or fields.required(given, REQUIRED, TYPES)
        or check_texts(given)
        or fields.check(given.annotations or {}, ANNOTATIONS, "annotation")
        or check_task(given.task)
        or check_schema("input", given.input)
        or (given.output and check_schema("output", given.output))
end

local function public(given)
    return {
        name = given.name,
        title = given.title,
        description = given.description,
        inputSchema = given.input,
        outputSchema = given.output,
        annotations = given.annotations,
        icons = given.icons and json.array(given.icons),
        _meta = given.meta,
    }
end

-- How the tool may run beyond its request, or nil.
local function task_of(given)
    if type(given) == "string" then given = { support = given } end
    if not given or given.support == "forbidden" then return nil end
    return { required = given.support == "required", start = given.start or "auto", ttl_ms = given.ttl_ms }
end

-- Compiles what was checked; raises nothing, complains about schemas.
local function build(given)
    local accept, check_output, headers, complaint
    accept, complaint = arguments.compile(given.input)
    if not accept then return nil, "field input: " .. complaint end
    if given.output then
        check_output, complaint = arguments.checker(given.output)
        if not check_output then return nil, "field output: " .. complaint end
    end
    headers, complaint = parameter_headers.of(given.input)
    if not headers then return nil, "field input: " .. complaint end
    return {
        key = given.name, name = given.name, handler = given.handler, output = given.output, public = public(given),
        accept = accept, check_output = check_output, headers = headers,
        enabled = given.enabled, task = task_of(given.task), single_use = given.single_use,
    }
end

--- Checks and compiles a definition.
---@param given tool.Definition
---@return mcp.Tool?
---@return string? complaint
function definition.compile(given)
    if type(given) ~= "table" then return nil, "tool: expected a table { name = … }, got " .. type(given) end
    local complaint = check(given)
    if complaint then return nil, fields.label("tool", given, "name", complaint) end
    local tool
    tool, complaint = build(given)
    if not tool then return nil, fields.label("tool", given, "name", complaint) end
    return tool
end

return definition
