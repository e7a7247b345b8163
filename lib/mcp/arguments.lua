--- Arguments and results against the schemas of a tool.
local json = require("json")
local schema = require("schema")

local arguments = {}

local function compile(source, noun)
    local ok, check = pcall(schema.compile, source, { strict = true, noun = noun })
    if not ok then return nil, (tostring(check):gsub("^.-schema: ", "")) end
    return check
end

-- schema.coerce takes null for "not given". Where the schema says what not giving means, null is a wrong value unless
-- the schema takes it.
local function with_meant_nulls(properties, given, read)
    for name, property in pairs(properties) do
        local default = type(property) == "table" and property.default
        if given[name] == json.null and default ~= nil and default ~= json.null then read[name] = json.null end
    end
    return read
end

-- Names of the arguments where 5.0 means 5.
local function integers_of(input)
    local floats = {}
    for name in pairs(input.properties or {}) do floats[name] = 5.0 end
    for name, value in pairs(schema.coerce(input, floats)) do floats[name] = math.type(value) == "integer" or nil end
    return floats
end

local function is_plain(given, integers)
    for name, value in next, given do
        if value == json.null or integers[name] and math.type(value) == "float" then return false end
    end
    return true
end

-- The handler's form of arguments that fit: null is nothing, and an integer is one. To a schema 1e300 is an integer too.
local function plain(given, integers)
    if is_plain(given, integers) then return given end
    local read = {}
    for name, value in next, given do
        if integers[name] and math.type(value) == "float" then
            local whole = math.tointeger(value)
            if not whole then return nil, ("%s: expected an integer of 64 bits, got %g"):format(name, value) end
            value = whole
        end
        if value ~= json.null then read[name] = value end
    end
    return read
end

--- A function that checks a call's arguments and gives the handler's form of them, or what is wrong with them, in one
--- line. What does not fit as it came is read laxly and checked again.
---@param input table JSON Schema
---@return (fun(given: table): table?, string?)?
---@return string? complaint about the schema
function arguments.compile(input)
    local check, complaint = compile(input, "argument")
    if not check then return nil, complaint end
    local integers = integers_of(input)
    return function(given)
        if check(given) then return plain(given, integers) end
        local read = with_meant_nulls(input.properties or {}, given, schema.coerce(input, given))
        local ok, errors = check(read)
        if not ok then return nil, schema.explain(errors) end
        return plain(read, integers)
    end
end

--- A function that says what is wrong with a structured result, or nil.
---@param output table JSON Schema
---@return (fun(structured: any): string?)?
---@return string? complaint about the schema
function arguments.checker(output)
    local check, complaint = compile(output, "property")
    if not check then return nil, complaint end
    return function(structured)
        local ok, errors = check(structured)
        return not ok and schema.explain(errors) or nil
    end
end

return arguments
