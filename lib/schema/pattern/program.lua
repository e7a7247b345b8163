--- From the tree of a regular expression to programs for the matcher in match.lua.
---
--- A program is three parallel lists: op, x, y. Operations: SET x=lookup table, SPLIT x,y=next, JUMP x=next,
--- AT x=place, LOOK x=number of a sub-program, y=wanted answer, MATCH. Look-arounds become programs of their own, inner ones
--- first; one that looks ahead is built backwards, for the matcher runs it from the end of the text.
---@class schema.pattern.Program
---@field op string[]
---@field x table
---@field y table
---@field backward boolean
---@field anchored boolean starts at the start of the text only
---@field looks schema.pattern.Program[]
local charset = require("schema.pattern.charset")

local MAX_SIZE = 25000

local Builder = {}
Builder.__index = Builder

local function too_large()
    error({ message = ("larger than %d steps when its repetitions are written out"):format(MAX_SIZE) }, 0)
end

function Builder:spend()
    self.shared.work = self.shared.work + 1
    if self.shared.work > 2 * MAX_SIZE then too_large() end
end

function Builder:emit(op, x, y)
    local program = self.program
    local at = #program.op + 1
    if at > MAX_SIZE then too_large() end
    program.op[at], program.x[at], program.y[at] = op, x or false, y or false
    return at
end

function Builder:next() return #self.program.op + 1 end

local emitters = {}

function emitters.set(builder, node)
    local known = builder.shared.sets
    known[node] = known[node] or charset.lookup(node.ranges)
    builder:emit("SET", known[node])
end

function emitters.at(builder, node) builder:emit("AT", node.place) end

function emitters.cat(builder, node)
    local first, last, step = 1, #node, 1
    if builder.program.backward then first, last, step = #node, 1, -1 end
    for i = first, last, step do builder:node(node[i]) end
end

function emitters.alt(builder, node)
    local program, jumps = builder.program, {}
    for i = 1, #node - 1 do
        local split = builder:emit("SPLIT", builder:next() + 1)
        builder:node(node[i])
        jumps[i] = builder:emit("JUMP")
        program.y[split] = builder:next()
    end
    builder:node(node[#node])
    for _, jump in ipairs(jumps) do program.x[jump] = builder:next() end
end

local function star(builder, item)
    local split = builder:emit("SPLIT", builder:next() + 1)
    builder:node(item)
    builder:emit("JUMP", split)
    builder.program.y[split] = builder:next()
end

local function optional(builder, item, times)
    local splits = {}
    for i = 1, times do
        splits[i] = builder:emit("SPLIT", builder:next() + 1)
        builder:node(item)
    end
    for _, split in ipairs(splits) do builder.program.y[split] = builder:next() end
end

emitters["repeat"] = function(builder, node)
    for _ = 1, node.min do builder:node(node[1]) end
    if node.max == math.huge then return star(builder, node[1]) end
    optional(builder, node[1], node.max - node.min)
end

function emitters.look(builder, node)
    local looks = builder.shared.looks
    local known = builder.shared.look_numbers
    if not known[node] then
        local program = builder.shared.build(node[1], not node.behind, builder.shared)
        looks[#looks + 1] = program
        known[node] = #looks
    end
    builder:emit("LOOK", known[node], not node.negative)
end

function Builder:node(node)
    self:spend()
    emitters[node.type](self, node)
end

local function starts_at_start(node)
    if node.type == "at" then return node.place == "start" end
    if node.type == "cat" then return #node > 0 and starts_at_start(node[1]) end
    if node.type ~= "alt" then return false end
    for _, branch in ipairs(node) do
        if not starts_at_start(branch) then return false end
    end
    return true
end

local function build(tree, backward, shared)
    local program = { op = {}, x = {}, y = {}, backward = backward }
    local builder = setmetatable({ program = program, shared = shared }, Builder)
    builder:node(tree)
    builder:emit("MATCH")
    return program
end

local function whole(tree)
    local shared = { work = 0, sets = {}, looks = {}, look_numbers = {}, build = build }
    local program = build(tree, false, shared)
    program.anchored = starts_at_start(tree)
    program.looks = shared.looks
    return program
end

--- Program of a tree; its `looks` hold the sub-programs.
---@param tree table
---@return schema.pattern.Program? program
---@return string? problem
return function(tree)
    local ok, result = pcall(whole, tree)
    if ok then return result end
    if type(result) == "table" and result.message then return nil, result.message end
    error(result, 0)
end
