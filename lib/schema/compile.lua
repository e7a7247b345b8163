--- From a schema to closures.
---
--- Every schema table becomes a node; a node's `run(run, value, record)` applies the keywords that fit the value's kind.
--- Nodes are compiled from a queue, so references may go round in circles and the stack stays flat.
---@class schema.Compiler
---@field registry schema.Registry
---@field nodes table<table|boolean, schema.Node>
---@field dynamic table<string, table<schema.Resource, schema.Node>>
---@field patterns table<string, function>
---@field assert_format boolean
local Compiler = {}
Compiler.__index = Compiler

---@class schema.Node
---@field schema table|boolean
---@field place schema.Place?
---@field in_place { node: schema.Node, at: string }[] schemas that it applies to the same value
---@field run fun(run: schema.Run, value: any, record: schema.Evaluated?): boolean

local Build = require("schema.build")
local Registry = require("schema.registry")
local circles = require("schema.circles")
local expect = require("schema.expect")
local runner = require("schema.runner")

local MAX_PATTERN_STEPS = 100000

--- All keywords, and their places in the order in which they are checked: what is cheap and tells most comes first.
local keywords, places = {}, {}
local groups = {
    "types", "numbers", "strings", "objects", "arrays", "properties", "logic", "references", "unevaluated_items",
}
for _, group in ipairs(groups) do
    for _, definition in ipairs(require("schema.keywords." .. group)) do
        keywords[#keywords + 1] = definition
        places[definition.keyword] = #keywords
    end
end

local function own_places(schema)
    local own = {}
    for keyword in next, schema do own[#own + 1] = places[keyword] end
    table.sort(own)
    return own
end

local function enabled(build, definition)
    local wanted = definition.vocabulary
    if type(wanted) == "string" then return build:enabled(wanted) end
    for _, vocabulary in ipairs(wanted) do
        if build:enabled(vocabulary) then return true end
    end
    return false
end

--- Adds up the size of patterns.
function Compiler:count_pattern(size, at)
    self.pattern_steps = self.pattern_steps + size
    if self.pattern_steps > MAX_PATTERN_STEPS then expect.fail(at, "the patterns of this schema are too large together") end
end

--- The node of a schema; it is filled before the compilation ends.
---@param schema table|boolean
---@return schema.Node
function Compiler:node(schema)
    local node = self.nodes[schema]
    if not node then
        node = { schema = schema, place = self.registry.places[schema], in_place = {} }
        self.nodes[schema] = node
        self.queue[#self.queue + 1] = node
    end
    return node
end

local function fill(compiler, node)
    if type(node.schema) == "boolean" then
        node.run = runner.constant(node.schema)
        return
    end
    local checks = runner.checks()
    for _, place in ipairs(own_places(node.schema)) do
        local definition = keywords[place]
        local build = Build.new(compiler, node, definition.keyword)
        local check = enabled(build, definition) and definition.compile(build)
        if check then checks:add(definition, check) end
    end
    node.run = checks:runner()
end

local function fill_all(compiler)
    while compiler.filled < #compiler.queue do
        compiler.filled = compiler.filled + 1
        fill(compiler, compiler.queue[compiler.filled])
    end
end

local function find_dynamic_targets(compiler)
    for name, targets in pairs(compiler.dynamic) do
        for _, resource in pairs(compiler.registry.resources) do
            local schema = resource.dynamic[name]
            if schema then targets[resource] = compiler:node(schema) end
        end
    end
end

--- Targets may bring references to further documents, which may bring further targets.
local function fill_dynamic(compiler)
    repeat
        fill_all(compiler)
        find_dynamic_targets(compiler)
    until compiler.filled == #compiler.queue
    if not next(compiler.dynamic) then return end
    for _, node in ipairs(compiler.queue) do
        if node.place then node.run = runner.scoped(node.run, node.place.resource) end
    end
end

--- Compiles a schema.
---@param schema table|boolean
---@param options { base: string, documents: table, assert_format: boolean, limits: table }
---@return schema.Node
return function(schema, options)
    local compiler = setmetatable({
        registry = Registry.new(options.documents, options.limits), nodes = {}, queue = {}, filled = 0, dynamic = {},
        patterns = {}, pattern_steps = 0, assert_format = options.assert_format,
    }, Compiler)
    compiler.registry:add(options.base, schema)
    local root = compiler:node(schema)
    fill_dynamic(compiler)
    circles.refuse(compiler.queue)
    return root
end
