local parity = require("spec.support.parity")

local TOOLS = "bun npm yarn pip3 python3 curl wget"

-- What this machine has stands where the recording has that of its own.
local function of_this_machine(world, answer, case)
    local expected = case.result.content[1].text
    local tools = world:shell("for p in " .. TOOLS .. "; do command -v $p; done")
    local node = world:shell("node --version 2>/dev/null || echo 'node not installed'")
    expected = expected:gsub("(=== Tools ===\n).-(===)", function(before, after) return before .. tools .. after end)
    expected = expected:gsub("(=== Node ===\n)[^\n]*\n", function(before) return before .. node end)
    parity.success(expected)(world, answer, case)
end

local function partial(_, answer)
    assert.is_false(answer.result.isError)
    assert.matches("=== Disk ===\n$", answer.text)
    assert.matches("timeout after 1s", answer.notes)
    assert.is_false(answer.result.structuredContent.complete)
end

describe("parity: workspace_info", function()
    parity.replay("workspace_info", {
        real = of_this_machine,
        ["null-arguments"] = of_this_machine,
        ["timeout-30"] = { tools = "short_tools", answer = partial },
    }, function(world)
        world:make_tools("short_tools", { ["info_timeout_s = 30"] = "info_timeout_s = 1" })
    end)
end)
