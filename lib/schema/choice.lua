--- What to say when a value fits none of several schemas (anyOf, oneOf): if it is of the wrong kind for all, what kinds
--- would do; else the errors of the schema that it comes nearest to.
---@class schema.choice
local choice = {}

local message = require("schema.message")
local pointer = require("schema.pointer")
local value = require("schema.value")

local about_kind = { type = 1000, enum = 100, const = 100 }

--- How far a value is from a schema, by its errors: the wrong type counts most, wrong constants (often tags) next.
local function distance(errors, here)
    local sum = 0
    for _, failure in ipairs(errors) do
        local weight = about_kind[failure.keyword] or 1
        sum = sum + (failure.path == here and weight or math.min(weight, 100))
    end
    return sum
end

local function nearest_errors(run, nodes, v, here)
    local best, least
    for _, node in ipairs(nodes) do
        local errors = run:errors_of(node, v)
        local far = distance(errors, here)
        if not least or far < least then best, least = errors, far end
    end
    return best or {}
end

local function is_about_value_itself(errors, here)
    for _, failure in ipairs(errors) do
        if failure.path == here and failure.mismatch then return true end
    end
    return false
end

--- Fails a keyword that offers several schemas.
---@param run schema.Run
---@param keyword string
---@param nodes schema.Node[]
---@param schema table that holds the keyword
---@param v any
---@return false
function choice.fail(run, keyword, nodes, schema, v)
    if run.quiet then return false end
    local here = pointer.of(run.path)
    local errors = nearest_errors(run, nodes, v, here)
    local has_words = message.describe(schema, value.kind(v)) ~= nil
    if #errors == 0 or (has_words and is_about_value_itself(errors, here)) then
        return run:fail(keyword, message.mismatch, schema, v)
    end
    for _, failure in ipairs(errors) do
        if not run.quiet then run:add(failure) end
    end
    return false
end

return choice
