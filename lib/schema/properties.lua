--- Which property names a schema knows by `properties` and `patternProperties`.
---@class schema.properties
local properties = {}

local pointer = require("schema.pointer")
local value = require("schema.value")

---@class schema.Rule
---@field matches fun(text: string, spend: fun(steps: integer)): boolean
---@field node schema.Node

--- The rules of `patternProperties`, when `build` stands at it.
---@param build schema.Build
---@return schema.Rule[]
function properties.rules(build)
    local rules, nodes = {}, build:children_by_name(build.argument)
    for _, source in ipairs(value.sorted_keys(nodes)) do
        rules[#rules + 1] = { matches = build:pattern(source, pointer.join(build.at, source)), node = nodes[source] }
    end
    return rules
end

local function matchers(build)
    local patterns, out = build.schema.patternProperties, {}
    if type(patterns) ~= "table" then return out end
    for source in next, patterns do
        out[#out + 1] = build:pattern(source, pointer.join(build:parent() .. "/patternProperties", source))
    end
    return out
end

--- A test for the names that the schema of `build` knows, and a list of the plain ones.
---@param build schema.Build
---@return fun(run: schema.Run, name: any): boolean is_known
---@return string[] names
function properties.known(build)
    local named = type(build.schema.properties) == "table" and build.schema.properties or {}
    local tests = matchers(build)
    local function is_known(run, name)
        if named[name] ~= nil then return true end
        for _, matches in ipairs(tests) do
            if matches(tostring(name), run.charge) then return true end
        end
        return false
    end
    return is_known, value.sorted_keys(named)
end

return properties
