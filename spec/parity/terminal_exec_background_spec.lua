local parity = require("spec.support.parity")

local function cwd_error(path, reason) return parity.error("Error: <WORKSPACE>/" .. path .. ": " .. reason) end

describe("parity: terminal_exec_background", function()
    parity.replay("terminal_exec_background", {
        ["cwd-missing"] = {
            answer = cwd_error("new/dir", "No such file or directory"),
            after = { "cat: new/dir/p.txt: No such file or directory\n" },
        },
        ["cwd-is-file"] = cwd_error("f", "Not a directory"),
        ["streams-are-devnull"] = { after = { "^/dev/null\npipe:%[%d+%]\npipe:%[%d+%]\n$" } },
    })
end)
