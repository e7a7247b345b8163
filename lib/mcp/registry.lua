--- The tools of one generation of the scripts: checked and compiled when they are defined, kept in their order, and
--- their list encoded once per revision of the protocol.
local definition = require("mcp.definition")
local json = require("json")
local levels = require("mcp.levels")

---@class mcp.Tool a defined tool
---@field name string
---@field public table its entry in tools/list, in the form of the newest revision
---@field output? table its output schema
---@field handler fun(arguments: table, ctx: mcp.Context): any, string?
---@field accept fun(arguments: table): table?, string?  coerced and validated arguments, or what is wrong with them
---@field check_output? fun(structured: any): string?  what is wrong with a structured result
---@field headers mcp.HeaderArgument[] arguments that clients of the stateless era repeat as headers

---@class mcp.Registry
---@field private tools mcp.Tool[]
---@field private by_name table<string, mcp.Tool>
---@field private lists table<mcp.Revision, string>
local Registry = {}
Registry.__index = Registry

local registry = {}

function registry.new() return setmetatable({ tools = {}, by_name = {}, lists = {} }, Registry) end

--- Adds a tool as an operator defines it.
---@param given tool.Definition
---@return true?
---@return string? complaint what is wrong and what would be right
function Registry:add(given)
    local tool, complaint = definition.compile(given)
    if not tool then return nil, complaint end
    if self.by_name[tool.name] then return nil, ('tool "%s": a tool of this name is defined already'):format(tool.name) end
    self.by_name[tool.name] = tool
    self.tools[#self.tools + 1] = tool
    return true
end

---@return mcp.Tool?
function Registry:find(name) return self.by_name[name] end

--- All tools in the order in which they were defined.
---@return mcp.Tool[]
function Registry:all() return self.tools end

--- The names in the same order.
---@return string[]
function Registry:names()
    local names = {}
    for position, tool in ipairs(self.tools) do names[position] = tool.name end
    return names
end

--- Encodes the list for every revision; call it once, when all tools are defined.
function Registry:seal()
    for _, revision in ipairs(levels.supported) do
        local list = json.array({})
        for position, tool in ipairs(self.tools) do list[position] = levels.tool(tool.public, revision) end
        self.lists[revision] = json.encode(list, { sort = true })
    end
end

--- The `tools` of tools/list as JSON text.
---@param revision mcp.Revision
---@return string
function Registry:list(revision) return self.lists[revision] end

return registry
