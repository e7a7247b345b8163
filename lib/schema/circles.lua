--- Schemas that apply themselves to the same value again ({"$ref": "#"}) would never come to an end: refused at load.
---@class schema.circles
local circles = {}

local expect = require("schema.expect")

local ENDLESS = "leads back to itself for the same value without end; recursion must go through properties or items"

local function open(stack, state, node)
    state[node] = "open"
    stack[#stack + 1] = { node = node, next = 1 }
end

local function search(start, state)
    local stack = {}
    open(stack, state, start)
    while #stack > 0 do
        local top = stack[#stack]
        local edge = top.node.in_place[top.next]
        top.next = top.next + 1
        if not edge then
            state[top.node] = "done"
            stack[#stack] = nil
        elseif state[edge.node] == "open" then
            expect.fail(edge.at, ENDLESS)
        elseif not state[edge.node] then
            open(stack, state, edge.node)
        end
    end
end

---@param nodes schema.Node[]
function circles.refuse(nodes)
    local state = {}
    for _, node in ipairs(nodes) do
        if not state[node] then search(node, state) end
    end
end

return circles
