--- The nearest known name for one that is not known: for "did you mean …?" in error messages.
---@class nearest
local nearest = {}

local MAX_NAME = 64
local MAX_KNOWN = 1000
local MAX_LISTED = 12

local function folded(name)
    return (name:lower():gsub("[-_ ]", ""))
end

--- The next row of the table of distances, from the one two back and the last; and its least distance.
local function next_row(a, b, i, before, last)
    local row, least = { [0] = i }, i
    local ai, ai1 = a:byte(i), a:byte(i - 1)
    for j = 1, #b do
        local bj = b:byte(j)
        local cost = ai == bj and 0 or 1
        local best = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
        if i > 1 and j > 1 and ai == b:byte(j - 1) and ai1 == bj then best = math.min(best, before[j - 2] + 1) end
        row[j] = best
        least = math.min(least, best)
    end
    return row, least
end

--- Edits (insert, delete, replace, swap of two neighbours) that turn `a` into `b`, counted in bytes.
---@param a string
---@param b string
---@param limit number? anything above it counts as infinite, which is quicker
---@return number
function nearest.distance(a, b, limit)
    local before, last = {}, {}
    for j = 0, #b do last[j] = j end
    for i = 1, #a do
        local row, least = next_row(a, b, i, before, last)
        before, last = last, row
        if limit and least > limit then return math.huge end
    end
    return last[#b]
end

--- How far apart two names may be and still be taken for a slip of the same one.
local function tolerance(name)
    return math.min(3, #name // 3)
end

--- "msg" for "message", "cmd" for "command": the letters in order, the first one the same.
local function abbreviates(short, long)
    if #short < 3 or #long <= #short or short:byte() ~= long:byte() then return false end
    local at = 1
    for letter in long:gmatch(".") do
        if letter == short:sub(at, at) then at = at + 1 end
    end
    return at > #short
end

local function difference(wanted, known)
    local other = folded(known)
    if wanted == other then return 0 end
    if abbreviates(wanted, other) or (#other >= 3 and wanted:sub(1, #other) == other) then return 1 end
    if math.abs(#wanted - #other) > tolerance(wanted) then return math.huge end
    return nearest.distance(wanted, other, tolerance(wanted))
end

--- The known name that is nearest to `name`; ties go to the first in order of the alphabet.
---@param name string
---@param known string[]
---@return string? name nil when none is near
function nearest.find(name, known)
    if #name > MAX_NAME then return nil end
    local wanted, best, best_difference = folded(name), nil, tolerance(folded(name)) + 1
    for i = 1, math.min(#known, MAX_KNOWN) do
        local candidate = known[i]
        if #candidate <= MAX_NAME then
            local far = difference(wanted, candidate)
            if far < best_difference or (far == best_difference and best and candidate < best) then
                best, best_difference = candidate, far
            end
        end
    end
    return best
end

--- The end of a sentence about an unknown name: `; did you mean "path"?`, else the known names if they are few, else "".
---@param name string
---@param known string[]
---@return string
function nearest.hint(name, known)
    local best = nearest.find(name, known)
    if best then return ('; did you mean "%s"?'):format(best) end
    if #known == 0 or #known > MAX_LISTED then return "" end
    local sorted = table.move(known, 1, #known, 1, {})
    table.sort(sorted)
    return '; known: "' .. table.concat(sorted, '", "') .. '"'
end

return nearest
