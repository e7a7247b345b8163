--- What one generation of the scripts offers: tools, resources, templates, prompts and completions, checked and compiled
--- when they are defined.
local collection = require("mcp.collection")
local definition = require("mcp.definition")
local prompt_definition = require("mcp.prompt_definition")
local resource_definition = require("mcp.resource_definition")
local revisions = require("mcp.revisions")

---@class mcp.Tool: mcp.Entry a defined tool
---@field name string
---@field public table its entry in tools/list, in the form of the newest revision
---@field output? table its output schema
---@field handler fun(arguments: table, ctx: mcp.Context): any, string?
---@field accept fun(arguments: table): table?, string?  coerced and validated arguments, or what is wrong with them
---@field check_output? fun(structured: any): string?  what is wrong with a structured result
---@field headers mcp.HeaderArgument[] arguments that clients of the stateless era repeat as headers
---@field task? { required: boolean, start: "auto"|"slow"|"manual", ttl_ms?: integer } may run beyond its request
---@field single_use? boolean an answer to its questions counts once

---@class mcp.Registry
---@field tools mcp.Collection
---@field resources mcp.Collection
---@field templates mcp.Collection
---@field prompts mcp.Collection
---@field private completions table<string, mcp.Completion>
local Registry = {}
Registry.__index = Registry

local registry = {}

function registry.new()
    return setmetatable({
        tools = collection.new(revisions.tool),
        resources = collection.new(revisions.resource),
        templates = collection.new(revisions.template),
        prompts = collection.new(revisions.prompt),
        completions = {},
    }, Registry)
end

local function add(entries, entry, what, noun)
    if entries:add(entry) then return true end
    return nil, ('%s "%s": a %s of this %s is defined already'):format(what, entry.key, what, noun)
end

--- Adds a tool as an operator defines it.
---@param given tool.Definition
---@return true?
---@return string? complaint what is wrong and what would be right
function Registry:add(given)
    local tool, complaint = definition.compile(given)
    if not tool then return nil, complaint end
    return add(self.tools, tool, "tool", "name")
end

---@return true?
---@return string? complaint
function Registry:add_resource(given)
    local resource, complaint = resource_definition.compile(given)
    if not resource then return nil, complaint end
    return add(self.resources, resource, "resource", "address")
end

---@return true?
---@return string? complaint
function Registry:add_template(given)
    local template, complaint = resource_definition.compile_template(given)
    if not template then return nil, complaint end
    return add(self.templates, template, "resource_template", "template")
end

---@return true?
---@return string? complaint
function Registry:add_prompt(given)
    local prompt, complaint = prompt_definition.compile(given)
    if not prompt then return nil, complaint end
    return add(self.prompts, prompt, "prompt", "name")
end

local function completion_key(kind, of, argument) return kind .. "\0" .. of .. "\0" .. argument end

---@return true?
---@return string? complaint
function Registry:add_completion(given)
    local completion, complaint = prompt_definition.compile_completion(given)
    if not completion then return nil, complaint end
    local key = completion_key(completion.kind, completion.of, completion.argument)
    if self.completions[key] then
        return nil, ('completion "%s": a completion of this argument is defined already'):format(completion.argument)
    end
    self.completions[key] = completion
    return true
end

---@return mcp.Completion?
function Registry:completion(kind, of, argument) return self.completions[completion_key(kind, of, argument)] end

--- Whether the scripts define completions at all.
function Registry:completes() return next(self.completions) ~= nil end

--- Raises for what JSON cannot hold; call it once, when all is defined.
function Registry:seal()
    for _, entries in ipairs({ self.tools, self.resources, self.templates, self.prompts }) do entries:seal() end
end

--- The tool, if it is offered now.
---@return mcp.Tool?
function Registry:find(name) return self.tools:find(name) end

--- All tools in the order in which they were defined.
---@return mcp.Tool[]
function Registry:all() return self.tools:all() end

--- The names in the same order.
---@return string[]
function Registry:names() return self.tools:keys() end

--- The resource of an address, and the variables in it where a template has it.
---@param uri string
---@return mcp.Resource?
---@return table<string, string> variables
function Registry:resource(uri)
    local resource = self.resources:find(uri)
    if resource then return resource, {} end
    for _, template in ipairs(self.templates:all()) do
        local variables = self.templates:find(template.key) and template.match(uri)
        if variables then return template, variables end
    end
    return nil, {}
end

return registry
