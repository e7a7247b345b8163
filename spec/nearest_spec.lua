local nearest = require("nearest")

describe("nearest.find", function()
    local arguments = { "command", "cwd", "timeout", "recursive", "path", "dest", "max_results" }

    for slip, meant in pairs {
        pth = "path", paht = "path", Path = "path", timout = "timeout", timeout_ms = "timeout", ["max-results"] = "max_results",
        maxResults = "max_results", cmd = "command", recurse = "recursive", destination = "dest", cdw = "cwd",
    } do
        it(slip .. " is " .. meant, function() assert.equal(meant, nearest.find(slip, arguments)) end)
    end

    it("is nothing when no name is near", function()
        for _, name in ipairs { "zzz", "", "x", "encoding", ("p"):rep(1000) } do assert.is_nil(nearest.find(name, arguments)) end
        assert.is_nil(nearest.find("path", {}))
        assert.is_nil(nearest.find("b", { "a" }))
    end)

    it("takes the first of the alphabet when several are as near", function()
        assert.equal("bat", nearest.find("aat", { "cat", "bat", "rat" }))
    end)
end)

describe("nearest.distance", function()
    it("counts inserts, deletes, replacements and swaps", function()
        assert.equal(0, nearest.distance("path", "path"))
        assert.equal(1, nearest.distance("pth", "path"))
        assert.equal(1, nearest.distance("ptah", "path"))
        assert.equal(3, nearest.distance("kitten", "sitting"))
        assert.equal(4, nearest.distance("", "path"))
        assert.equal(4, nearest.distance("path", ""))
    end)

    it("gives up above a limit", function()
        assert.equal(math.huge, nearest.distance("aaaaaaaa", "bbbbbbbb", 3))
        assert.equal(3, nearest.distance("kitten", "sitting", 3))
    end)
end)

describe("nearest.hint", function()
    it("asks for the near name, lists a few names, and keeps quiet about many", function()
        assert.equal('; did you mean "path"?', nearest.hint("pth", { "path", "dest" }))
        assert.equal('; known: "dest", "path"', nearest.hint("zzz", { "path", "dest" }))
        assert.equal("", nearest.hint("zzz", {}))
        local many = {}
        for i = 1, 100 do many[i] = "name" .. i end
        assert.equal("", nearest.hint("zzz", many))
    end)
end)
