local make = require("schema.pattern.program")
local match = require("schema.pattern.match")
local parse = require("schema.pattern.parse")

local function steps(source, text)
    local spent = 0
    local found = match(assert(make(assert(parse(source)))), text, function(more) spent = spent + more end)
    return spent, found
end

local function matches(source, text) return (select(2, steps(source, text))) end

describe("schema.pattern.match", function()
    it("finds an expression anywhere, on code points", function()
        for _, case in ipairs({ { "b", "abc", true }, { "^b", "abc", false }, { "c$", "abc", true }, { "^.$", "ü", true },
            { "^..$", "ü", false }, { "^..$", "\xC3", false }, { "^.$", "\xFF", true }, { "", "", true }, { "a", "", false } }) do
            assert.equal(case[3], matches(case[1], case[2]), case[1] .. " in " .. case[2])
        end
    end)

    it("answers look-arounds at every place, those within others too", function()
        for _, case in ipairs({ { "a(?=b)", "cab", true }, { "a(?=b)", "ac", false }, { "(?<=a)b", "ab", true },
            { "(?<!a)b", "ab", false }, { "(?!a)b", "ab", true }, { "x(?=a(?!b))", "xac", true }, { "x(?=a(?!b))", "xab", false },
            { "\\bb", "a b", true }, { "\\Bb", "a b", false } }) do
            assert.equal(case[3], matches(case[1], case[2]), case[1] .. " in " .. case[2])
        end
    end)

    it("takes work that grows with text times expression, whatever the expression", function()
        for _, source in ipairs({ "(a*)*b", "(a|a)*b", "(a+)+$b", "^(.*.*.*)*b" }) do
            local short, long = steps(source, ("a"):rep(100)), steps(source, ("a"):rep(200))
            assert.is_true(long <= 2.1 * short, source)
        end
    end)

    it("ends where an anchor rules the text out, and where it has found", function()
        local text = ("a"):rep(100000)
        assert.is_true(steps("^b", text) <= #text + 10)
        assert.is_true(steps("a", text) <= #text + 20)
    end)

    it("lets whoever pays end it", function()
        local program = make(assert(parse("(a*)*b")))
        assert.has_error(function() match(program, ("a"):rep(100), function() error("enough", 0) end) end, "enough")
    end)
end)
