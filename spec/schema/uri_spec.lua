local uri = require("schema.uri")

describe("uri.resolve", function()
    local base = "http://a/b/c/d;p?q"

    for reference, address in pairs {
        g = "http://a/b/c/g", ["./g"] = "http://a/b/c/g", ["g/"] = "http://a/b/c/g/", ["/g"] = "http://a/g", ["//g"] = "http://g",
        ["?y"] = "http://a/b/c/d;p?y", ["g?y"] = "http://a/b/c/g?y", [""] = base, ["."] = "http://a/b/c/", [".."] = "http://a/b/",
        ["../g"] = "http://a/b/g", ["../../g"] = "http://a/g", ["../../../g"] = "http://a/g", ["/./g"] = "http://a/g",
        ["g."] = "http://a/b/c/g.", ["..g"] = "http://a/b/c/..g", ["g/./h"] = "http://a/b/c/g/h",
        ["g;x=1/../y"] = "http://a/b/c/y",
        ["urn:x:y"] = "urn:x:y",
    } do
        it('"' .. reference .. '"', function() assert.equal(address, (uri.resolve(base, reference))) end)
    end

    it("splits off and decodes the fragment", function()
        assert.same({ "http://a/b/c/g", "/a b" }, { uri.resolve(base, "g#/a%20b") })
        assert.same({ "urn:x:y", "z" }, { uri.resolve("urn:x:y", "#z") })
    end)

    it("takes a path alone as a base", function()
        assert.equal("b", (uri.resolve("", "b")))
        assert.equal("x/b", (uri.resolve("x/a", "b")))
        assert.equal("http://h/b", (uri.resolve("http://h", "b")))
    end)
end)
