-- Two tools that never end, to measure what others notice of them.
-- luacheck: globals tool
local process = require("process")

tool {
  name = "wait",
  description = "Waits for a command",
  input = { type = "object" },
  handler = function() return process.run({ command = "sleep 600" }).stdout end,
}

tool {
  name = "compute",
  description = "Computes until it is stopped",
  input = { type = "object" },
  handler = function()
    local turns = 0
    while turns >= 0 do turns = (turns + 1) % 1000000 end
  end,
}
