local fake_git = require("spec.support.fake_git")

describe("git.markers", function()
    local host, markers, call

    -- Files by name; what is no file has no content.
    local function with(files, attributes)
        host.answers["rev-parse --show-toplevel"] = "/w/top\n"
        host.answers["check-attr"] = attributes or ""
        host.fs.read = function(path, options)
            local text = files[path:match("^/w/top/(.*)$")]
            if not text then return nil, path .. ": Is a directory", "EISDIR" end
            return text:sub(options.offset + 1, options.offset + options.limit)
        end
        local names = {}
        for name in pairs(files) do names[#names + 1] = name end
        table.sort(names)
        names[#names + 1] = "a directory"
        return markers.open_conflicts(call, names)
    end

    before_each(function()
        host = fake_git.install()
        markers, call = require("git.markers"), fake_git.call()
    end)

    it("sees a mark of any side, which stands alone at the start of a line", function()
        assert.same({ "begin", "end", "middle" }, with({
            ["begin"] = "<<<<<<< HEAD\nx\n", ["end"] = "x\n>>>>>>> theirs", ["middle"] = "x\n|||||||\ny\n",
            ["longer"] = "<<<<<<<< HEAD\n", ["shorter"] = "<<<<<< HEAD\n", ["inside"] = "x <<<<<<< HEAD\n",
            ["stuck"] = "<<<<<<<HEAD\n", ["heading"] = "x\n=======\n",
        }))
    end)

    it("takes marks of the length that an attribute asks for", function()
        local attributes = "long\0conflict-marker-size\0009\0usual\0conflict-marker-size\0unspecified\0"
        assert.same({ "long" }, with({ long = "<<<<<<<<< HEAD\n", usual = "<<<<<<<<< HEAD\n" }, attributes))
        assert.same({ "usual" }, with({ long = "<<<<<<< HEAD\n", usual = "<<<<<<< HEAD\n" }, attributes))
    end)

    it("sees a mark wherever the file is cut for reading, also behind a line that never ends", function()
        local mebibyte = 1024 * 1024
        assert.same({ "cut", "far" }, with({
            cut = ("x\n"):rep(mebibyte // 2 - 2) .. "<<<<<<< HEAD\n", far = ("x"):rep(3 * mebibyte) .. "\n<<<<<<< HEAD\n",
            long = ("x"):rep(mebibyte) .. "<<<<<<< HEAD\n", longer = ("x"):rep(2 * mebibyte) .. "<<<<<<< HEAD\n",
        }))
    end)

    it("finds nothing where there is no work tree", function()
        assert.same({}, markers.open_conflicts(call, { "a" }))
    end)
end)
