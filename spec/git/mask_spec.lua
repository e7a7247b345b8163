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
        ["https://me:it's@host/x"] = "https://***@host/x",
        ["git+https://token@host/x"] = "git+https://***@host/x",
        ['["https://host","me@home"]'] = '["https://host","me@home"]',
        ["'https://host': me@home"] = "'https://host': me@home",
        ["https://h/https://t@h/ ://t@h 1://t@h"] = "https://h/https://***@h/ ://t@h 1://t@h",
        ["no address, me@home"] = "no address, me@home",
    }) do
        it("shows " .. given .. " as " .. shown, function() assert.equal(shown, mask.text(given)) end)
    end

    for given, shown in pairs({
        ["https://me:a/b@host/x"] = "https://***@host/x",
        ["https://me:1a/b@host/x"] = "https://***@host/x",
        ["https://host:80/a@b"] = "https://host:80/a@b",
        ["https://[::1]:80/a@b"] = "https://[::1]:80/a@b",
        ["https://[::1]:80/x"] = "https://[::1]:80/x",
        ["https://t@host/a@b"] = "https://***@host/a@b",
        ["ssh://git@host:x/y"] = "ssh://git@host:x/y",
        ["origin"] = "origin",
    }) do
        it("shows the URL " .. given .. " as " .. shown, function() assert.equal(shown, mask.url(given)) end)
    end
end)
