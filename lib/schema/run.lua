--- One validation under way: budget, place in the value, errors.
---
--- A run is quiet at first: it stops at the first failure and keeps no path, which makes the good case cheap. Only when
--- that fails the value is run again, loud, to collect errors.
---@class schema.Run
---@field quiet boolean
---@field steps integer what is left of the budget
---@field depth integer schemas applied within each other right now
---@field path (string|integer)[] place in the value (loud runs only)
---@field errors schema.Error[]
---@field scope table? resources entered, innermost first: { resource=, outer= }
---@field noun string what a property of the whole value is called
local Run = {}
Run.__index = Run

local evaluated = require("schema.evaluated")
local message = require("schema.message")
local pointer = require("schema.pointer")

local STEPS_PER_ERROR = 50

--- Raised (as a table) when a validation costs too much.
Run.Exhausted = {}

--- A quiet run may serve one value after the other, see `reset`.
---@param limits { steps: integer, depth: integer, errors: integer }
---@param noun string
---@param quiet boolean
---@return schema.Run
function Run.new(limits, noun, quiet)
    local run = {
        quiet = quiet, steps = limits.steps, full_steps = limits.steps, depth = 0, max_depth = limits.depth,
        max_errors = limits.errors, path = {}, errors = {}, scope = nil, noun = noun,
    }
    run.charge = function(steps) Run.spend(run, steps) end
    return setmetatable(run, Run)
end

local function exhausted(what)
    error(setmetatable({ message = what }, Run.Exhausted), 0)
end

--- Makes the run ready for another value.
function Run:reset()
    self.steps, self.depth, self.scope, self.quiet = self.full_steps, 0, nil, true
    if #self.errors > 0 then self.errors = {} end
end

---@param steps number
function Run:spend(steps)
    self.steps = self.steps - steps
    if self.steps < 0 then exhausted("too costly to check: the value is too large for this schema") end
end

--- Called by every schema that is applied; `leave` when it is done.
function Run:enter()
    self.steps = self.steps - 1
    self.depth = self.depth + 1
    if self.steps < 0 then self:spend(0) end
    if self.depth > self.max_depth then exhausted("nested too deep to check") end
end

function Run:leave()
    self.depth = self.depth - 1
end

--- Applies a schema to a part of the value.
---@param node schema.Node
---@param key string|integer as a pointer names it (items from 0)
---@param part any
---@return boolean
function Run:child(node, key, part)
    if self.quiet then return node.run(self, part) end
    local path = self.path
    path[#path + 1] = key
    local ok = node.run(self, part)
    path[#path] = nil
    return ok
end

--- Applies a schema to the value itself, without errors; what it evaluated counts only if it holds.
---@param node schema.Node
---@param value any
---@param record schema.Evaluated?
---@return boolean
function Run:probe(node, value, record)
    local quiet, own = self.quiet, record and evaluated.new()
    self.quiet = true
    local ok = node.run(self, value, own)
    self.quiet = quiet
    if ok and record then evaluated.merge(self, record, own) end
    return ok
end

--- Errors that a schema finds in the value itself, without adding them to the run's.
---@param node schema.Node
---@param value any
---@return schema.Error[]
function Run:errors_of(node, value)
    local kept = self.errors
    self.errors, self.quiet = {}, false
    node.run(self, value)
    local found = self.errors
    self.errors, self.quiet = kept, false
    return found
end

--- Adds an error unless the same was said just before; a full list makes the run quiet, so that it ends soon.
---@param failure schema.Error
function Run:add(failure)
    local errors = self.errors
    local last = errors[#errors]
    if last and last.path == failure.path and last.message == failure.message then return end
    errors[#errors + 1] = failure
    if #errors >= self.max_errors then self.quiet = true end
end

--- Fails a keyword: `describe(…)` makes the message, only if anybody will read it.
---@param keyword string
---@param describe fun(...): string
---@return false
function Run:fail(keyword, describe, ...)
    if not self.quiet then
        self:add {
            path = pointer.of(self.path), keyword = keyword, message = describe(...),
            mismatch = describe == message.mismatch or nil,
        }
        self:spend(STEPS_PER_ERROR)
    end
    return false
end

--- As `fail`, for a property of the value.
function Run:fail_at(key, keyword, describe, ...)
    if self.quiet then return false end
    self.path[#self.path + 1] = key
    self:fail(keyword, describe, ...)
    self.path[#self.path] = nil
    return false
end

--- What a property of the present value is called.
---@return string
function Run:property_noun()
    return #self.path == 0 and self.noun or "property"
end

return Run
