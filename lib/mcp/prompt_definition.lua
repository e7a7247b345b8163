--- Prompts and completions as an operator defines them: checked and compiled.
local fields = require("mcp.fields")
local json = require("json")

local prompt_definition = {}

local PROMPT = {
    name = "string", description = "string", handler = "function", title = "string", arguments = "table", icons = "table",
    meta = "table", enabled = "function",
}
local ARGUMENT = { name = "string", title = "string", description = "string", required = "boolean" }
local COMPLETION = { prompt = "string", resource = "string", argument = "string", handler = "function" }

local function check_arguments(arguments)
    for position, argument in ipairs(arguments) do
        local what = ("argument %d, field"):format(position)
        if type(argument) ~= "table" then return ("argument %d must be a table { name = … }"):format(position) end
        local complaint = fields.check(argument, ARGUMENT, what) or fields.required(argument, { "name" }, ARGUMENT)
        if complaint then return complaint end
    end
end

local function check_prompt(given)
    if type(given) ~= "table" then return "expected a table, got " .. type(given) end
    return fields.check(given, PROMPT, "field")
        or fields.required(given, { "name", "description", "handler" }, PROMPT)
        or check_arguments(given.arguments or {})
end

---@class mcp.Prompt
---@field key string its name
---@field public table its entry in the list, in the form of the newest revision
---@field handler fun(args: table<string, string>, ctx: mcp.Context): any, string?
---@field required string[] names of the arguments that must be given
---@field known table<string, boolean> names of all arguments
---@field enabled? fun(): boolean

---@param given prompt.Definition
---@return mcp.Prompt?
---@return string? complaint
function prompt_definition.compile(given)
    local complaint = check_prompt(given)
    if complaint then return nil, fields.label("prompt", given, "name", complaint) end
    local required, known = {}, {}
    for _, argument in ipairs(given.arguments or {}) do
        known[argument.name] = true
        if argument.required then required[#required + 1] = argument.name end
    end
    return {
        key = given.name, handler = given.handler, enabled = given.enabled, required = required, known = known,
        public = {
            name = given.name, title = given.title, description = given.description,
            arguments = given.arguments and json.array(given.arguments),
            icons = given.icons and json.array(given.icons), _meta = given.meta,
        },
    }
end

---@class mcp.Completion
---@field kind "prompt"|"resource"
---@field of string name of the prompt, or template of addresses
---@field argument string
---@field handler fun(value: string, ctx: mcp.Context): string[]

---@param given completion.Definition
---@return mcp.Completion?
---@return string? complaint
function prompt_definition.compile_completion(given)
    if type(given) ~= "table" then return nil, "completion: expected a table, got " .. type(given) end
    local complaint = fields.check(given, COMPLETION, "field") or fields.required(given, { "argument", "handler" }, COMPLETION)
    if not complaint and (given.prompt == nil) == (given.resource == nil) then
        complaint = "give either prompt, the name of one, or resource, the template of one"
    end
    if complaint then return nil, fields.label("completion", given, "argument", complaint) end
    local kind = given.prompt and "prompt" or "resource"
    return { kind = kind, of = given.prompt or given.resource, argument = given.argument, handler = given.handler }
end

return prompt_definition
