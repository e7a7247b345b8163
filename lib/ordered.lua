--- JSON objects whose members stand in a given order, for readers that show them as they come.
local json = require("json")

local ordered = {}

--- The JSON text of an object. Members whose value is nil are left out.
---@param members { [1]: string, [2]: any }[]
---@return string
function ordered.encode(members)
    local parts = {}
    for _, member in ipairs(members) do
        if member[2] ~= nil then parts[#parts + 1] = json.encode(member[1]) .. ":" .. json.encode(member[2]) end
    end
    return "{" .. table.concat(parts, ",") .. "}"
end

return ordered
