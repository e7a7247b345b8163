local parity = require("spec.support.parity")

local SHORT = "short_tools" -- the same tools with lower limits, as an operator may set them

-- The recorded text with the seconds that stand in the short tools file.
local function short_timeout(seconds, note)
    return {
        tools = SHORT,
        answer = function(world, answer, case)
            parity.error(("stderr:\ntimeout after %ds\n\nexit_code: 124"):format(seconds))(world, answer, case)
            assert.matches(note, answer.notes)
            assert.is_true(answer.result.structuredContent.timed_out)
        end,
    }
end

local function structured(expected)
    return function(world, answer, case)
        world:expect_same(answer, case)
        for name, value in pairs(expected) do assert.equal(value, answer.result.structuredContent[name], name) end
    end
end

local function without_secrets(_, answer)
    assert.is_false(answer.result.isError)
    assert.matches("\nHOME=", answer.text)
    for _, name in ipairs({ "SANDSTORM_MCP_TOKEN", "MCP_AUTH_TOKEN", "SESSION_AUTH_TOKEN", "spec%-token" }) do
        assert.is_nil(answer.text:find(name), name)
    end
end

local MIB_10 = 10485760

-- At most 10 MiB, whole characters, and it is said how much was cut.
local function cut(total)
    return function(_, answer)
        local stdout = answer.text:match("^stdout:\n(.*)\n\nexit_code: 0$")
        assert.is_true(#stdout <= MIB_10 and #stdout > MIB_10 - 4)
        assert.is_truthy(utf8.len(stdout))
        assert.is_nil(stdout:find("\u{FFFD}", 1, true))
        assert.equal(("stdout was cut: the first %d of %d bytes are shown."):format(#stdout, total), answer.notes)
        assert.is_true(answer.result.structuredContent.truncated)
    end
end

local function cwd_error(path, reason) return parity.error("Error: <WORKSPACE>/" .. path .. ": " .. reason) end

describe("parity: terminal_exec", function()
    parity.replay("terminal_exec", {
        both = structured({ stdout = "out\n", stderr = "err\n", exit_code = 0, timed_out = false, truncated = false }),
        ["exit-3"] = structured({ stdout = "out\n", stderr = "err\n", exit_code = 3 }),
        signal = structured({ stdout = "before\n", exit_code = -9, signal = "SIGKILL" }),
        ["secrets-scrubbed"] = without_secrets,
        ["cwd-missing"] = { answer = cwd_error("new/dir", "No such file or directory"), after = { ".\n" } },
        ["cwd-is-file"] = cwd_error("f", "Not a directory"),
        ["cwd-below-file"] = cwd_error("f/d", "Not a directory"),
        ["cwd-permission"] = cwd_error("d", "Permission denied"),
        ["cwd-symlink-outside"] = parity.outside("link"),
        ["timeout-1"] = parity.error("stdout:\nbefore\n\n\nstderr:\ntimeout after 1.0s\n\nexit_code: 124"),
        ["timeout-string-number"] = parity.error("stderr:\ntimeout after 1.0s\n\nexit_code: 124"),
        ["timeout-negative"] = parity.error_like("^timeout: ", "0", "%-1"),
        ["timeout-default-30"] = short_timeout(1, "killed by SIGTERM"),
        ["timeout-capped-300"] = short_timeout(2, "The timeout of 999 s was lowered to the maximum of 2 s."),
        ["background-child-holds-pipe"] = parity.success("stdout:\nstarted\n\n\nexit_code: 0"),
        ["background-child-then-timeout"] = {
            answer = parity.success("stdout:\nstarted\n\n\nexit_code: 0"), after = { "alive\n" },
        },
        ["background-child-detached"] = {
            answer = parity.success("stdout:\nstarted\n\n\nexit_code: 0"), after = { "alive\n" },
        },
        ["descriptors-of-a-command"] = parity.success("stdout:\n4\n\n\nexit_code: 0"),
        ["output-over-10-MiB"] = cut(11534336),
        ["output-cut-in-character"] = cut(10485781),
        ["command-nul"] = parity.error_like("^command: .*NUL"),
    }, function(world)
        world:make_tools(SHORT, { ["default_s = 30, max_s = 300"] = "default_s = 1, max_s = 2" })
    end)
end)
