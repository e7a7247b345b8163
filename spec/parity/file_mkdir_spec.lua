local parity = require("spec.support.parity")

local function house(path, reason) return parity.error("Error: <WORKSPACE>/" .. path .. ": " .. reason) end

describe("parity: file_mkdir", function()
    parity.replay("file_mkdir", {
        ["through-symlink-outside"] = parity.outside("link/new"),
        ["exists-as-file"] = house("f", "File exists"),
        ["parent-is-file"] = house("f/d", "Not a directory"),
        ["dangling-symlink"] = house("link", "File exists"),
        ["name-too-long"] = house(("n"):rep(300), "File name too long"),
    })
end)
