local parity = require("spec.support.parity")

local function house(path, reason) return parity.error("Error: <WORKSPACE>" .. path .. ": " .. reason) end

local function moved(from, to) return parity.success(("Moved <WORKSPACE>/%s → <WORKSPACE>/%s"):format(from, to)) end

describe("parity: file_move", function()
    parity.replay("file_move", {
        ["file-into-directory"] = moved("a.txt", "d/a.txt"),
        ["file-into-directory-slash"] = moved("a.txt", "d/a.txt"),
        ["directory-into-directory"] = moved("d", "e/d"),
        ["dest-empty-is-root"] = moved("d/a.txt", "a.txt"),
        ["name-taken-in-directory"] = house("/d/a.txt", "File exists"),
        ["directory-onto-file"] = house("/a.txt", "File exists"),
        ["directory-into-itself"] = parity.error_like("^Error: <WORKSPACE>/d: Invalid argument"),
        root = parity.error_like("^Error: <WORKSPACE>: Invalid argument"),
        ["symlink-dangling"] = {
            answer = moved("link", "link2"),
            after = { "link2\n" },
        },
        ["other-names"] = parity.error_like("source: required", "dest: required", 'unknown argument "from"'),
        ["symlink-outside"] = parity.outside("link/a.txt"),
        ["below-a-file"] = house("/f", "File exists"),
    })
end)
