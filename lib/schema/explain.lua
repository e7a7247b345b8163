--- Errors of a validation as one line for an agent.
local pointer = require("schema.pointer")

local MAX_SHOWN = 3

local function sentence(failure)
    local place = pointer.readable(failure.path)
    return place == "" and failure.message or place .. ": " .. failure.message
end

--- The first errors, joined: `timeout: expected a number >= 0 (seconds), got string "soon"`.
---@param errors schema.Error[]
---@return string
return function(errors)
    local shown = {}
    for i = 1, math.min(#errors, MAX_SHOWN) do shown[i] = sentence(errors[i]) end
    local line = table.concat(shown, "; ")
    return #errors > MAX_SHOWN and ("%s; and %d more"):format(line, #errors - MAX_SHOWN) or line
end
