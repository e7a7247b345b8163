--- Runs a chunk both in the Lua that runs the specs and in the program, and compares what it returns.
local program = require("spec.support.program")

--- The chunk returns a text, one line a case; `...` are `args`. The first lines that differ are shown.
---@param chunk string
---@param args? string[]
---@param options? table as for program.lua
return function(chunk, args, options)
    local all = { args = args or {} }
    for name, value in pairs(options or {}) do all[name] = value end
    local expected = assert(load(chunk, "@chunk.lua"))(table.unpack(all.args))
    local got = program.lua(chunk, all):gsub("/%S*/chunk%.lua:", "chunk.lua:")
    assert(#expected > 0, "the chunk returns nothing to compare")
    if expected == got then return end
    local next_line = got:gmatch("[^\n]*")
    for line in expected:gmatch("[^\n]*") do
        local other = next_line()
        assert(line == other, ("expected  %s\ngot       %s"):format(line, tostring(other)))
    end
    error("more lines than expected")
end
