--- The nearest known name for one that is not known: for "did you mean …?" in error messages.
---@class nearest
local nearest = {}

local MAX_NAME = 64
local MAX_KNOWN = 1000
local MAX_LISTED = 12

local function folded(name)
  return (name:lower():gsub("[-_ ]", ""))
end

--- Rows of the table of distances: two back, one back, current.
local function next_row(a, b, i, before, last)
  local row = { [0] = i }
  local ai, ai1 = a:byte(i), a:byte(i - 1)
  for j = 1, #b do
    local bj = b:byte(j)
    local cost = ai == bj and 0 or 1
    local best = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
    if i > 1 and j > 1 and ai == b:byte(j - 1) and ai1 == bj then best = math.min(best, before[j - 2] + 1) end
    row[j] = best
  end
  return row
end

--- Edits (insert, delete, replace, swap of two neighbours) that turn `a` into `b`, counted in bytes.
---@param a string
---@param b string
---@return integer
function nearest.distance(a, b)
  local before, last = {}, {}
  for j = 0, #b do last[j] = j end
  for i = 1, #a do
    before, last = last, next_row(a, b, i, before, last)
  end
  return last[#b]
end

--- How far apart two names may be and still be taken for a slip of the same one.
local function tolerance(name)
  return math.max(1, #name // 3)
end

local function difference(wanted, known)
  local other = folded(known)
  if wanted == other then return 0 end
  if #wanted >= 3 and (other:sub(1, #wanted) == wanted or wanted:sub(1, #other) == other and #other >= 3) then return 1 end
  if math.abs(#wanted - #other) > tolerance(wanted) then return math.huge end
  return nearest.distance(wanted, other)
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
