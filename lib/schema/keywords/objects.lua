--- Keywords about which and how many properties an object has.
local expect = require("schema.expect")
local message = require("schema.message")
local pointer = require("schema.pointer")
local value = require("schema.value")

local function size_of(run, object)
    local size = 0
    for _ in next, object do size = size + 1 end
    run:spend(size)
    return size
end

local function size_message(schema, size)
    local words = message.describe(schema, "object")
    return ("expected %s, got %d"):format(words, size)
end

local function size_limit(holds)
    return function(build)
        local bound, schema, keyword = expect.count(build.argument, build.at), build.schema, build.keyword
        return function(run, v)
            local size = size_of(run, v)
            return holds(size, bound) or run:fail(keyword, size_message, schema, size)
        end
    end
end

local at_most = size_limit(function(size, bound) return size <= bound end)
local at_least = size_limit(function(size, bound) return size >= bound end)

local function missing_message(schema, name)
    local known = type(schema.properties) == "table" and schema.properties[name]
    local words = type(known) == "table" and message.describe(known)
    return "required, expected " .. (words or "a value") .. ", got nothing"
end

local function compile_required(build)
    local names, schema = expect.names(build.argument, build.at), build.schema
    return function(run, v)
        local ok = true
        run:spend(#names)
        for _, name in ipairs(names) do
            if v[name] == nil then ok = run:fail_at(name, "required", missing_message, schema, name) end
        end
        return ok
    end
end

local function dependent_message(because)
    return ("required when %s is given, got nothing"):format(message.quote(because))
end

local function compile_dependent(build)
    local needs, rules = expect.map(build.argument, build.at), {}
    for _, name in ipairs(value.sorted_keys(needs)) do
        rules[#rules + 1] = { name = name, needs = expect.names(needs[name], pointer.join(build.at, name)) }
    end
    return function(run, v)
        local ok = true
        for _, rule in ipairs(rules) do
            run:spend(1 + #rule.needs)
            for _, needed in ipairs(v[rule.name] ~= nil and rule.needs or {}) do
                if v[needed] == nil then ok = run:fail_at(needed, "dependentRequired", dependent_message, rule.name) end
            end
        end
        return ok
    end
end

local objects = { "object" }

return {
    { keyword = "minProperties", vocabulary = "validation", kinds = objects, compile = at_least },
    { keyword = "maxProperties", vocabulary = "validation", kinds = objects, compile = at_most },
    { keyword = "required", vocabulary = "validation", kinds = objects, compile = compile_required },
    { keyword = "dependentRequired", vocabulary = "validation", kinds = objects, compile = compile_dependent },
}
