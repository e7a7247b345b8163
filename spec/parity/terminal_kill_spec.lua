local parity = require("spec.support.parity")

local function same_text_after_normalising(world, answer, case) world:expect_same(answer, case) end

describe("parity: terminal_kill", function()
    parity.replay("terminal_kill", {
        ["children-of-a-shell"] = { answer = same_text_after_normalising, after = { "gone\n" } },
        ["not-started-here"] = parity.error("Process 1 was not started by this server; no signal was sent"),
        ["zero-and-negative"] = parity.error_like("^pid: ", "1", "0"),
        ["too-large"] = parity.error("No such process 99999999999"),
    })
end)
