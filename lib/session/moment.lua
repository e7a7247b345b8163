--- Points in time, as microseconds since 1970 and as the texts of the session database: `2026-11-30T12:00:00Z`, with six
--- decimals where there is a fraction of a second.
local clock = require("clock")

local moment = {}

moment.SECOND = 1000000
moment.MINUTE = 60 * moment.SECOND
moment.HOUR = 60 * moment.MINUTE

---@return integer
function moment.now() return math.floor(clock.now_ms()) * 1000 end

--- The last whole second.
---@param point integer
---@return integer
function moment.whole(point) return point - point % moment.SECOND end

---@param point integer
---@return string
function moment.text(point)
    local fraction = point % moment.SECOND
    local seconds = os.date("!%Y-%m-%dT%H:%M:%S", point // moment.SECOND)
    return fraction == 0 and seconds .. "Z" or ("%s.%06dZ"):format(seconds, fraction)
end

--- The same with six decimals in any case: texts of one length compare as the points do.
---@param point integer
---@return string
function moment.bound(point)
    return ("%s.%06dZ"):format(os.date("!%Y-%m-%dT%H:%M:%S", point // moment.SECOND), point % moment.SECOND)
end

-- Days from 1970-01-01 to a date of the Gregorian calendar, years counted from March.
local function days(year, month, day)
    if month <= 2 then year, month = year - 1, month + 12 end
    local leaps = year // 4 - year // 100 + year // 400
    return 365 * year + leaps + (153 * (month - 3) + 2) // 5 + day - 719469
end

--- Reads such a text; nil for another.
---@param text string
---@return integer?
function moment.read(text)
    local year, month, day, hour, minute, second, fraction =
        text:match("^(%d%d%d%d)%-(%d%d)%-(%d%d)T(%d%d):(%d%d):(%d%d)%.?(%d*)Z$")
    if not year then return nil end
    local function number(digits) return math.tointeger(tonumber(digits)) end
    local whole = ((days(number(year), number(month), number(day)) * 24 + number(hour)) * 60 + number(minute)) * 60
    return (whole + number(second)) * moment.SECOND + number((fraction .. "000000"):sub(1, 6))
end

return moment
