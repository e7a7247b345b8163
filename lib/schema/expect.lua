--- Checks of a schema itself while it is compiled. All raise "schema: <pointer>: what is wrong, what would be right".
---@class schema.expect
local expect = {}

local message = require("schema.message")
local value = require("schema.value")

local MAX_POINTER = 200

--- Raises a problem with the schema.
---@param at string JSON pointer
---@param problem string
function expect.fail(at, problem, ...)
    if at == "" then at = "(root)" end
    if #at > MAX_POINTER then at = at:sub(1, MAX_POINTER) .. "…" end
    error(("schema: %s: %s"):format(at, problem:format(...)), 0)
end

local function wrong(at, what, v)
    expect.fail(at, "expected %s, got %s", what, message.got(v, false))
end

---@param v any
---@param at string
---@return number
function expect.number(v, at)
    if type(v) ~= "number" or v - v ~= 0 then wrong(at, "a number", v) end
    return v
end

---@param v any
---@param at string
---@return integer
function expect.count(v, at)
    if type(v) ~= "number" or v < 0 or not value.is_integer(v) then wrong(at, "a whole number >= 0", v) end
    return v
end

---@param v any
---@param at string
---@return string
function expect.string(v, at)
    if type(v) ~= "string" then wrong(at, "a string", v) end
    return v
end

---@param v any
---@param at string
---@return boolean
function expect.boolean(v, at)
    if type(v) ~= "boolean" then wrong(at, "true or false", v) end
    return v
end

--- A table that stands for a JSON array; an empty unmarked table is one here, for its place says so.
---@param v any
---@param at string
---@param what string? what would be right
---@return any[]
function expect.list(v, at, what)
    if type(v) ~= "table" or (rawlen(v) == 0 and next(v) ~= nil) then wrong(at, what or "a list", v) end
    return v
end

--- A list of different strings.
---@param v any
---@param at string
---@return string[]
function expect.names(v, at)
    local seen = {}
    for i, name in ipairs(expect.list(v, at, "a list of strings")) do
        expect.string(name, at .. "/" .. i - 1)
        if seen[name] then expect.fail(at, "expected different names, got %s twice", message.quote(name)) end
        seen[name] = true
    end
    return v
end

--- A table whose keys are strings.
---@param v any
---@param at string
---@param what string? what would be right
---@return table<string, any>
function expect.map(v, at, what)
    if type(v) ~= "table" or rawlen(v) > 0 then wrong(at, what or "a table with names as keys", v) end
    for key in next, v do
        if type(key) ~= "string" then expect.fail(at, "expected names as keys, got the key %s", message.literal(key)) end
    end
    return v
end

return expect
