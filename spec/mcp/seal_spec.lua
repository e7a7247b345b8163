local fake_host = require("spec.support.fake_host")

local DAY_MS = 86400000

describe("sealed texts", function()
    local seal, host

    before_each(function()
        host = fake_host.install()
        host.now = 100 * DAY_MS
        seal = require("mcp.seal")
    end)

    it("come back as they were, for the same purpose only", function()
        for _, value in ipairs({ "text", { a = { 1, 2 } }, 5 }) do
            assert.same(value, seal.open("one", seal.close("one", value)))
            assert.same(value, seal.verify("one", seal.sign("one", value)))
            assert.is_nil(seal.open("two", seal.close("one", value)))
            assert.is_nil(seal.verify("two", seal.sign("one", value)))
        end
    end)

    it("are refused when anything of them is changed", function()
        local closed, signed = seal.close("one", "x"), seal.sign("one", "x")
        for _, change in ipairs({
            function(text) return text .. "A" end, function(text) return text:sub(1, -2) end,
            function(text) return text:sub(2) end, function(text) return text .. "=" end,
            function(text) return text:gsub("%.", "..") end, function() return "" end, function() return "." end,
            function(text) return " " .. text end, function(text) return text .. "\n" end,
        }) do
            assert.is_nil(seal.open("one", (change(closed))))
            assert.is_nil(seal.verify("one", (change(signed))))
        end
    end)

    it("that are closed count on the day of their key and the day after", function()
        local closed, signed = seal.close("one", "x"), seal.sign("one", "x")
        host.now = host.now + DAY_MS
        assert.equal("x", seal.open("one", closed))
        host.now = host.now + DAY_MS
        assert.is_nil(seal.open("one", closed))
        assert.equal("x", seal.verify("one", signed))
        host.now = 99 * DAY_MS
        assert.is_nil(seal.open("one", closed))
    end)
end)
