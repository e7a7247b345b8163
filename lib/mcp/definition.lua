--- A tool as an operator defines it: checked with messages that say what would be right, and compiled.
local arguments = require("mcp.arguments")
local json = require("json")
local nearest = require("nearest")
local parameter_headers = require("mcp.parameter_headers")
local schema_text = require("mcp.schema_text")

local definition = {}

-- Fields of a definition and their Lua types; the first four are required.
local REQUIRED = { "name", "description", "input", "handler" }
local TYPES = {
    name = "string", description = "string", input = "table", handler = "function",
    title = "string", annotations = "table", output = "table", icons = "table", meta = "table",
}
local ANNOTATIONS = {
    title = "string",
    readOnlyHint = "boolean", destructiveHint = "boolean", idempotentHint = "boolean", openWorldHint = "boolean",
}

-- Messages get the tool's name in front by definition.compile.
local function unknown(what, name, known)
    local names = {}
    for candidate in pairs(known) do names[#names + 1] = candidate end
    name = tostring(name)
    return ('%s "%s" is unknown%s'):format(what, name, nearest.hint(name, names))
end

local function check_fields(object, known, what)
    for name, value in pairs(object) do
        local expected = known[name]
        if not expected then return unknown(what, name, known) end
        if type(value) ~= expected then
            return ("%s %s must be a %s, got %s"):format(what, name, expected, type(value))
        end
    end
end

local function check_required(given)
    for _, name in ipairs(REQUIRED) do
        if given[name] == nil then return ("field %s is missing; it is a %s"):format(name, TYPES[name]) end
    end
end

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

local function check(given)
    return check_fields(given, TYPES, "field")
        or check_required(given)
        or check_texts(given)
        or check_fields(given.annotations or {}, ANNOTATIONS, "annotation")
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
        name = given.name, handler = given.handler, output = given.output, public = public(given),
        accept = accept, check_output = check_output, headers = headers,
    }
end

local function label(given)
    return type(given.name) == "string" and ('tool "%s": '):format(given.name) or "tool: "
end

--- Checks and compiles a definition.
---@param given tool.Definition
---@return mcp.Tool?
---@return string? complaint
function definition.compile(given)
    if type(given) ~= "table" then return nil, "tool: expected a table { name = … }, got " .. type(given) end
    local complaint = check(given)
    if complaint then return nil, label(given) .. complaint end
    local tool
    tool, complaint = build(given)
    if not tool then return nil, label(given) .. complaint end
    return tool
end

return definition
