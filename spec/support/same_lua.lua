--- Runs a chunk both in stock Lua and in the program, and compares what it returns.
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

-- In a protected call: load would give an error of its reader to the message handler of the lua program.
local RUNNER = [[
local ok, text = pcall(assert(loadfile(arg[1])), table.unpack(arg, 2))
assert(ok, text)
io.write(text)
]]

local function in_stock_lua(chunk, args)
    local command = { "lua5.4", tmp.file("runner.lua", RUNNER), tmp.file("chunk.lua", chunk) }
    local result = program.run({ command = table.move(args, 1, #args, #command + 1, command) })
    assert(result.code == 0, result.stderr)
    assert(#result.stdout > 0, "the chunk returns nothing to compare")
    return result.stdout
end

--- The chunk returns a text, one line a case; `...` are `args`. The first lines that differ are shown.
---@param chunk string
---@param args? string[]
---@param options? table as for program.lua
return function(chunk, args, options)
    local all = { args = args or {} }
    for name, value in pairs(options or {}) do all[name] = value end
    local expected = in_stock_lua(chunk, all.args):gsub("/%S*/chunk%.lua:", "chunk.lua:")
    local got = program.lua(chunk, all):gsub("/%S*/chunk%.lua:", "chunk.lua:")
    if expected == got then return end
    local next_line = got:gmatch("[^\n]*")
    for line in expected:gmatch("[^\n]*") do
        local other = next_line()
        assert(line == other, ("expected  %s\ngot       %s"):format(line, tostring(other)))
    end
    error("more lines than expected")
end
