--- The closures that apply a whole schema: they choose keywords by the kind of the value and keep the books of a run.
---@class schema.runner
local runner = {}

local evaluated = require "schema.evaluated"
local value = require "schema.value"

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
---@field early table<string, function[]> by kind
---@field late table<string, function[]> those that ask what was evaluated, by kind
---@field has_late boolean
local Checks = {}
Checks.__index = Checks

---@return schema.Checks
function runner.checks()
  local checks = { early = {}, late = {}, has_late = false }
  for _, kind in ipairs(kinds) do checks.early[kind], checks.late[kind] = {}, {} end
  return setmetatable(checks, Checks)
end

--- Adds a keyword's check, for all kinds unless its definition names some.
function Checks:add(definition, check)
  local lists = definition.late and self.late or self.early
  self.has_late = self.has_late or definition.late == true
  for _, kind in ipairs(definition.kinds or kinds) do table.insert(lists[kind], check) end
end

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
  if self.has_late then return recording(self.early, self.late) end
  return simple(self.early)
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
