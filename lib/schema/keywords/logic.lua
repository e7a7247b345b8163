--- Keywords that combine schemas for the same value: allOf, anyOf, oneOf, not, if.
local choice = require("schema.choice")
local message = require("schema.message")

local function compile_all(build)
    local nodes = build:in_place_list(build.argument)
    return function(run, v, record)
        local ok = true
        for i = 1, #nodes do
            if not nodes[i].run(run, v, record) then
                ok = false
                if run.quiet then return false end
            end
        end
        return ok
    end
end

local function compile_any(build)
    local nodes, schema = build:in_place_list(build.argument), build.schema
    return function(run, v, record)
        local ok = false
        for i = 1, #nodes do
            if run:probe(nodes[i], v, record) then
                ok = true
                if not record then return true end
            end
        end
        return ok or choice.fail(run, "anyOf", nodes, schema, v)
    end
end

local function several_message(first, second)
    return ("expected exactly one of the allowed forms, got a value that fits %d and %d of them"):format(first, second)
end

local function compile_one(build)
    local nodes, schema = build:in_place_list(build.argument), build.schema
    return function(run, v, record)
        local first
        for i = 1, #nodes do
            if run:probe(nodes[i], v, not first and record or nil) then
                if first then return run:fail("oneOf", several_message, first, i) end
                first = i
            end
        end
        return first ~= nil or choice.fail(run, "oneOf", nodes, schema, v)
    end
end

local function not_message(schema, v)
    local words = type(schema) == "table" and message.describe(schema)
    return ("expected anything but %s, got %s"):format(words or "this form", message.got(v, false))
end

local function compile_not(build)
    local node = build:in_place(build.argument)
    return function(run, v)
        return not run:probe(node, v) or run:fail("not", not_message, node.schema, v)
    end
end

local function branch(build, keyword)
    local part = build.schema[keyword]
    return part ~= nil and build:in_place(part) or nil
end

local function compile_if(build)
    local condition = build:in_place(build.argument)
    local yes, no = branch(build, "then"), branch(build, "else")
    return function(run, v, record)
        local node = no
        if run:probe(condition, v, record) then node = yes end
        return node == nil or node.run(run, v, record)
    end
end

return {
    { keyword = "allOf", vocabulary = "applicator", compile = compile_all },
    { keyword = "anyOf", vocabulary = "applicator", compile = compile_any },
    { keyword = "oneOf", vocabulary = "applicator", compile = compile_one },
    { keyword = "not", vocabulary = "applicator", compile = compile_not },
    { keyword = "if", vocabulary = "applicator", compile = compile_if },
}
