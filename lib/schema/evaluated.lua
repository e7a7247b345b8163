--- Which properties and items of one value have been evaluated, for unevaluatedProperties and unevaluatedItems.
--- A record belongs to one value and one schema that asks; what fails is thrown away with its record.
---@class schema.Evaluated
---@field names table<any, true>
---@field all_names boolean
---@field first integer items 1 … first
---@field items table<integer, true>
---@field all_items boolean
local evaluated = {}

---@return schema.Evaluated
function evaluated.new()
    return { names = {}, all_names = false, first = 0, items = {}, all_items = false }
end

--- Adds to `into` what `from` holds.
---@param run schema.Run charged for the work
---@param into schema.Evaluated
---@param from schema.Evaluated
function evaluated.merge(run, into, from)
    into.all_names = into.all_names or from.all_names
    into.all_items = into.all_items or from.all_items
    into.first = math.max(into.first, from.first)
    local moved = 0
    for name in next, from.names do
        into.names[name] = true
        moved = moved + 1
    end
    for index in next, from.items do
        into.items[index] = true
        moved = moved + 1
    end
    run:spend(moved)
end

return evaluated
