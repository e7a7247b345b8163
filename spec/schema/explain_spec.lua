local explain = require("schema.explain")

local function failures(count)
    local list = {}
    for number = 1, count do list[number] = { path = "/a/" .. number, message = "wrong" } end
    return list
end

describe("schema.explain", function()
    it("names the place of an error, but not the whole", function()
        assert.equal("a[1]: wrong", explain(failures(1)))
        assert.equal("wrong", explain({ { path = "", message = "wrong" } }))
    end)

    it("shows three and counts the others", function()
        assert.equal("a[1]: wrong; a[2]: wrong; a[3]: wrong", explain(failures(3)))
        assert.equal("a[1]: wrong; a[2]: wrong; a[3]: wrong; and 2 more", explain(failures(5)))
    end)
end)
