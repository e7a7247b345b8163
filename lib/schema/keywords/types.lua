--- Keywords that any value may meet: type, enum, const.
local expect = require("schema.expect")
local message = require("schema.message")
local value = require("schema.value")

local known = { null = true, boolean = true, number = true, string = true, array = true, object = true, integer = true }
local ORDER = "array, boolean, integer, null, number, object or string"

local function check_name(name, at)
    if not known[name] then expect.fail(at, "expected %s, got %s", ORDER, message.got(name, false)) end
end

local function wanted_types(argument, at)
    if type(argument) == "string" then argument = { argument } end
    if type(argument) ~= "table" then check_name(argument, at) end
    if #expect.names(argument, at) == 0 then expect.fail(at, "expected at least one type") end
    local wanted = {}
    for _, name in ipairs(argument) do
        check_name(name, at)
        wanted[name] = true
    end
    return wanted
end

local function compile_type(build)
    local wanted, schema = wanted_types(build.argument, build.at), build.schema
    local integer = wanted.integer
    return function(run, v)
        local kind = value.kind(v)
        if wanted[kind] or (integer and kind == "number" and value.is_integer(v)) then return true end
        return run:fail("type", message.mismatch, schema, v)
    end
end

--- A check that the value is one of the choices.
local function one_of(build, choices)
    local scalars, texts, schema, keyword = {}, {}, build.schema, build.keyword
    local function refuse_depth(steps)
        if steps == math.huge then expect.fail(build.at, "nested too deep") end
    end
    for _, choice in ipairs(choices) do
        local scalar, text = value.identity(choice, refuse_depth)
        if text then texts[text] = true else scalars[scalar] = true end
    end
    local has_texts = next(texts) ~= nil
    return function(run, v)
        local found
        if type(v) ~= "table" then
            found = v ~= nil and scalars[v]
        elseif has_texts then
            local _, text = value.identity(v, run.charge)
            found = texts[text]
        end
        return found or run:fail(keyword, message.mismatch, schema, v)
    end
end

local function compile_enum(build)
    return one_of(build, expect.list(build.argument, build.at, "a list of values"))
end

local function compile_const(build)
    return one_of(build, { build.argument })
end

return {
    { keyword = "type", vocabulary = "validation", compile = compile_type },
    { keyword = "enum", vocabulary = "validation", compile = compile_enum },
    { keyword = "const", vocabulary = "validation", compile = compile_const },
}
