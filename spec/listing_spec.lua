local listing = require("listing")

local function entry(changes)
    local made = {
        name = "a", type = "file", mode = tonumber("644", 8), nlink = 1, user = "u", group = "g", size = 5,
        mtime = os.time({ year = 2001, month = 2, day = 3, hour = 4 }),
    }
    for name, value in pairs(changes or {}) do made[name] = value end
    return made
end

local function one(changes) return listing.format({ kind = "file", blocks = 0, entries = { entry(changes) } }, "/w/a") end

describe("listing.format", function()
    it("lines up the columns as ls does", function()
        local text = listing.format({
            kind = "directory", blocks = 12,
            entries = {
                entry({ name = ".", type = "directory", mode = tonumber("755", 8), nlink = 2, user = "root", size = 4096 }),
                entry({ name = "b", nlink = 10, group = "staff" }),
            },
        }, "/w")
        assert.equal("total 12\n"
            .. "drwxr-xr-x  2 root g     4096 Feb  3  2001 .\n"
            .. "-rw-r--r-- 10 u    staff    5 Feb  3  2001 b\n", text)
    end)

    it("names what is no folder by its path", function()
        assert.equal("-rw-r--r-- 1 u g 5 Feb  3  2001 /w/a\n", one())
        assert.equal("lrw-r--r-- 1 u g 5 Feb  3  2001 /w/a -> d/e\n", one({ type = "link", target = "d/e" }))
    end)

    it("writes every kind and special bit", function()
        for type, letter in pairs({
            directory = "d", link = "l", fifo = "p", socket = "s", char = "c", block = "b", unknown = "?",
        }) do
            assert.equal(letter, one({ type = type }):sub(1, 1))
        end
        for mode, letters in pairs({
            ["0000"] = "---------", ["0777"] = "rwxrwxrwx", ["4755"] = "rwsr-xr-x", ["4644"] = "rwSr--r--",
            ["2755"] = "rwxr-sr-x", ["2644"] = "rw-r-Sr--", ["1777"] = "rwxrwxrwt", ["1666"] = "rw-rw-rwT",
            ["0124"] = "--x-w-r--",
        }) do
            assert.equal(letters, one({ mode = tonumber(mode, 8) }):sub(2, 10))
        end
    end)

    it("writes the numbers of a device where files have their size", function()
        assert.matches("g 1, 3 ", one({ type = "char", major = 1, minor = 3 }))
    end)

    it("writes the time of day for the last half year, and the year for what is older or to come", function()
        local now = os.time()
        assert.matches(os.date("%b %e %H:%M", now - 60) .. " /w/a", one({ mtime = now - 60 }))
        assert.matches(os.date("%b %e  %Y", now - 20000000) .. " /w/a", one({ mtime = now - 20000000 }))
        assert.matches(os.date("%b %e  %Y", now + 90000) .. " /w/a", one({ mtime = now + 90000 }))
    end)

    it("F16 writes names that are not UTF-8 so that they can be given back", function()
        local entries = { entry({ name = "a\xff" }), entry({ name = "l", target = "\xfe" }) }
        local text = listing.format({ kind = "directory", blocks = 0, entries = entries }, "/w")
        assert.matches("$'a\\xff'\n", text, 1, true)
        assert.matches("l -> $'\\xfe'\n", text, 1, true)
    end)

    it("J02 lists a folder without entries", function()
        assert.equal("total 0\n", listing.format({ kind = "directory", blocks = 0, entries = {} }, "/w"))
    end)
end)
