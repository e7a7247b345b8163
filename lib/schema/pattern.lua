--- Regular expressions of JSON Schema (`pattern`, `patternProperties`): ECMA-262 in u-mode, without back references.
---
--- They match anywhere unless anchored, on code points. Time is bounded by text length x size of the expression.
---@class schema.pattern
local pattern = {}

local match = require("schema.pattern.match")
local parse = require("schema.pattern.parse")
local program = require("schema.pattern.program")

local MAX_BYTES = 10000

local function unlimited() end

local function size_of(code)
    local size = #code.op
    for _, look in ipairs(code.looks) do size = size + #look.op end
    return size
end

--- A matcher for an expression.
---@param source string
---@return (fun(text: string, spend?: fun(steps: integer)): boolean)? matcher `spend` may raise to end a costly match
---@return string? problem what is wrong with the expression
---@return integer? size of the matcher in steps
function pattern.compile(source)
    if #source > MAX_BYTES then return nil, ("longer than %d bytes"):format(MAX_BYTES) end
    local tree, problem = parse(source)
    if not tree then return nil, problem end
    local code
    code, problem = program(tree)
    if not code then return nil, problem end
    local function matcher(text, spend) return match(code, text, spend or unlimited) end
    return matcher, nil, size_of(code)
end

return pattern
