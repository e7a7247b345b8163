local charset = require("schema.pattern.charset")

describe("schema.pattern.charset", function()
    it("sorts and joins ranges that overlap or touch", function()
        assert.same({ 1, 5, 7, 9 }, charset.normalise({ 7, 8, 4, 5, 1, 3, 8, 9 }))
        assert.same({ 1, 9 }, charset.normalise({ 1, 9, 2, 3 }))
        assert.same({}, charset.normalise({}))
    end)

    it("gives the rest of all code points", function()
        assert.same({ 0, 0x10FFFF }, charset.complement({}))
        assert.same({}, charset.complement({ 0, 0x10FFFF }))
        assert.same({ 0, 4, 10, 0x10FFFF }, charset.complement({ 5, 9 }))
        assert.same({ 0x10FFFF, 0x10FFFF }, charset.complement({ 0, 0x10FFFE }))
        assert.same({ 1, 0x10FFFE }, charset.complement({ 0, 0, 0x10FFFF, 0x10FFFF }))
        for _, set in ipairs({ charset.word, charset.space, charset.line_ends }) do
            assert.same(set, charset.complement(charset.complement(set)))
        end
    end)

    it("answers which code points are in it, each time", function()
        local set = charset.lookup({ 5, 9, 20, 20, 1000, 2000 })
        for _ = 1, 2 do
            for code, within in pairs({ [4] = false, [5] = true, [9] = true, [10] = false, [20] = true, [999] = false,
                [1000] = true, [2000] = true, [2001] = false }) do
                assert.equal(within, set[code], code)
            end
        end
        assert.is_nil(rawget(set, 1000))
    end)
end)
