--- Keywords for strings: lengths, pattern, format.
local expect = require("schema.expect")
local formats = require("schema.formats")
local message = require("schema.message")
local value = require("schema.value")

local BYTES_PER_STEP = 1000

local function length_limit(holds)
    return function(build)
        local bound, schema, keyword = expect.count(build.argument, build.at), build.schema, build.keyword
        return function(run, v)
            run:spend(#v // BYTES_PER_STEP)
            return holds(value.length(v), bound) or run:fail(keyword, message.mismatch, schema, v)
        end
    end
end

local at_most = length_limit(function(length, bound) return length <= bound end)
local at_least = length_limit(function(length, bound) return length >= bound end)

local function compile_pattern(build)
    local matches, schema = build:pattern(build.argument, build.at), build.schema
    return function(run, v)
        return matches(v, run.charge) or run:fail("pattern", message.mismatch, schema, v)
    end
end

--- An annotation, unless the caller or the dialect wants it asserted and the format is one that can be.
local function compile_format(build)
    local name, schema = expect.string(build.argument, build.at), build.schema
    local holds = build:asserts_format() and formats[name]
    if not holds then return nil end
    return function(run, v)
        run:spend(#v // BYTES_PER_STEP)
        return holds(v) or run:fail("format", message.mismatch, schema, v)
    end
end

local strings = { "string" }

return {
    { keyword = "minLength", vocabulary = "validation", kinds = strings, compile = at_least },
    { keyword = "maxLength", vocabulary = "validation", kinds = strings, compile = at_most },
    { keyword = "pattern", vocabulary = "validation", kinds = strings, compile = compile_pattern },
    { keyword = "format", vocabulary = { "format-annotation", "format-assertion" }, kinds = strings, compile = compile_format },
}
