local parity = require("spec.support.parity")

local function house(path, reason) return parity.error("Error: <WORKSPACE>/" .. path .. ": " .. reason) end

describe("parity: file_read", function()
    parity.replay("file_read", {
        ["invalid-utf8"] = parity.same_with_note("3 byte sequence"),
        crlf = parity.success("one\r\ntwo\r\n"),
        ["lone-cr"] = parity.success("one\rtwo\r"),
        ["symlink-outside"] = parity.outside("link"),
        ["symlink-loop"] = house("l1", "Too many levels of symbolic links"),
        ["below-a-file"] = house("a.txt/b", "Not a directory"),
        ["nul-in-path"] = parity.error_like("NUL"),
        ["name-too-long"] = house(("n"):rep(300), "File name too long"),
    })
end)
