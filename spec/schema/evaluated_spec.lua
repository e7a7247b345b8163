local evaluated = require("schema.evaluated")

local function record(changes)
    local made = evaluated.new()
    for name, value in pairs(changes) do made[name] = value end
    return made
end

describe("schema.evaluated", function()
    it("adds up what two records hold, and is paid by what it moves", function()
        local spent = 0
        local run = { spend = function(_, steps) spent = spent + steps end }
        local into = record({ names = { a = true }, first = 2, items = { [5] = true } })
        local from = record({ names = { b = true, a = true }, first = 1, items = { [7] = true }, all_items = true })
        evaluated.merge(run, into, from)
        assert.same({ { a = true, b = true }, 2, { [5] = true, [7] = true }, true, false },
            { into.names, into.first, into.items, into.all_items, into.all_names })
        assert.equal(3, spent)
    end)

    it("forgets nothing of the one that is added to", function()
        local into = record({ all_names = true, all_items = true, first = 3 })
        evaluated.merge({ spend = function() end }, into, evaluated.new())
        assert.same(record({ all_names = true, all_items = true, first = 3 }), into)
    end)
end)
