--- What a keyword sees while it is compiled: its argument, its schema, and ways to compile the schemas it holds.
---@class schema.Build
---@field compiler schema.Compiler
---@field node schema.Node of the schema that has the keyword
---@field place schema.Place
---@field schema table
---@field keyword string
---@field argument any
---@field at string JSON pointer of the keyword
local Build = {}
Build.__index = Build

local expect = require("schema.expect")
local message = require("schema.message")
local pattern = require("schema.pattern")

---@return schema.Build
function Build.new(compiler, node, keyword)
    local place = node.place
    return setmetatable({
        compiler = compiler, node = node, place = place, schema = node.schema, keyword = keyword,
        argument = node.schema[keyword], at = place.at .. "/" .. keyword,
    }, Build)
end

--- Pointer of the schema that has the keyword.
---@return string
function Build:parent() return self.place.at end

---@param vocabulary string
---@return boolean
function Build:enabled(vocabulary)
    return self.place.resource.vocabularies[vocabulary] == true
end

---@return boolean
function Build:asserts_format()
    return self.compiler.assert_format or self:enabled("format-assertion")
end

--- A schema for parts of the value.
---@param part table|boolean
---@return schema.Node
function Build:child(part)
    return self.compiler:node(part)
end

--- A schema for the same value; remembered, for a circle of these would never end.
---@param part table|boolean
---@return schema.Node
function Build:in_place(part)
    local node = self.compiler:node(part)
    table.insert(self.node.in_place, { node = node, at = self.at })
    return node
end

local function mapped(build, how, parts)
    local nodes = {}
    for key, part in next, parts do nodes[key] = build[how](build, part) end
    return nodes
end

---@param parts (table|boolean)[]
---@return schema.Node[]
function Build:children(parts) return mapped(self, "child", parts) end

---@param parts table<string, table|boolean>
---@return table<string, schema.Node>
function Build:children_by_name(parts) return mapped(self, "child", parts) end

--- Schemas for the same value; at least one.
---@param parts (table|boolean)[]
---@return schema.Node[]
function Build:in_place_list(parts)
    if #parts == 0 then expect.fail(self.at, "expected at least one schema") end
    return mapped(self, "in_place", parts)
end

---@param parts table<string, table|boolean>
---@return table<string, schema.Node>
function Build:in_place_by_name(parts) return mapped(self, "in_place", parts) end

--- The schema that a $ref names.
---@param reference string
---@return schema.Node
function Build:reference(reference)
    return self:in_place((self.compiler.registry:resolve(self.place, reference, self.at)))
end

--- The schema that a $dynamicRef names at first, and the name of the dynamic anchor to look for (nil: it is no such anchor).
---@param reference string
---@return schema.Node node
---@return string? name
function Build:dynamic_reference(reference)
    local target, resource, fragment = self.compiler.registry:resolve(self.place, reference, self.at)
    local is_dynamic = type(target) == "table" and resource.dynamic[fragment] == target
    if not is_dynamic then return self:in_place(target), nil end
    return self.compiler:node(target), fragment
end

--- Schemas with a dynamic anchor of this name, by resource; filled when the compilation ends.
---@param name string
---@return table<schema.Resource, schema.Node>
function Build:dynamic_targets(name)
    local targets = self.compiler.dynamic
    targets[name] = targets[name] or {}
    return targets[name]
end

--- A matcher for a regular expression.
---@param source any
---@param at string pointer for messages
---@return fun(text: string, spend: fun(steps: integer)): boolean
function Build:pattern(source, at)
    local known = self.compiler.patterns
    if not known[expect.string(source, at)] then
        local matches, problem, size = pattern.compile(source)
        if not matches then
            expect.fail(at, "expected a regular expression (ECMA-262), got %s: %s", message.quote(source), problem)
        end
        self.compiler:count_pattern(size, at)
        known[source] = matches
    end
    return known[source]
end

return Build
