local is_multiple = require("schema.decimal")

describe("multiples of decimals", function()
    for _, case in ipairs {
        { 10, 2, true }, { 7, 2, false }, { 0, 5, true }, { 0.0, 0.3, true }, { 4.5, 1.5, true },
        { -4.5, 1.5, true }, { 35, 1.5, false },
        { 0.0075, 0.0001, true }, { 0.00751, 0.0001, false }, { 0.3, 0.1, true }, { 1.1, 0.1, true }, { 19.99, 0.01, true },
        { 19.995, 0.01, false }, { 1e308, 0.123456789, false }, { 1e308, 0.5, true }, { 1e-300, 1e-308, true },
        { 12391239123, 1e-8, true }, { 9007199254740993, 2, false }, { math.maxinteger, 7, true }, { math.mininteger, 2, true },
        { math.maxinteger, 0.5, true }, { 1, 1e18, false }, { 3e18, 1.5e18, true }, { 5e-324, 5e-324, true }, { 1e22, 7, false },
    } do
        it(("%s of %s"):format(case[1], case[2]), function() assert.equal(case[3], is_multiple(case[1], case[2])) end)
    end
end)
