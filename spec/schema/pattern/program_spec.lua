local make = require("schema.pattern.program")
local parse = require("schema.pattern.parse")

local function program(source) return make(assert(parse(source))) end

local function operations(source) return table.concat(assert(program(source)).op, " ") end

describe("schema.pattern.program", function()
    for source, expected in pairs({
        ["ab"] = "SET SET MATCH", ["a|b"] = "SPLIT SET JUMP SET MATCH", ["a*"] = "SPLIT SET JUMP MATCH",
        ["a{2,3}"] = "SET SET SPLIT SET MATCH", ["^a"] = "AT SET MATCH", ["(?=a)b"] = "LOOK SET MATCH", [""] = "MATCH",
    }) do
        it("writes out " .. source, function() assert.equal(expected, operations(source)) end)
    end

    it("knows what can begin at the start only", function()
        for source, anchored in pairs({ ["^a"] = true, ["^a|^b"] = true, ["^a|b"] = false, ["(^a)b"] = true, ["a^"] = false,
            ["(^a)*"] = false, [""] = false }) do
            assert.equal(anchored, program(source).anchored, source)
        end
    end)

    it("makes programs of look-arounds, inner ones first, backwards where they look ahead", function()
        local looks = program("(?=a(?<!b))").looks
        assert.same({ false, true }, { looks[1].backward, looks[2].backward })
        assert.equal(1, #program("((?=a)b){3}").looks)
    end)

    it("refuses what is too large when it is written out", function()
        assert.is_table(program("a{9999}"))
        for _, source in ipairs({ "(a{1000}){26}", "((()){9999}){9999}", "((a{99}){99}){99}" }) do
            local made, why = program(source)
            assert.is_nil(made)
            assert.matches("larger than 25000 steps", why)
        end
    end)
end)
