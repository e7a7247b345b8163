local expect = require("schema.expect")
local json = require("json")

describe("schema.expect", function()
    it("says where it is wrong, at the root by a word, and bounds that", function()
        assert.has_error(function() expect.fail("/a", "no %s", "x") end, "schema: /a: no x")
        assert.has_error(function() expect.fail("", "no") end, "schema: (root): no")
        assert.has_error(function() expect.fail(("/a"):rep(200), "no") end, "schema: " .. ("/a"):rep(100) .. "…: no")
    end)

    for name, case in pairs({
        number = { { 1, -1.5, 0 }, { "1", 0 / 0, math.huge, {} } },
        count = { { 0, 5, 2.0 }, { -1, 1.5, "1", math.huge, true } },
        string = { { "", "a" }, { 1, {}, false } },
        boolean = { { true, false }, { "true", 0, {} } },
        list = { { {}, { 1 }, json.array({}) }, { { a = 1 }, "x", 5 } },
        names = { { {}, { "a", "b" } }, { { 5 }, { "a", "a" }, { a = 1 }, "a" } },
        map = { { {}, { a = 1 } }, { { 1 }, { [true] = 1 }, "x" } },
    }) do
        it(name .. " gives what fits and raises for the rest", function()
            for _, value in ipairs(case[1]) do assert.equal(value, expect[name](value, "/x")) end
            for _, value in ipairs(case[2]) do
                local ok, why = pcall(expect[name], value, "/x")
                assert.is_false(ok, tostring(value))
                assert.matches("^schema: /x.*: expected .*, got ", why)
            end
        end)
    end

    it("names the item of a list that is no name", function()
        assert.has_error(function() expect.names({ "a", 5 }, "/x") end, "schema: /x/1: expected a string, got number 5")
    end)
end)
