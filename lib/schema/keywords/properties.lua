--- Keywords that apply schemas to an object's properties.
local expect = require("schema.expect")
local message = require("schema.message")
local nearest = require("nearest")
local properties = require("schema.properties")
local value = require("schema.value")

--- Applies a check to every property, in order of the alphabet when errors are wanted.
local function each(run, object, check)
    local ok = true
    if run.quiet then
        for name, part in next, object do
            run.steps = run.steps - 1
            if not check(name, part) then return false end
        end
        return true
    end
    for _, name in ipairs(value.sorted_keys(object, run.charge)) do
        if not check(name, object[name]) then ok = false end
    end
    return ok
end

local function compile_properties(build)
    local nodes = build:children_by_name(build.argument)
    return function(run, v, record)
        return each(run, v, function(name, part)
            local node = nodes[name]
            if not node then return true end
            if record then record.names[name] = true end
            return run:child(node, name, part)
        end)
    end
end

local function compile_patterns(build)
    local rules = properties.rules(build)
    return function(run, v, record)
        return each(run, v, function(name, part)
            local ok = true
            for _, rule in ipairs(rules) do
                if rule.matches(tostring(name), run.charge) then
                    if record then record.names[name] = true end
                    ok = run:child(rule.node, name, part) and ok
                end
            end
            return ok
        end)
    end
end

local function unknown_message(noun, name, known)
    return ("unknown %s %s%s"):format(noun, message.quote(tostring(name)), nearest.hint(tostring(name), known))
end

--- Applies `node` to a property that no other keyword knows; a plain `false` is told as an unknown name.
local function extra(run, build, node, known, name, part)
    if node.schema == false then return run:fail(build.keyword, unknown_message, run:property_noun(), name, known) end
    return run:child(node, name, part)
end

local function compile_additional(build)
    local node = build:child(build.argument)
    local is_known, known = properties.known(build)
    return function(run, v, record)
        return each(run, v, function(name, part)
            if is_known(run, name) then return true end
            if record then record.names[name] = true end
            return extra(run, build, node, known, name, part)
        end)
    end
end

local function compile_unevaluated(build)
    local node = build:child(build.argument)
    local _, known = properties.known(build)
    return function(run, v, record)
        if record.all_names then return true end
        local ok = each(run, v, function(name, part)
            return record.names[name] or extra(run, build, node, known, name, part)
        end)
        record.all_names = true
        return ok
    end
end

local function name_message(name, schema)
    if type(schema) ~= "table" then return ("the property name %s is not allowed"):format(message.quote(name)) end
    return "property name: " .. message.mismatch(schema, name)
end

local function compile_names(build)
    local node = build:child(build.argument)
    return function(run, v)
        return each(run, v, function(name)
            return run:probe(node, name) or run:fail("propertyNames", name_message, name, node.schema)
        end)
    end
end

local function compile_dependent(build)
    local nodes = build:in_place_by_name(build.argument)
    local names = value.sorted_keys(expect.map(build.argument, build.at))
    return function(run, v, record)
        local ok = true
        run:spend(#names)
        for _, name in ipairs(names) do
            if v[name] ~= nil and not nodes[name].run(run, v, record) then
                ok = false
                if run.quiet then return false end
            end
        end
        return ok
    end
end

local objects = { "object" }

return {
    { keyword = "properties", vocabulary = "applicator", kinds = objects, compile = compile_properties },
    { keyword = "patternProperties", vocabulary = "applicator", kinds = objects, compile = compile_patterns },
    { keyword = "additionalProperties", vocabulary = "applicator", kinds = objects, compile = compile_additional },
    { keyword = "propertyNames", vocabulary = "applicator", kinds = objects, compile = compile_names },
    { keyword = "dependentSchemas", vocabulary = "applicator", kinds = objects, compile = compile_dependent },
    {
        keyword = "unevaluatedProperties", vocabulary = "unevaluated", kinds = objects, compile = compile_unevaluated,
        late = true,
    },
}
