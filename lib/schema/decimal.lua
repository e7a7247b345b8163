--- Exact divisibility of JSON numbers, which are decimals: 0.0075 is a multiple of 0.0001, 1e308 is none of 0.123456789.
local MAX_DIGITS = 10 ^ 17

--- Shortest decimal of a finite number: digits (an integer without trailing zeros) and power of ten.
local function split(number)
    local text
    for precision = 15, 17 do
        text = ("%." .. precision - 1 .. "e"):format(number)
        if tonumber(text) == number then break end
    end
    local whole, fraction, exponent = text:match("^(%d)%.?(%d*)e([+-]%d+)$")
    local digits, power = math.tointeger(tonumber(whole .. fraction)), tonumber(exponent) - #fraction
    while digits ~= 0 and digits % 10 == 0 do
        digits, power = digits // 10, power + 1
    end
    return digits, math.tointeger(power)
end

local function divides(number, divisor)
    local digits, power = split(number)
    local by, by_power = split(divisor)
    if digits == 0 then return true end
    if power < by_power then return false end
    local rest = digits % by
    for _ = 1, power - by_power do
        if rest == 0 then return true end
        rest = rest * 10 % by
    end
    return rest == 0
end

--- Tells whether `number` is a whole multiple of `divisor`.
---@param number number finite
---@param divisor number finite, > 0
---@return boolean
return function(number, divisor)
    local whole, whole_divisor = math.tointeger(number), math.tointeger(divisor)
    if whole and whole_divisor then return whole % whole_divisor == 0 end
    if whole and (whole > MAX_DIGITS or whole < -MAX_DIGITS) or divisor > MAX_DIGITS then
        return math.fmod(number, divisor) == 0
    end
    return divides(math.abs(number), divisor)
end
