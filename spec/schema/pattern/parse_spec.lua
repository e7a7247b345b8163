local parse = require("schema.pattern.parse")

--- A tree as short text: sets by their first code point.
local function shape(node)
    if node.type == "set" then return utf8.char(node.ranges[1]) end
    if node.type == "at" then return "<" .. node.place .. ">" end
    local parts = {}
    for position, item in ipairs(node) do parts[position] = shape(item) end
    local inner = table.concat(parts, node.type == "alt" and "|" or "")
    if node.type == "repeat" then return ("%s{%s,%s}"):format(inner, node.min, node.max) end
    if node.type == "look" then return ("(%s%s%s)"):format(node.behind and "<" or "", node.negative and "!" or "=", inner) end
    return "(" .. inner .. ")"
end

describe("schema.pattern.parse", function()
    for source, tree in pairs({
        ["a"] = "a", [""] = "()", ["ab|c|"] = "((ab)|c|())", ["(?:a)b"] = "(ab)", ["(?<name>a)"] = "a",
        ["^a$"] = "(<start>a<end>)", ["\\ba\\B"] = "(<word>a<inside>)", ["a*"] = "a{0,inf}", ["a+?"] = "a{1,inf}",
        ["a?b"] = "(a{0,1}b)",
        ["a{2}"] = "a{2,2}", ["a{2,}"] = "a{2,inf}", ["a{2,3}?"] = "a{2,3}", ["(ab){2}"] = "(ab){2,2}", ["(?=a)"] = "(=a)",
        ["(?!a)"] = "(!a)", ["(?<=a)"] = "(<=a)", ["(?<!a)"] = "(<!a)", ["a{x"] = "(a{x)", ["]"] = "]", ["ü"] = "ü",
    }) do
        it("reads " .. (source == "" and "nothing" or source), function() assert.equal(tree, shape(assert(parse(source)))) end)
    end

    for source, problem in pairs({
        ["(a"] = "not closed", ["a)"] = "a %) has no %(", ["*a"] = "nothing to repeat before %*", ["a|+"] = "before %+",
        ["^*"] = "assertion cannot be repeated", ["(?=a)+"] = "assertion cannot be repeated", ["a{3,2}"] = "out of order",
        ["a{10001}"] = "more than 10000", ["(a)\\1"] = "back references", ["\\k<x>"] = "back references", ["(?>a)"] = "%(%?>",
        ["(?i)a"] = "not with", ["\xFF"] = "not valid UTF%-8",
    }) do
        it(("refuses %q"):format(source), function()
            local tree, why = parse(source)
            assert.is_nil(tree)
            assert.matches(problem, why)
        end)
    end

    it("bounds how deep groups lie", function()
        assert.is_table(parse(("("):rep(200) .. (")"):rep(200)))
        assert.matches("nested too deep", select(2, parse(("("):rep(201) .. (")"):rep(201))))
    end)
end)
