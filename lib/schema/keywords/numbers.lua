--- Keywords for numbers.
local expect = require("schema.expect")
local is_multiple = require("schema.decimal")
local message = require("schema.message")

--- Compiles a keyword whose argument is a limit.
local function limit(holds)
    return function(build)
        local bound, schema, keyword = expect.number(build.argument, build.at), build.schema, build.keyword
        return function(run, v)
            return holds(v, bound) or run:fail(keyword, message.mismatch, schema, v)
        end
    end
end

local at_most = limit(function(v, bound) return v <= bound end)
local at_least = limit(function(v, bound) return v >= bound end)
local below = limit(function(v, bound) return v < bound end)
local above = limit(function(v, bound) return v > bound end)

local function compile_multiple(build)
    local divisor, schema = expect.number(build.argument, build.at), build.schema
    if divisor <= 0 then expect.fail(build.at, "expected a number > 0, got %s", message.literal(divisor)) end
    return function(run, v)
        local finite = v - v == 0
        return finite and is_multiple(v, divisor) or run:fail("multipleOf", message.mismatch, schema, v)
    end
end

local numbers = { "number" }

return {
    { keyword = "minimum", vocabulary = "validation", kinds = numbers, compile = at_least },
    { keyword = "exclusiveMinimum", vocabulary = "validation", kinds = numbers, compile = above },
    { keyword = "maximum", vocabulary = "validation", kinds = numbers, compile = at_most },
    { keyword = "exclusiveMaximum", vocabulary = "validation", kinds = numbers, compile = below },
    { keyword = "multipleOf", vocabulary = "validation", kinds = numbers, compile = compile_multiple },
}
