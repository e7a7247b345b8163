--- Checks of the tables that operators write: unknown names, wrong types, what is missing. Each check returns what is
--- wrong in one line, or nil.
local nearest = require("nearest")

local fields = {}

local function unknown(what, name, known)
    local names = {}
    for candidate in pairs(known) do names[#names + 1] = candidate end
    name = tostring(name)
    return ('%s "%s" is unknown%s'):format(what, name, nearest.hint(name, names))
end

--- Each field must be known and have its type; a type may be several, as in "string|function".
---@param object table
---@param known table<string, string> Lua types by name
---@param what string how messages call a field
---@return string?
function fields.check(object, known, what)
    for name, value in pairs(object) do
        local expected = known[name]
        if not expected then return unknown(what, name, known) end
        if not ("|" .. expected .. "|"):find("|" .. type(value) .. "|", 1, true) then
            return ("%s %s must be a %s, got %s"):format(what, name, expected:gsub("|", " or a "), type(value))
        end
    end
end

--- Each of the names must be given.
---@param object table
---@param names string[]
---@param known table<string, string>
---@return string?
function fields.required(object, names, known)
    for _, name in ipairs(names) do
        if object[name] == nil then return ("field %s is missing; it is a %s"):format(name, known[name]) end
    end
end

--- What is wrong with an operator's table, with its kind and name in front.
---@param kind string such as "tool"
---@param given any
---@param key string the field that names it
---@param complaint string
---@return string
function fields.label(kind, given, key, complaint)
    local name = type(given) == "table" and given[key]
    if type(name) ~= "string" then return kind .. ": " .. complaint end
    return ('%s "%s": %s'):format(kind, name, complaint)
end

return fields
