--- spec/CASES.md and the names of specs know the same numbers.
local tmp = require("spec.support.tmp")

describe("spec/CASES.md", function()
    local explained, shown, named = {}, {}, {} -- sets of numbers
    local files = "find spec -name node_modules -prune -o -type f \\( -name '*_spec.lua' -o -name '*.mjs' \\) -print"

    setup(function()
        for number in tmp.read("spec/CASES.md"):gmatch("\n%- (%u%d%d) ") do
            assert.is_nil(explained[number], number)
            explained[number] = true
        end
        for path in tmp.shell(files):gmatch("[^\n]+") do
            local text = tmp.read(path)
            for number in text:gmatch("%f[%w](%u%d%d)%f[%W]") do shown[number] = true end
            for numbers in text:gmatch('[itdescribck]+%(+"([%u%d ]+) ') do
                for number in numbers:gmatch("%S+") do
                    if number:find("^%u%d%d?$") then named[number] = path end
                end
            end
        end
    end)

    local function missing(wanted, from)
        local list = {}
        for number in pairs(wanted) do
            if not from[number] then list[#list + 1] = number end
        end
        table.sort(list)
        return table.concat(list, " ")
    end

    it("explains every number that a spec begins with", function() assert.equal("", missing(named, explained)) end)

    it("explains nothing that no spec shows", function() assert.equal("", missing(explained, shown)) end)

    it("has many", function() assert.is_truthy(explained.P01 and explained.A01 and named.P01) end)
end)
