--- Sets of code points as sorted, disjoint ranges { low, high, low, high, … }.
---@class schema.pattern.charset
local charset = {}

local LAST = 0x10FFFF

--- Sorted and joined copy of a list of ranges in any order.
---@param ranges integer[]
---@return integer[]
function charset.normalise(ranges)
    local pairs_of = {}
    for i = 1, #ranges, 2 do pairs_of[#pairs_of + 1] = { ranges[i], ranges[i + 1] } end
    table.sort(pairs_of, function(a, b) return a[1] < b[1] end)
    local out = {}
    for _, range in ipairs(pairs_of) do
        if #out > 0 and range[1] <= out[#out] + 1 then
            out[#out] = math.max(out[#out], range[2])
        else
            out[#out + 1] = range[1]
            out[#out + 1] = range[2]
        end
    end
    return out
end

--- Everything that is not in `ranges` (normalised).
---@param ranges integer[]
---@return integer[]
function charset.complement(ranges)
    local out, low = {}, 0
    for i = 1, #ranges, 2 do
        if ranges[i] > low then
            out[#out + 1] = low
            out[#out + 1] = ranges[i] - 1
        end
        low = ranges[i + 1] + 1
    end
    if low <= LAST then
        out[#out + 1] = low
        out[#out + 1] = LAST
    end
    return out
end

--- Appends the ranges of `other` to `ranges`.
---@param ranges integer[]
---@param other integer[]
function charset.append(ranges, other)
    table.move(other, 1, #other, #ranges + 1, ranges)
end

local function in_ranges(ranges, code)
    local low, high = 1, #ranges // 2
    while low <= high do
        local middle = (low + high) // 2
        if code < ranges[2 * middle - 1] then
            high = middle - 1
        elseif code > ranges[2 * middle] then
            low = middle + 1
        else
            return true
        end
    end
    return false
end

--- A table that answers `set[code]`; what was asked once (below 256) is remembered.
---@param ranges integer[] normalised
---@return table<integer, boolean>
function charset.lookup(ranges)
    return setmetatable({}, {
        __index = function(set, code)
            local found = in_ranges(ranges, code)
            if code < 256 then rawset(set, code, found) end
            return found
        end,
    })
end

charset.digits = { 0x30, 0x39 }
charset.word = { 0x30, 0x39, 0x41, 0x5A, 0x5F, 0x5F, 0x61, 0x7A }
charset.space = {
    0x09, 0x0D, 0x20, 0x20, 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029,
    0x202F, 0x202F, 0x205F, 0x205F, 0x3000, 0x3000, 0xFEFF, 0xFEFF,
}
charset.line_ends = { 0x0A, 0x0A, 0x0D, 0x0D, 0x2028, 0x2029 }

return charset
