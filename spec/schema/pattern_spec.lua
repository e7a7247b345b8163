local pattern = require("schema.pattern")

local function matches(expression, text)
    return assert(pattern.compile(expression))(text)
end

local function accepts(expression, texts)
    for _, text in ipairs(texts) do assert.is_true(matches(expression, text), expression .. " on " .. text) end
end

local function refuses(expression, texts)
    for _, text in ipairs(texts) do assert.is_false(matches(expression, text), expression .. " on " .. text) end
end

describe("patterns", function()
    it("match anywhere unless anchored", function()
        accepts("a+", { "xaay" })
        accepts("", { "", "x" })
        refuses("^a*$", { "aab", "b" })
        refuses("^abc$", { "abc\n", "\nabc" })
    end)

    it("know alternatives, groups and repetitions", function()
        accepts("^(a|b|cd)+?$", { "abcd", "a" })
        accepts("^(?:ab){2,3}$", { "abab", "ababab" })
        refuses("^(?:ab){2,3}$", { "ab", "abababab" })
        accepts("^a{2,}b{0}c?$", { "aa", "aaac" })
        refuses("^a{2}$", { "a", "aaa" })
        accepts("^(?<year>\\d{4})$", { "2026" })
        accepts("^(a*)*$", { "", "aaa" })
        accepts("^(|x)y$", { "y", "xy" })
    end)

    it("know classes and their escapes", function()
        accepts("^[\\w.-]+@[\\w-]+\\.[a-z]{2,}$", { "a.b@c-d.org" })
        accepts("^[^a]$", { "é", "🐲" })
        refuses("^[^\\d\\s]$", { "5", " " })
        accepts("^[\\]\\\\^-]$", { "]", "\\", "^", "-" })
        accepts("^[\\w-.]+$", { "a-b.c" })
        refuses("^[]$", { "", "a" })
        accepts("^[^]$", { "a" })
        accepts("^\\s\\S\\D\\W$", { "\u{FEFF}ax-" })
        refuses("^\\d$", { "\u{07C0}" })
        refuses("^\\w$", { "é" })
    end)

    it("work on code points", function()
        accepts("^.$", { "🐲", "é" })
        refuses("^.$", { "\n", "\u{2028}", "ab" })
        accepts("^🐲{2}$", { "🐲🐲" })
        accepts("^\\uD83D\\uDC32\\u{1F432}\\u00e9\\x41\\cJ\\0\\t$", { "🐲🐲éA\n\0\t" })
    end)

    it("know Unicode categories", function()
        accepts("^\\p{Letter}+$", { "Αλφάπ", "straße", "漢字" })
        refuses("^\\p{L}+$", { "a1", "-" })
        accepts("^\\p{Lu}\\p{Ll}\\P{L}$", { "Éé1" })
        accepts("^[\\p{Nd}\\p{Punctuation}]+$", { "१२-3" })
        accepts("^\\p{gc=Sc}\\p{Any}\\p{ASCII}\\p{General_Category=Zs}$", { "€éa\u{A0}" })
        refuses("^\\p{Cn}$", { "a", "é" })
        accepts("^\\p{LC}$", { "a", "A" })
    end)

    it("look ahead and behind", function()
        accepts("^(?=.*\\d)(?=.*[a-z]).{4,8}$", { "abc1" })
        refuses("^(?=.*\\d)(?=.*[a-z]).{4,8}$", { "abcd", "1234", "abc456789" })
        accepts("^(?!foo)", { "bar", "fo" })
        refuses("^(?!foo)", { "foobar" })
        accepts("(?<=a)b", { "ab" })
        refuses("(?<=a)b", { "cb", "b" })
        refuses("(?<!a)b", { "ab" })
        accepts("(?=x(?<=yx))x", { "yx" })
        refuses("(?=x(?<=yx))x", { "zx" })
        accepts("^(?:(?!ab).)*$", { "ba", "" })
        refuses("^(?:(?!ab).)*$", { "xab" })
    end)

    it("know the borders of words", function()
        accepts("\\bfoo\\b", { "a foo b", "foo" })
        refuses("\\bfoo\\b", { "afoo", "foo_" })
        accepts("o\\Bo", { "foo" })
    end)

    it("take punctuation that cannot mean anything else as itself", function()
        accepts("^a{,3}\\-\\@]}$", { "a{,3}-@]}" })
    end)

    it("read text that is not UTF-8 byte by byte", function()
        accepts("^a.b$", { "a\xFFb" })
        accepts("b$", { ("\xFF"):rep(100000) .. "b" })
    end)
end)

describe("a pattern that is wrong or not supported says why", function()
    for expression, problem in pairs {
        ["(a"] = "a group is not closed: ) is missing (at byte 3)",
        ["a)"] = "a ) has no ( (at byte 2)",
        ["[a"] = "a class is not closed: ] is missing (at byte 3)",
        ["*a"] = "nothing to repeat before * (at byte 2)",
        ["a**"] = "nothing to repeat before * (at byte 4)",
        ["^+"] = "an assertion cannot be repeated (at byte 3)",
        ["a{3,2}"] = "a repetition's numbers are out of order (at byte 7)",
        ["[z-a]"] = "a range in a class is out of order (at byte 5)",
        ["(a)\\1"] = "back references are not supported (at byte 5)",
        ["\\A"] = "unknown escape \\A; ECMA-262 writes ^ and $ (at byte 3)",
        ["\\q"] = "unknown escape \\q (at byte 3)",
        ["a\\"] = "a backslash needs a letter or punctuation after it (at byte 3)",
        ["(?i:a)"] = "a group may start with (?: (?= (?! (?<= (?<! or (?<name>, not with (?i (at byte 2)",
        ["\\p{Greek}"] = "unknown property Greek; general categories such as L, Lu, Nd or Letter are supported (at byte 10)",
        ["\\u{110000}"] = "\\u needs four hex digits or {…} up to 10FFFF (at byte 11)",
        ["\\xg"] = "\\x needs two hex digits (at byte 3)",
        ["\\01"] = "octal escapes are not supported (at byte 4)",
        ["a{99999}"] = "a repetition of more than 10000 is not supported (minLength and maxLength are) (at byte 9)",
        ["\xFF"] = "not valid UTF-8",
        [("(((a{100}){100}){100})")] = "larger than 25000 steps when its repetitions are written out",
        [("(){9000}"):rep(9)] = "larger than 25000 steps when its repetitions are written out",
        [("a"):rep(10001)] = "longer than 10000 bytes",
    } do
        it(expression:sub(1, 30), function()
            local matcher, message = pattern.compile(expression)
            assert.is_nil(matcher)
            assert.equal(problem, message)
        end)
    end

    it("nested groups", function()
        assert.truthy(select(2, pattern.compile(("("):rep(500))):find("nested too deep", 1, true))
    end)
end)

describe("the cost of a match", function()
    local function cost(expression, text)
        local steps = 0
        assert(pattern.compile(expression))(text, function(more) steps = steps + more end)
        return steps
    end

    it("grows with the length of the text, not faster", function()
        for _, expression in ipairs {
            "^(a+)+$", "(x+x+)+y", "(a|a)*(a|a)*b", "(a*)*b", "(?=(?=(?=.*b).*b).*b)", "^(([a-z])+.)+[A-Z]([a-z])+$",
            "(.*)(.*)(.*)x",
        } do
            local short, long = cost(expression, ("a"):rep(1000)), cost(expression, ("a"):rep(4000))
            assert.truthy(long < 4.5 * short, expression)
            assert.truthy(long < 200 * 4000, expression)
        end
    end)

    it("is small where an anchor rules the text out", function()
        assert.truthy(cost("^b", ("a"):rep(10000)) < 10100)
    end)

    it("can be cut short by the caller", function()
        local matcher = assert(pattern.compile("(a|b)*c"))
        assert.has_error(function() matcher(("a"):rep(1000), function() error("enough", 0) end) end, "enough")
    end)
end)
