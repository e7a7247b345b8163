local parse = require("schema.pattern.parse")

--- The ranges of an expression that is one set, or what is wrong with it.
local function ranges(source)
    local tree, problem = parse(source)
    return tree and tree.ranges or problem
end

describe("schema.pattern.class", function()
    for source, expected in pairs({
        ["[a-c]"] = { 97, 99 }, ["[c-c]"] = { 99, 99 }, ["[abx]"] = { 97, 98, 120, 120 }, ["[^\\u0001-\\u{10FFFF}]"] = { 0, 0 },
        ["[]"] = {}, ["[^]"] = { 0, 0x10FFFF }, ["[a-]"] = { 45, 45, 97, 97 }, ["[-a]"] = { 45, 45, 97, 97 },
        ["[\\d-x]"] = { 45, 45, 48, 57, 120, 120 }, ["[\\b]"] = { 8, 8 }, ["[ü-ÿ]"] = { 0xFC, 0xFF }, ["\\t"] = { 9, 9 },
        ["\\x41"] = { 65, 65 }, ["\\u0041"] = { 65, 65 }, ["\\u{1F600}"] = { 0x1F600, 0x1F600 },
        ["\\uD83D\\uDE00"] = { 0x1F600, 0x1F600 }, ["\\uD83D"] = { 0xD83D, 0xD83D }, ["\\cJ"] = { 10, 10 }, ["\\0"] = { 0, 0 },
        ["\\."] = { 46, 46 }, ["\\/"] = { 47, 47 }, ["\\d"] = { 48, 57 }, ["\\p{ASCII}"] = { 0, 127 },
    }) do
        it("reads " .. source, function() assert.same(expected, ranges(source)) end)
    end

    for source, problem in pairs({
        ["[c-a]"] = "out of order", ["[a"] = "not closed", ["\\"] = "a backslash needs", ["\\x4"] = "two hex digits",
        ["\\u12"] = "four hex digits", ["\\u{110000}"] = "up to 10FFFF", ["\\c1"] = "needs a letter", ["\\01"] = "octal",
        ["\\q"] = "unknown escape \\q", ["\\A"] = "ECMA%-262 writes %^ and %$", ["\\p"] = "needs a property",
        ["\\p{Klingon}"] = "unknown property Klingon",
    }) do
        it("refuses " .. source, function()
            assert.matches(problem, ranges(source))
            assert.matches("%(at byte %d+%)$", ranges(source))
        end)
    end
end)
