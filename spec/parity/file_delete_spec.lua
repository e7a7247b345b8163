local parity = require("spec.support.parity")

describe("parity: file_delete", function()
    parity.replay("file_delete", {
        ["through-symlink-outside"] = parity.outside("link/x"),
        ["below-a-file"] = parity.error("Error: <WORKSPACE>/a.txt/x: Not a directory"),
    })
end)
