--- Keywords for arrays: prefixItems, items, contains, sizes, uniqueItems.
local expect = require("schema.expect")
local message = require("schema.message")
local value = require("schema.value")

local function size_limit(holds)
    return function(build)
        local bound, schema, keyword = expect.count(build.argument, build.at), build.schema, build.keyword
        return function(run, v)
            return holds(#v, bound) or run:fail(keyword, message.mismatch, schema, v)
        end
    end
end

local at_most = size_limit(function(size, bound) return size <= bound end)
local at_least = size_limit(function(size, bound) return size >= bound end)

local function compile_prefix(build)
    local nodes = build:children(build.argument)
    return function(run, v, record)
        local ok, last = true, math.min(#nodes, #v)
        for i = 1, last do
            if not run:child(nodes[i], i - 1, v[i]) then
                ok = false
                if run.quiet then return false end
            end
        end
        if record then record.first = math.max(record.first, last) end
        return ok
    end
end

local function compile_items(build)
    local node = build:child(build.argument)
    local prefix = build.schema.prefixItems
    local first = type(prefix) == "table" and #prefix + 1 or 1
    return function(run, v, record)
        local ok = true
        for i = first, #v do
            if not run:child(node, i - 1, v[i]) then
                ok = false
                if run.quiet then return false end
            end
        end
        if record and #v >= first then record.all_items = true end
        return ok
    end
end

local function contains_message(min, max, found)
    if found < min then return ("expected an item of the wanted kind at least %d times, got %d"):format(min, found) end
    return ("expected an item of the wanted kind at most %d times, got more"):format(max)
end

--- How many items fit; without a record it stops as soon as the answer is clear.
local function count_fitting(run, node, v, record, enough)
    local found = 0
    for i = 1, #v do
        if run:probe(node, v[i]) then
            found = found + 1
            if record then record.items[i] = true end
            if not record and found >= enough then break end
        end
    end
    return found
end

local function contains_limits(build)
    local schema, parent = build.schema, build:parent()
    if not build:enabled("validation") then return 1, math.huge end
    local min = schema.minContains and expect.count(schema.minContains, parent .. "/minContains") or 1
    local max = schema.maxContains and expect.count(schema.maxContains, parent .. "/maxContains") or math.huge
    return min, max
end

local function compile_contains(build)
    local node = build:child(build.argument)
    local min, max = contains_limits(build)
    local enough = max == math.huge and min or max + 1
    return function(run, v, record)
        local found = count_fitting(run, node, v, record, enough)
        return found >= min and found <= max or run:fail("contains", contains_message, min, max, found)
    end
end

local function same_message(first, second)
    return ("expected different items, got the same at %d and %d"):format(first - 1, second - 1)
end

local function compile_unique(build)
    if not expect.boolean(build.argument, build.at) then return nil end
    return function(run, v)
        local scalars, texts = {}, {}
        run:spend(#v)
        for i = 1, #v do
            local scalar, text = value.identity(v[i], run.charge)
            local seen, key = scalars, scalar
            if text then seen, key = texts, text end
            if seen[key] then return run:fail("uniqueItems", same_message, seen[key], i) end
            seen[key] = i
        end
        return true
    end
end

local arrays = { "array" }

return {
    { keyword = "minItems", vocabulary = "validation", kinds = arrays, compile = at_least },
    { keyword = "maxItems", vocabulary = "validation", kinds = arrays, compile = at_most },
    { keyword = "prefixItems", vocabulary = "applicator", kinds = arrays, compile = compile_prefix },
    { keyword = "items", vocabulary = "applicator", kinds = arrays, compile = compile_items },
    { keyword = "contains", vocabulary = "applicator", kinds = arrays, compile = compile_contains },
    { keyword = "uniqueItems", vocabulary = "validation", kinds = arrays, compile = compile_unique },
}
