local circles = require("schema.circles")

--- Nodes from who applies whom to the same value: { a = { "b" } }.
local function nodes(edges)
    local by_name, list = {}, {}
    for name in pairs(edges) do
        by_name[name] = { in_place = {} }
        list[#list + 1] = by_name[name]
    end
    for name, targets in pairs(edges) do
        for position, target in ipairs(targets) do
            by_name[name].in_place[position] = { node = by_name[target], at = "/" .. name .. target }
        end
    end
    return list
end

describe("schema.circles", function()
    it("takes what comes to an end, however often it meets", function()
        circles.refuse(nodes({ a = { "b", "c" }, b = { "d" }, c = { "d", "b" }, d = {} }))
        circles.refuse({})
    end)

    it("looks at each schema once, however many ways lead there", function()
        local last = { in_place = {} }
        for _ = 1, 100 do
            last = { in_place = { { node = last, at = "" }, { node = last, at = "" } } }
        end
        circles.refuse({ last })
    end)

    it("names the edge that closes a circle", function()
        assert.error_matches(function() circles.refuse(nodes({ a = { "a" } })) end, "^schema: /aa: leads back to itself")
        assert.error_matches(function() circles.refuse(nodes({ a = { "b" }, b = { "c" }, c = { "a" }, d = { "a" } })) end,
            "leads back to itself")
    end)

    it("needs no stack for a long chain", function()
        local first = { in_place = {} }
        local last = first
        for _ = 1, 300000 do
            local node = { in_place = {} }
            last.in_place[1], last = { node = node, at = "" }, node
        end
        circles.refuse({ first })
        last.in_place[1] = { node = first, at = "/end" }
        assert.error_matches(function() circles.refuse({ first }) end, "/end")
    end)
end)
