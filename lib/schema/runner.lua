--- The closures that apply a whole schema: they choose keywords by the kind of the value and keep the books of a run.
---@class schema.runner
local runner = {}

local evaluated = require("schema.evaluated")
local value = require("schema.value")

local kinds = { "null", "boolean", "number", "string", "array", "object" }

local function not_allowed() return "is not allowed here" end

--- Runs `true` and `false` as schemas.
---@param answer boolean
function runner.constant(answer)
    return function(run)
        run:spend(1)
        return answer or run:fail("false", not_allowed)
    end
end

---@class schema.Checks
---@field early { definition: table, check: function }[]
---@field late { definition: table, check: function }[] those that ask what was evaluated
local Checks = {}
Checks.__index = Checks

---@return schema.Checks
function runner.checks()
    return setmetatable({ early = {}, late = {} }, Checks)
end

--- Adds a keyword's check, for all kinds of values unless its definition names some.
function Checks:add(definition, check)
    table.insert(definition.late and self.late or self.early, { definition = definition, check = check })
end

local nothing = {}

local function concerns(definition, kind)
    for _, wanted in ipairs(definition.kinds or kinds) do
        if wanted == kind then return true end
    end
    return false
end

local function by_kind(entries)
    local lists = {}
    for _, kind in ipairs(kinds) do
        local list = {}
        for _, entry in ipairs(entries) do
            if concerns(entry.definition, kind) then list[#list + 1] = entry.check end
        end
        lists[kind] = #list > 0 and list or nothing
    end
    return lists
end

local no_lists = by_kind {}

local function apply(list, run, v, record)
    local ok = true
    for i = 1, #list do
        if not list[i](run, v, record) then
            ok = false
            if run.quiet then return false end
        end
    end
    return ok
end

local function simple(early)
    return function(run, v, record)
        run:enter()
        local ok = apply(early[value.kind(v)], run, v, record)
        run:leave()
        return ok
    end
end

--- A schema with unevaluated… keywords keeps its own record: it sees what is below it, not what stands beside it.
local function recording(early, late)
    return function(run, v, outer)
        local kind = value.kind(v)
        run:enter()
        local record = evaluated.new()
        local ok = apply(early[kind], run, v, record) and apply(late[kind], run, v, record)
        if ok and outer then evaluated.merge(run, outer, record) end
        run:leave()
        return ok
    end
end

---@return fun(run: schema.Run, value: any, record: schema.Evaluated?): boolean
function Checks:runner()
    local early = #self.early > 0 and by_kind(self.early) or no_lists
    return #self.late > 0 and recording(early, by_kind(self.late)) or simple(early)
end

local function is_entered(run, resource)
    local entry = run.scope
    while entry do
        if entry.resource == resource then return true end
        run:spend(1)
        entry = entry.outer
    end
    return false
end

--- Notes that a resource was entered, for $dynamicRef. Only the outermost entry of each matters.
function runner.scoped(inner, resource)
    return function(run, v, record)
        local outer = run.scope
        if is_entered(run, resource) then return inner(run, v, record) end
        run.scope = { resource = resource, outer = outer }
        local ok = inner(run, v, record)
        run.scope = outer
        return ok
    end
end

return runner
