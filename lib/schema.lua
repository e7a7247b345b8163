--- JSON Schema 2020-12: compiled once, when scripts load; applied to every call's arguments and results.
---
---   local check = schema.compile { type = "object", properties = { path = { type = "string" } }, required = { "path" } }
---   local ok, errors = check(arguments)
---   if not ok then return schema.explain(errors) end
---
--- Schemas are decoded JSON or plain Lua tables; where a keyword wants a list, a table is a list without any mark. Values are
--- what `json.decode` gives. `format` is an annotation unless asked for. References are never fetched. What a schema or a
--- value can cost is bounded: a hostile one ends in an error, not in time.
---@class schema
local schema = {}

local Run = require("schema.run")
local coerce = require("schema.coerce")
local compile = require("schema.compile")
local explain = require("schema.explain")
local nearest = require("nearest")
local quick = require("schema.quick")
local typos = require("schema.typos")

---@class schema.Error
---@field path string JSON pointer of the place in the value; of the missing property for `required`
---@field keyword string
---@field message string what was expected and what came
---@field mismatch boolean? the message is about the value itself

---@class (exact) schema.Options
---@field base string? address of the schema, for relative references (default "")
---@field documents table<string, table|boolean>? other schemas that it may refer to, by address
---@field max_depth integer? levels that schemas may be nested (default 100)
---@field max_schemas integer? (default 10000)
---@field max_steps integer? budget of one validation: about one per schema applied or character matched (default 1000000)
---@field max_errors integer? (default 10)
---@field assert_format boolean? check the formats in schema/formats.lua (default false)
---@field noun string? what a property of the whole value is called in messages (default "argument")
---@field strict boolean? refuse unknown keywords that look like slips of known ones (default false)

local MAX_APPLIED_DEPTH = 4096

local defaults = {
    base = "", documents = {}, max_depth = 100, max_schemas = 10000, max_steps = 1000000, max_errors = 10,
    assert_format = false, noun = "argument", strict = false,
}

local function with_defaults(given)
    local options, known = setmetatable({}, { __index = defaults }), {}
    for name in pairs(defaults) do known[#known + 1] = name end
    for name, v in pairs(given or {}) do
        if defaults[name] == nil then
            error(('schema.compile: unknown option "%s"%s'):format(name, nearest.hint(tostring(name), known)), 3)
        end
        if type(v) ~= type(defaults[name]) then
            error(("schema.compile: option %s: expected %s, got %s"):format(name, type(defaults[name]), type(v)), 3)
        end
        options[name] = v
    end
    return options
end

local function attempt(node, value, run)
    local ok, result = pcall(node.run, run, value)
    if ok then return result end
    if getmetatable(result) ~= Run.Exhausted then error(result, 0) end
    if #run.errors == 0 then run:add { path = "", keyword = "limit", message = result.message } end
    return false, true
end

--- Compiles a schema. Raises "schema: <JSON pointer>: what is wrong, what would be right".
---@param source table|boolean
---@param options schema.Options?
---@return fun(value: any): boolean, schema.Error[]? validator true, or false and the first errors
function schema.compile(source, options)
    local settings = with_defaults(options)
    local node = compile(source, {
        base = settings.base, documents = settings.documents, assert_format = settings.assert_format,
        limits = { nesting = settings.max_depth, subschemas = settings.max_schemas },
    })
    if settings.strict then typos.refuse(source) end
    local limits = { steps = settings.max_steps, depth = MAX_APPLIED_DEPTH, errors = settings.max_errors }
    local fits = quick.test(source)
    local spare -- a run for the next call; a call that is interrupted by another has it taken out
    return function(value)
        if fits and fits(value) then return true end
        local quiet = spare or Run.new(limits, settings.noun, true)
        spare = nil
        quiet:reset()
        local ok, exhausted = attempt(node, value, quiet)
        if ok then
            spare = quiet
            return true
        end
        if exhausted then return false, quiet.errors end
        local loud = Run.new(limits, settings.noun, false)
        attempt(node, value, loud)
        return false, loud.errors
    end
end

--- One line that names the first errors: `timeout: expected a number >= 0 (seconds), got string "soon"`.
---@param errors schema.Error[]
---@return string
function schema.explain(errors) return explain(errors) end

--- A copy of arguments with the top-level properties read laxly: "5" where a number is wanted is 5, "true" and 1 where a boolean
--- is wanted are true, 5.0 where an integer is wanted is 5; null for an optional property that takes no null (or whose default is
--- null) is left out, and null instead of all arguments is {}. What does not fit stays as it came, for the validator to refuse.
---@param source table schema with `properties`
---@param value any
---@return any
function schema.coerce(source, value) return coerce(source, value) end

return schema
