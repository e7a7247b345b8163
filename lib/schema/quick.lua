--- A shortcut for the schemas that most tools have: objects, lists and scalars of plain types. The test of such a schema
--- says yes to what surely fits, with no book to keep; what it does not say yes to goes through the whole check, which
--- knows what to say about it. Each part of a value is looked at once, so it costs no more than decoding did.
---@class schema.quick
local quick = {}

local value = require("schema.value")

---@alias schema.Test fun(v: any): boolean

local kind, is_integer = value.kind, value.is_integer

-- Keywords that say nothing about which values fit.
local SILENT = {
    type = true, title = true, description = true, default = true, examples = true, deprecated = true, readOnly = true,
    writeOnly = true, ["$comment"] = true,
}

-- Keywords that tests mind, and which say nothing about values of another type.
local KEYWORDS = {
    number = { minimum = true, maximum = true }, integer = { minimum = true, maximum = true }, array = { items = true },
    object = { properties = true, required = true, additionalProperties = true },
}

-- What makes the test of a type, or nil where that is not so simple.
local makers = {}

function makers.null()
    return function(v) return kind(v) == "null" end
end

function makers.boolean()
    return function(v) return type(v) == "boolean" end
end

function makers.string()
    return function(v) return type(v) == "string" end
end

function makers.number(schema)
    local least, most = schema.minimum or -math.huge, schema.maximum or math.huge
    return function(v) return type(v) == "number" and v >= least and v <= most end
end

function makers.integer(schema)
    local in_range = makers.number(schema)
    return function(v) return in_range(v) and is_integer(v) end
end

function makers.array(schema)
    local test = schema.items == nil or quick.test(schema.items)
    if test == true then return function(v) return kind(v) == "array" end end
    return test and function(v)
        if kind(v) ~= "array" then return false end
        for position = 1, #v do
            if not test(v[position]) then return false end
        end
        return true
    end
end

local function tests_by_name(parts)
    local tests = {}
    for name, part in next, parts do
        tests[name] = quick.test(part)
        if not tests[name] then return nil end
    end
    return tests
end

function makers.object(schema)
    local tests, required, more = tests_by_name(schema.properties or {}), schema.required or {}, schema.additionalProperties
    if not tests or type(more) == "table" then return nil end
    return function(v)
        if kind(v) ~= "object" then return false end
        for name, part in next, v do
            local test = tests[name]
            if not test and more == false or test and not test(part) then return false end
        end
        for position = 1, #required do
            if v[required[position]] == nil then return false end
        end
        return true
    end
end

local function is_minded(keyword, names)
    if SILENT[keyword] or keyword:find("^x%-") then return true end
    for _, name in ipairs(names) do
        if KEYWORDS[name] and KEYWORDS[name][keyword] then return true end
    end
    return false
end

local function either(first, second)
    return function(v) return first(v) or second(v) end
end

--- The test of a schema that compiles; nil where only the whole check can tell.
---@param schema any
---@return schema.Test?
function quick.test(schema)
    local names = type(schema) == "table" and schema.type
    if not names then return nil end
    if type(names) == "string" then names = { names } end
    for keyword in next, schema do
        if not is_minded(keyword, names) then return nil end
    end
    local test
    for _, name in ipairs(names) do
        local made = makers[name](schema)
        if not made then return nil end
        test = test and either(test, made) or made
    end
    return test
end

return quick
