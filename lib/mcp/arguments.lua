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

local function without_nulls(read)
    for name, value in pairs(read) do
        if value == json.null then read[name] = nil end
    end
    return read
end

--- A function that reads a call's arguments laxly, checks them and gives the handler's form of them (no nulls); or what
--- is wrong with them, in one line.
---@param input table JSON Schema
---@return (fun(given: table): table?, string?)?
---@return string? complaint about the schema
function arguments.compile(input)
    local check, complaint = compile(input, "argument")
    if not check then return nil, complaint end
    return function(given)
        local read = with_meant_nulls(input.properties or {}, given, schema.coerce(input, given))
        local ok, errors = check(read)
        if not ok then return nil, schema.explain(errors) end
        return without_nulls(read)
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
