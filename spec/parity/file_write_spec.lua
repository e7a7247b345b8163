local json = require("json")
local parity = require("spec.support.parity")

local function house(path, reason) return parity.error("Error: <WORKSPACE>" .. path .. ": " .. reason) end

local function invalid_json(_, answer)
    assert.equal(400, answer.status)
    assert.equal(-32700, answer.error.code, json.encode(answer))
end

describe("parity: file_write", function()
    parity.replay("file_write", {
        ["unicode-count"] = parity.success("Written 13 bytes to <WORKSPACE>/ü.txt"),
        ["bom-kept"] = parity.success("Written 5 bytes to <WORKSPACE>/b.txt"),
        ["symlink-outside"] = parity.outside("link/x.txt"),
        directory = house("/d", "Is a directory"),
        root = house("", "Is a directory"),
        ["parent-is-file"] = house("/a.txt", "File exists"),
        ["lone-surrogate"] = invalid_json,
    })
end)
