--- JSON values as Lua holds them: their kind, their canonical text, their length.
---@class schema.value
local value = {}

local json = require("json")

local null = json.null

--- A marked table or one with a first item is an array, any other table an object.
---@type fun(v: any): "null"|"boolean"|"number"|"string"|"array"|"object"
value.kind = json.kind

--- A number without a fraction, 1.0 and 1e300 included.
---@param v number
---@return boolean
function value.is_integer(v)
    return math.type(v) == "integer" or (v == math.floor(v) and v - v == 0)
end

--- Characters (code points); bytes that lead none count when the text is not UTF-8.
---@param text string
---@return integer
function value.length(text)
    return utf8.len(text) or select(2, text:gsub("[^\x80-\xBF]", ""))
end

local STEPS_PER_SORTED_KEY = 4

--- Keys of an object in the order of the alphabet.
---@param object table
---@param spend fun(steps: number)? told of the work before it is done
---@return any[]
function value.sorted_keys(object, spend)
    local keys, all_strings = {}, true
    for key in next, object do
        keys[#keys + 1] = key
        all_strings = all_strings and type(key) == "string"
    end
    if spend then spend(STEPS_PER_SORTED_KEY * #keys) end
    if all_strings then
        table.sort(keys)
    else
        table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    end
    return keys
end

local MAX_DEPTH = 1000

local writers = {}

local function write(out, v, spend, depth)
    spend(depth > MAX_DEPTH and math.huge or 1)
    writers[value.kind(v)](out, v, spend, depth)
end

function writers.null(out) out[#out + 1] = "n" end

function writers.boolean(out, v) out[#out + 1] = v and "t" or "f" end

function writers.number(out, v)
    local whole = math.tointeger(v)
    out[#out + 1] = whole and ("%d;"):format(whole) or ("%.17g;"):format(v)
end

function writers.string(out, v)
    out[#out + 1] = #v .. ":"
    out[#out + 1] = v
end

function writers.array(out, v, spend, depth)
    out[#out + 1] = "["
    for i = 1, #v do write(out, v[i], spend, depth + 1) end
    out[#out + 1] = "]"
end

function writers.object(out, v, spend, depth)
    out[#out + 1] = "{"
    for _, key in ipairs(value.sorted_keys(v, spend)) do
        writers.string(out, tostring(key))
        write(out, v[key], spend, depth + 1)
    end
    out[#out + 1] = "}"
end

--- A key that two values share exactly when JSON Schema calls them equal (1 and 1.0 are, key order does not matter).
--- Scalars stand for themselves, arrays and objects for a table key of their text.
---@param v any
---@param spend fun(steps: number) must raise when told math.huge: the value is too deep
---@return any scalar the value, nil for arrays and objects
---@return string? text of arrays and objects
function value.identity(v, spend)
    if type(v) ~= "table" then return v == nil and null or v end
    local out = {}
    write(out, v, spend, 1)
    return nil, table.concat(out)
end

return value
