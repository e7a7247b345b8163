--- The words of error messages: what a schema expects, what a value is.
---@class schema.message
local message = {}

local json = require("json")
local value = require("schema.value")

local MAX_TEXT = 60
local MAX_CHOICES = 12

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function cut(text, length)
    if #text <= length then return text end
    local last = length
    while last > 0 and text:byte(last + 1) & 0xC0 == 0x80 do last = last - 1 end
    return text:sub(1, last) .. "…"
end

--- A string between quotes, on one line, cut when long.
---@param text string
---@return string
function message.quote(text)
    local clean = cut(text, MAX_TEXT):gsub('["\\%c\x7F]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end)
    return '"' .. clean .. '"'
end

--- A scalar as JSON writes it; arrays and objects by size or name.
---@param v any
---@return string
function message.literal(v)
    local kind = value.kind(v)
    if kind == "string" then return message.quote(v) end
    if kind == "null" then return "null" end
    if kind == "array" and #v == 0 then return "an empty array" end
    if kind == "array" then return ("an array of %d item%s"):format(#v, #v == 1 and "" or "s") end
    if kind == "object" then return next(v) == nil and "an empty object" or "an object" end
    return math.type(v) == "float" and math.tointeger(v) and ("%.15g"):format(v) or tostring(v)
end

--- What came: with its kind where that is not clear already.
---@param v any
---@param kind_is_clear boolean
---@return string
function message.got(v, kind_is_clear)
    local kind, text = value.kind(v), message.literal(v)
    local plain = kind_is_clear or kind == "null" or kind == "array" or kind == "object"
    local size = kind == "string" and #v > MAX_TEXT and (" (%d characters)"):format(value.length(v)) or ""
    return (plain and text or kind .. " " .. text) .. size
end

local function joined(words, last)
    if #words < 2 then return words[1] or "nothing" end
    return table.concat(words, ", ", 1, #words - 1) .. last .. words[#words]
end

local function one_of(choices)
    local words = {}
    for i = 1, math.min(#choices, MAX_CHOICES) do words[i] = message.literal(choices[i]) end
    if #choices > #words then return "one of " .. table.concat(words, ", ") .. ", …" end
    return #words == 1 and words[1] or "one of " .. joined(words, " or ")
end

--- A range in words: "of 1 to 3 characters", "of at least 1 item"; nil when there is none.
local function count(min, max, noun)
    local function several(n) return ("%s %s%s"):format(message.literal(n), noun, n == 1 and "" or "s") end
    if min and min == max then return "of " .. several(min) end
    if min and max then return ("of %s to %s"):format(message.literal(min), several(max)) end
    if min then return "of at least " .. several(min) end
    return max and "of at most " .. several(max)
end

local units = { "milliseconds", "seconds", "minutes", "hours", "days", "bytes", "lines", "characters" }

--- The unit that a description names ("Timeout in seconds …").
local function unit_of(schema)
    local description = type(schema.description) == "string" and schema.description or ""
    for _, unit in ipairs(units) do
        if description:find("%f[%a]in " .. unit .. "%f[%A]") then return unit end
    end
end

local function bounds(schema)
    local low, above = schema.minimum, schema.exclusiveMinimum
    local high, below = schema.maximum, schema.exclusiveMaximum
    if low and high then return ("from %s to %s"):format(message.literal(low), message.literal(high)) end
    local words = {}
    if low then words[#words + 1] = ">= " .. message.literal(low) end
    if above then words[#words + 1] = "> " .. message.literal(above) end
    if high then words[#words + 1] = "<= " .. message.literal(high) end
    if below then words[#words + 1] = "< " .. message.literal(below) end
    return words[1] and joined(words, " and ")
end

local function phrase(...)
    local words = {}
    for i = 1, select("#", ...) do
        local word = select(i, ...)
        if word then words[#words + 1] = word end
    end
    return table.concat(words, " ")
end

local kinds = {}

function kinds.number(schema, unit, name)
    local step = schema.multipleOf and "that is a multiple of " .. message.literal(schema.multipleOf)
    return phrase(name or "a number", bounds(schema), unit and "(" .. unit .. ")", step)
end

function kinds.integer(schema, unit) return kinds.number(schema, unit, "an integer") end

function kinds.string(schema)
    local format = schema.format and ("in the format %s"):format(schema.format)
    local matching = schema.pattern and "matching " .. cut(schema.pattern, MAX_TEXT)
    return phrase("a string", count(schema.minLength, schema.maxLength, "character"), format, matching)
end

function kinds.array(schema) return phrase("an array", count(schema.minItems, schema.maxItems, "item")) end

function kinds.object(schema)
    local size = count(schema.minProperties, schema.maxProperties, "propertie")
    return phrase("an object", size and size:gsub("1 propertie$", "1 property"))
end

function kinds.boolean() return "true or false" end

function kinds.null() return "null" end

local function add(words, word)
    for _, known in ipairs(words) do
        if known == word then return end
    end
    words[#words + 1] = word
end

--- Words for what one of several may be; null goes unsaid where it only means "not given".
local function any_of(schema, words)
    if #words > 1 and schema.default == json.null then
        for i = #words, 1, -1 do
            if words[i] == "null" then table.remove(words, i) end
        end
    end
    return words[1] and joined(words, " or ")
end

local function types_of(schema)
    return type(schema.type) == "string" and { schema.type } or schema.type
end

local function typed(schema, kind, unit)
    local words = {}
    for _, name in ipairs(types_of(schema) or { kind }) do add(words, kinds[name](schema, unit)) end
    return any_of(schema, words)
end

local function alternatives(schema, unit)
    local words = {}
    for _, branch in ipairs(schema.anyOf or schema.oneOf or {}) do
        if #words >= MAX_CHOICES then break end
        local word = type(branch) == "table" and message.describe(branch, nil, unit_of(branch) or unit)
        if word then add(words, word) end
    end
    return any_of(schema, words)
end

--- What a schema expects, in a few words: "a number >= 0 (seconds)".
---@param schema table
---@param kind string? kind of the value at hand, for schemas that name no type
---@param unit string? of numbers
---@return string? words nil when there is nothing short to say
function message.describe(schema, kind, unit)
    unit = unit or unit_of(schema)
    if schema.enum then return one_of(schema.enum) end
    if schema.const ~= nil then return message.literal(schema.const) end
    if not schema.type and (schema.anyOf or schema.oneOf) then return alternatives(schema, unit) end
    return typed(schema, kind, unit)
end

--- Tells whether a schema takes values of this kind at all, as far as it says so itself or in plain alternatives.
local function fits_type(schema, kind)
    for _, name in ipairs(types_of(schema) or {}) do
        if name == kind or (name == "integer" and kind == "number") then return true end
    end
    for _, branch in ipairs(not schema.type and (schema.anyOf or schema.oneOf) or {}) do
        if type(branch) == "table" and branch.type and fits_type(branch, kind) then return true end
    end
    return not schema.type and not schema.anyOf and not schema.oneOf
end

--- "expected …, got …" for a value that a schema refuses.
---@param schema table
---@param v any
---@return string
function message.mismatch(schema, v)
    local kind = value.kind(v)
    local clear = fits_type(schema, kind)
    local words = message.describe(schema, kind) or "something else"
    return ("expected %s, got %s"):format(words, message.got(v, clear))
end

return message
