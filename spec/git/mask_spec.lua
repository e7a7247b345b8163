local mask = require("git.mask")

describe("git.mask", function()
    for given, shown in pairs({
        ["https://me:secret@host/x"] = "https://***@host/x",
        ["HTTP://token@host/x"] = "HTTP://***@host/x",
        ["ssh://git@host/x"] = "ssh://git@host/x",
        ["ssh://git:secret@host/x"] = "ssh://git:***@host/x",
        ["https://me:p@ss@host/x"] = "https://***@host/x",
        ["a https://t@h/ and 'ftp://u:p@h/'"] = "a https://***@h/ and 'ftp://u:***@h/'",
        ["git@host:x.git"] = "git@host:x.git",
        ["https://host/a@b"] = "https://host/a@b",
        ["no address, me@home"] = "no address, me@home",
    }) do
        it("shows " .. given .. " as " .. shown, function() assert.equal(shown, mask.text(given)) end)
    end
end)
