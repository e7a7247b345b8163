local uri_template = require("mcp.uri_template")

describe("a template of addresses", function()
    it("reads its places, and decodes what stands in them", function()
        local match, _, names = assert(uri_template.compile("docs://{kind}/page-{id}.txt"))
        assert.same({ "kind", "id" }, names)
        assert.same({ kind = "a b", id = "7" }, match("docs://a%20b/page-7.txt"))
    end)

    it("takes one segment for a place, and any rest for one with a plus", function()
        local one, rest = uri_template.compile("file:///{name}"), uri_template.compile("file:///{+path}")
        assert.is_nil(one("file:///a/b"))
        assert.is_nil(one("file:///"))
        assert.is_nil(one("file:///a?b"))
        assert.same({ path = "a/b?c" }, rest("file:///a/b?c"))
    end)

    it("takes what stands between places by the letter", function()
        local match = uri_template.compile("a+b://x.y/{id}")
        assert.same({ id = "1" }, match("a+b://x.y/1"))
        assert.is_nil(match("aab://x.y/1"))
        assert.is_nil(match("a+b://xzy/1"))
    end)

    it("gives back slashes and dots that were encoded: handlers check them", function()
        assert.same({ id = "../x" }, uri_template.compile("a:{id}")("a:..%2Fx"))
    end)

    it("refuses what has no place, or one that it does not know", function()
        assert.matches("no place such as {id}", select(2, uri_template.compile("a://b")), 1, true)
        for _, wrong in ipairs({ "a://{id}/{", "a://{id}{?q}", "a://{id}}" }) do
            assert.matches("places are {name}", select(2, uri_template.compile(wrong)), 1, true)
        end
    end)
end)
