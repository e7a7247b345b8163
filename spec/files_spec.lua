local fake_host = require("spec.support.fake_host")

describe("files", function()
    local host, files

    before_each(function()
        host = fake_host.install()
        files = require("files")
    end)

    --- A file of these bytes, read as the host reads: from an offset, up to a limit.
    local function file_of(bytes)
        host.reads = {}
        host.fs.read = function(path, options)
            host.reads[#host.reads + 1] = path
            local from = options and options.offset or 0
            local to = options and options.limit and from + options.limit or #bytes
            return bytes:sub(from + 1, to), { size = #bytes }
        end
    end

    local function fails(name, message, code, path)
        host.fs[name] = function() return nil, message, code, path end
    end

    local function content(result) return type(result.content) == "table" and result.content[1] or result.content end

    local function notes(result) return type(result.content) == "table" and result.content[2] or nil end

    describe("read", function()
        it("gives the bytes as they are, and the size", function()
            file_of("one\r\ntwo\r")
            assert.same({ content = "one\r\ntwo\r", structured = { path = "/w/a", size = 9, replaced = 0 } }, files.read("a"))
        end)

        it("says when something is not UTF-8", function()
            file_of("a\xff\xfeb")
            local result = files.read("a")
            assert.equal("a\u{FFFD}\u{FFFD}b", content(result))
            assert.equal(2, result.structured.replaced)
            assert.equal("Not UTF-8: 2 byte sequence(s) are shown as U+FFFD.", notes(result))
        end)

        it("F16 takes names as they are listed", function()
            file_of("x")
            files.read("$'a\\xff'")
            assert.same({ "a\xff" }, host.reads)
        end)

        it("tells how to read what is too large", function()
            fails("read", "/w/a: File too large (20 MiB)", "EFBIG", "/w/a")
            local result, message = files.read("a")
            assert.is_nil(result)
            assert.equal("Error: /w/a: File too large (20 MiB); read it in parts with offset and limit", message)
        end)
    end)

    describe("read of lines", function()
        local function read(bytes, first, count)
            file_of(bytes)
            local result = files.read("a", first, count)
            local s = result.structured
            return content(result), s.first_line, s.last_line, s.more, notes(result)
        end

        it("gives the lines asked for, and where to go on", function()
            local text, first, last, more, note = read("1\n2\n3\n4\n", 2, 2)
            assert.equal("2\n3\n", text)
            assert.same({ 2, 3, true }, { first, last, more })
            assert.equal("More lines follow: go on with offset=4.", note)
        end)

        it("ends with the file", function()
            assert.same({ "3\n4\n", 3, 4, false }, { read("1\n2\n3\n4\n", 3, 2) })
            assert.same({ "3\n4", 3, 4, false }, { read("1\n2\n3\n4", 3, 9) })
            assert.same({ "3\n4", 3, 4, false }, { read("1\n2\n3\n4", 3) })
            assert.same({ "1\n", 1, 1, false }, { read("1\n", nil, 1) })
            assert.same({ "\n", 2, 2, false }, { read("a\n\n", 2, 1) })
        end)

        it("says that a file ends before the first line", function()
            for _, bytes in ipairs({ "", "1\n", "1" }) do
                local text, first, last, more, note = read(bytes, 2, 1)
                assert.equal("", text)
                assert.is_nil(first)
                assert.is_nil(last)
                assert.is_false(more)
                assert.equal("The file ends before line 2.", note)
            end
        end)

        it("F11 reads as a whole read does, wherever blocks end", function()
            local line = ("€"):rep(1000) .. "\n"
            local bytes = line:rep(1200) -- more than three blocks, their borders inside of characters
            file_of(bytes)
            local result = files.read("a", 300, 600)
            assert.equal(line:rep(600), content(result))
            assert.equal(0, result.structured.replaced)
            assert.equal(bytes, content(files.read("a", 1)))
        end)

        it("reads no further than it must", function()
            file_of(("x\n"):rep(3 * 1024 * 1024))
            files.read("a", 1, 5)
            assert.equal(1, #host.reads)
        end)

        it("refuses lines that hold too much", function()
            file_of(("x"):rep(18 * 1024 * 1024))
            local result, message = files.read("a", 1, 1)
            assert.is_nil(result)
            assert.equal("Error: /w/a: lines 1 to 1 hold more than 16777216 bytes; ask for fewer", message)
        end)

        it("passes on why a file cannot be read", function()
            fails("read", "/w/a: No such file or directory", "ENOENT", "/w/a")
            assert.equal("Error: /w/a: No such file or directory", select(2, files.read("a", 1, 1)))
        end)
    end)

    describe("failures", function()
        it("name the absolute path and the reason", function()
            fails("write", "/w/d: Is a directory", "EISDIR", "/w/d")
            assert.equal("Error: /w/d: Is a directory", select(2, files.write("d", "")))
        end)

        it("have the form that scripts know for missing rights", function()
            fails("write", "/w/a: b: Permission denied", "EACCES", "/w/a: b")
            assert.equal("Error: [Errno 13] Permission denied: '/w/a: b'", select(2, files.write("a: b", "")))
            fails("mkdir", "/w/a: Operation not permitted", "EPERM", "/w/a")
            assert.equal("Error: [Errno 1] Operation not permitted: '/w/a'", select(2, files.mkdir("a")))
        end)

        it("say that a path lies outside in words of its own", function()
            fails("move", 'Path "../a" is outside the allowed directory (/w)', "EOUTSIDE")
            assert.equal('Path "../a" is outside the allowed directory (/w)', select(2, files.move("../a", "b")))
        end)

        it("of listing a folder have the form of ls", function()
            fails("list", "/w/d: Permission denied", "EACCES", "/w/d")
            assert.equal("Error: ls: cannot open directory '/w/d': Permission denied\n", select(2, files.list("d")))
            fails("list", "/w/d: No such file or directory", "ENOENT", "/w/d")
            assert.equal("Error: /w/d: No such file or directory", select(2, files.list("d")))
        end)
    end)

    it("write counts bytes", function()
        host.fs.write = function(_, bytes) return { bytes = #bytes, created = true } end
        local result = files.write("ü", "grüße")
        assert.same({ content = "Written 7 bytes to /w/ü", structured = { path = "/w/ü", bytes = 7, created = true } }, result)
    end)

    it("delete of what is not there is a success that says so to programs", function()
        fails("remove", "/w/a: No such file or directory", "ENOENT", "/w/a")
        assert.same({ content = "Deleted /w/a", structured = { path = "/w/a", existed = false } }, files.delete("a"))
        host.fs.remove = function() return true end
        assert.is_true(files.delete("a").structured.existed)
        fails("remove", "/w/a: Is a directory", "EISDIR", "/w/a")
        assert.equal("Error: /w/a: Is a directory", select(2, files.delete("a")))
    end)

    it("move names where the file went", function()
        host.fs.move = function() return "/w/d/a", false end
        assert.same({
            content = "Moved /w/a → /w/d/a", structured = { source = "/w/a", dest = "/w/d/a", replaced = false },
        }, files.move("a", "d"))
    end)

    it("mkdir says the same for a folder that was there", function()
        host.fs.mkdir = function() return true, false end
        assert.same({ content = "Created directory /w/d", structured = { path = "/w/d", created = false } }, files.mkdir("d"))
    end)

    describe("list", function()
        it("counts entries and says what was left out", function()
            host.fs.list = function() return { kind = "directory", blocks = 0, entries = {}, truncated = false } end
            assert.same({ content = "total 0\n", structured = { path = "/w", entries = 0, complete = true } }, files.list(""))
            host.fs.list = function() return { kind = "directory", blocks = 0, entries = {}, truncated = true } end
            assert.equal("Left out: the directory has more than these 0 entries.", notes(files.list("")))
        end)

        it("of everything below says what was left out", function()
            host.fs.walk = function()
                return { paths = { "/w", "/w/a\xff" }, deeper = true, truncated = true, unreadable = { "/w/\xfe" } }
            end
            local result = files.list("", true)
            assert.equal("/w\n/w/$'a\\xff'\n", content(result))
            assert.equal("Left out: what lies deeper than 5 levels.\nLeft out: everything after the first 500 entries.\n"
                .. "Could not be read: /w/$'\\xfe'", notes(result))
            assert.same({ path = "/w", entries = 2, complete = false, unreadable = { "/w/$'\\xfe'" } }, result.structured)
        end)

        it("J02 has an empty list of what could not be read as []", function()
            host.fs.walk = function() return { paths = { "/w" }, deeper = false, truncated = false, unreadable = {} } end
            assert.equal("[]", require("json").encode(files.list("", true).structured.unreadable))
        end)
    end)
end)
