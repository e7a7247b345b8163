--- Unknown keywords that look like slips of known ones. JSON Schema ignores what it does not know, so `requried` would
--- silently check nothing.
---@class schema.typos
local typos = {}

local expect = require("schema.expect")
local message = require("schema.message")
local nearest = require("nearest")
local pointer = require("schema.pointer")
local positions = require("schema.positions")
local value = require("schema.value")

local known = {
    "$schema", "$id", "$anchor", "$dynamicAnchor", "$ref", "$dynamicRef", "$vocabulary", "$comment", "type", "enum", "const",
    "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern", "format",
    "minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties", "required",
    "dependentRequired", "title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples",
    "contentEncoding", "contentMediaType",
}
for keyword in pairs(positions) do known[#known + 1] = keyword end
table.sort(known)

local is_known = {}
for _, keyword in ipairs(known) do is_known[keyword] = true end

local function check_keywords(schema, at)
    for _, keyword in ipairs(value.sorted_keys(schema)) do
        local near = not is_known[keyword] and not keyword:find("^x%-") and nearest.find(keyword, known)
        if near then
            expect.fail(at, "unknown keyword %s; did you mean %s? (x-… is for your own)", message.quote(keyword),
                message.quote(near))
        end
    end
end

local function check(schema, at)
    if type(schema) ~= "table" then return end
    check_keywords(schema, at)
    for keyword, part in pairs(schema) do
        local position = positions[keyword]
        if position == "schema" then check(part, at .. "/" .. keyword) end
        for key, inner in pairs(position and position ~= "schema" and part or {}) do
            check(inner, pointer.join(at .. "/" .. keyword, math.type(key) and key - 1 or key))
        end
    end
end

--- Raises at the first such keyword of a schema that compiles.
---@param schema table|boolean
function typos.refuse(schema)
    check(schema, "")
end

return typos
