local charset = require("schema.pattern.charset")
local unicode = require("schema.pattern.unicode")

local function has(property, text)
    return charset.lookup(assert(unicode.ranges(property), property))[utf8.codepoint(text)]
end

describe("schema.pattern.unicode", function()
    for property, cases in pairs({
        L = { "aÄßжあ", "1 _-" }, Lu = { "AÄЖ", "aß1" }, Ll = { "aßж", "AÄ" }, LC = { "aA", "あ1" }, Nd = { "5٣", "aⅣ" },
        N = { "5Ⅳ½", "a" }, P = { "!-_«", "+a" }, Sc = { "$€", "+a" }, S = { "+$€", "a-" }, Zs = { " \u{A0}", "\n" },
        Cc = { "\n\u{7F}", " " }, M = { "\u{301}", "a" },
    }) do
        it("knows what is and is not " .. property, function()
            for _, code in utf8.codes(cases[1]) do assert.is_true(has(property, utf8.char(code)), utf8.char(code)) end
            for _, code in utf8.codes(cases[2]) do assert.is_false(has(property, utf8.char(code)), utf8.char(code)) end
        end)
    end

    it("takes long names, and those with their property before them", function()
        for short, long in pairs({ L = "Letter", Lu = "gc=Uppercase_Letter", Nd = "General_Category=Nd", P = "punct" }) do
            assert.same(unicode.ranges(short), unicode.ranges(long))
        end
    end)

    it("divides all code points among the categories", function()
        local all = {}
        for _, group in ipairs({ "L", "M", "N", "P", "S", "Z", "C" }) do charset.append(all, unicode.ranges(group)) end
        assert.same({ 0, 0x10FFFF }, charset.normalise(all))
        assert.same({ 0, 0x10FFFF }, unicode.ranges("Any"))
        assert.same({ 0, 127 }, unicode.ranges("ASCII"))
    end)

    it("knows no other name", function()
        for _, name in ipairs({ "", "X", "Lx", "Greek", "Script=Greek", "gc=" }) do assert.is_nil(unicode.ranges(name), name) end
    end)
end)
