--- The lax reading of arguments that clients rely on: numbers and booleans as strings, whole floats as integers, null for
--- "not given". Only top-level properties, and only values whose own kind the schema does not take.
local json = require("json")
local value = require("schema.value")

local words = {
    ["true"] = true, ["1"] = true, yes = true, y = true, on = true, t = true,
    ["false"] = false, ["0"] = false, no = false, n = false, off = false, f = false,
}

local function add_types(types, schema)
    local named = schema.type
    for _, name in ipairs(type(named) == "table" and named or { named }) do types[name] = true end
    if named ~= nil then return end
    for _, branch in ipairs(schema.anyOf or schema.oneOf or {}) do
        if type(branch) == "table" then add_types(types, branch) end
    end
end

--- Types that a property may have by `type` or by the alternatives' types; empty when they are not plain.
local function types_of(schema)
    local types = {}
    if type(schema) == "table" then add_types(types, schema) end
    return types
end

local function number_of(text)
    local plain = text:match("^%s*([+-]?%d+%.?%d*[eE]?[+-]?%d*)%s*$") or text:match("^%s*([+-]?%.%d+)%s*$")
    local number = plain and tonumber(plain)
    return number and number - number == 0 and number or nil
end

local function from_number(number, types)
    if types.number then return number end
    if types.integer then return math.tointeger(number) or number end
    if types.boolean and (number == 0 or number == 1) then return number == 1 end
    return number
end

local function from_string(text, types)
    if types.number or types.integer then
        local number = number_of(text)
        if number and (types.number or value.is_integer(number)) then return from_number(number, types) end
    end
    local word = types.boolean and words[text:lower()]
    if type(word) == "boolean" then return word end
    return text
end

local function coerced(v, types)
    if type(v) == "number" then return from_number(v, types) end
    if type(v) == "string" and not types.string then return from_string(v, types) end
    return v
end

local function is_required(schema, name)
    for _, required in ipairs(schema.required or {}) do
        if required == name then return true end
    end
    return false
end

--- An optional argument that is null was not given, unless null means something of its own here.
local function is_absent(schema, name, part)
    if part ~= json.null or is_required(schema, name) then return false end
    local property = schema.properties[name]
    return property.default == json.null or not types_of(property).null
end

--- Copy of an object of arguments with its properties read laxly.
---@param schema table with `properties`
---@param v any anything but an object is returned as it is; null and nil are no arguments
---@return any
return function(schema, v)
    local properties = type(schema) == "table" and schema.properties
    if not properties then return v end
    if v == nil or v == json.null then return {} end
    if value.kind(v) ~= "object" then return v end
    local out = setmetatable({}, getmetatable(v))
    for name, part in next, v do
        local property = properties[name]
        if type(property) ~= "table" then
            out[name] = part
        elseif not is_absent(schema, name, part) then
            out[name] = coerced(part, types_of(property))
        end
    end
    return out
end
