--- JSON Schemas written as Lua tables: an empty table may mean [] or {}, and the keyword it stands under tells.
local json = require("json")
local positions = require("schema.positions")

local schema_text = {}

local LISTS = { "required", "enum", "examples", "type" }

local function each(value, visit)
    if type(value) ~= "table" then return end
    for _, item in pairs(value) do visit(item) end
end

local function mark_list(value)
    if type(value) == "table" then json.array(value) end
end

local mark

local MARK = {
    schema = function(value) mark(value) end,
    map = function(value) each(value, mark) end,
    list = function(value)
        mark_list(value)
        each(value, mark)
    end,
}

function mark(schema)
    if type(schema) ~= "table" then return end
    for _, keyword in ipairs(LISTS) do mark_list(schema[keyword]) end
    for keyword, value in pairs(schema) do
        if positions[keyword] then MARK[positions[keyword]](value) end
    end
    each(schema.dependentRequired, mark_list)
end

--- Marks the lists of a schema, in place, so that it encodes as it is meant.
---@param schema table acyclic
function schema_text.mark(schema) mark(schema) end

return schema_text
