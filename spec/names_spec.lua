local names = require("names")

describe("names", function()
    it("shows names that are text as they are", function()
        for _, name in ipairs({
            "", "a", "a/b", "/w/ü 日本😀", "it's", "-dash", "$X", "two\nlines", "~", "$'plain'", "$'", "a$'b'",
        }) do
            assert.equal(name, names.show(name))
            assert.equal(name, names.read(name))
        end
    end)

    it("F16 shows other names the way bash writes them, folder by folder", function()
        assert.equal("$'a\\xff'", names.show("a\xff"))
        assert.equal("src/$'\\xff'/x.txt", names.show("src/\xff/x.txt"))
        assert.equal("$'it\\x27s \\x5c\\xff\\x0a'", names.show("it's \\\xff\n"))
    end)

    it("F16 reads back exactly what it showed, whatever the bytes", function()
        local all = {}
        for byte = 1, 255 do all[#all + 1] = byte ~= 47 and string.char(byte) or nil end
        local every = table.concat(all)
        for _, name in ipairs({
            every, "\xff", "a\xff", "a\xfe", "\xc3", "x/\xff/" .. every .. "/y", "$'a\\xff'", "$'\\x41'", "$'\\x41'\xff",
            "'\xff'", "]\xff^\\",
        }) do
            assert.equal(name, names.read(names.show(name)))
            assert.is_truthy(utf8.len(names.show(name)))
        end
    end)

    it("F16 never shows two names alike", function()
        local seen = {}
        for _, name in ipairs({ "a\xff", "a\xfe", "a\u{FFFD}", "$'a\\xff'", "$'a\\xfe'", "$'$\\x27a\\x5cxff\\x27'" }) do
            local shown = names.show(name)
            assert.is_nil(seen[shown], shown)
            seen[shown] = true
        end
    end)

    it("F16 shows a name as bash reads it", function()
        local pipe = io.popen("bash -c " .. "\"printf %s \"" .. "\"" .. names.show("a\xff'\\b"):gsub("[\\$\"]", "\\%0") .. "\"")
        assert.equal("a\xff'\\b", pipe:read("a"))
        pipe:close()
    end)
end)
