--- Formats that are cheap to check exactly; used only where `format` is asserted. Others stay annotations.
---@type table<string, fun(text: string): boolean>
local formats = {}

local pattern = require("schema.pattern")

local month_days = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 }

local function is_leap(year)
    return year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0)
end

function formats.date(text)
    local year, month, day = text:match("^(%d%d%d%d)%-(%d%d)%-(%d%d)$")
    year, month, day = tonumber(year), tonumber(month), tonumber(day)
    if not year or month < 1 or month > 12 or day < 1 or day > month_days[month] then return false end
    return month ~= 2 or day < 29 or is_leap(year)
end

local function offset_minutes(zone)
    if zone:find("^[zZ]$") then return 0 end
    local sign, hour, minute = zone:match("^([+-])(%d%d):(%d%d)$")
    hour, minute = tonumber(hour), tonumber(minute)
    if not hour or hour > 23 or minute > 59 then return nil end
    return (sign == "-" and -1 or 1) * (hour * 60 + minute)
end

--- A leap second is 23:59:60 in UTC.
function formats.time(text)
    local hour, minute, second, fraction, zone = text:match("^(%d%d):(%d%d):(%d%d)(%.?%d*)([zZ+-].*)$")
    hour, minute, second = tonumber(hour), tonumber(minute), tonumber(second)
    if not hour or hour > 23 or minute > 59 or second > 60 or fraction == "." then return false end
    if fraction ~= "" and fraction:sub(1, 1) ~= "." then return false end
    local offset = offset_minutes(zone)
    if not offset then return false end
    return second < 60 or (hour * 60 + minute - offset) % 1440 == 1439
end

formats["date-time"] = function(text)
    local date, time = text:match("^([^tT]*)[tT](.*)$")
    return date ~= nil and formats.date(date) and formats.time(time)
end

function formats.ipv4(text)
    local parts = { text:match("^(%d+)%.(%d+)%.(%d+)%.(%d+)$") }
    for _, part in ipairs(parts) do
        if tonumber(part) > 255 or part:find("^0%d") then return false end
    end
    return #parts == 4
end

--- Groups of one side of `::`, nil when one is wrong; an IPv4 tail counts twice.
local function groups_of(side, may_end_in_ipv4)
    if side == "" then return 0 end
    local count, parts = 0, {}
    for part in (side .. ":"):gmatch("([^:]*):") do parts[#parts + 1] = part end
    for i, part in ipairs(parts) do
        if part:find("^%x%x?%x?%x?$") then
            count = count + 1
        elseif i == #parts and may_end_in_ipv4 and formats.ipv4(part) then
            count = count + 2
        else
            return nil
        end
    end
    return count
end

function formats.ipv6(text)
    if #text > 45 then return false end
    local left, right = text:match("^(.-)::(.*)$")
    if not left then return groups_of(text, true) == 8 end
    local before, after = groups_of(left, false), groups_of(right, true)
    return before ~= nil and after ~= nil and before + after < 8
end

function formats.uuid(text)
    return text:find("^" .. ("%x"):rep(8) .. ("%-" .. ("%x"):rep(4)):rep(3) .. "%-" .. ("%x"):rep(12) .. "$") ~= nil
end

function formats.hostname(text)
    if #text > 253 or text == "" then return false end
    for label in (text .. "."):gmatch("([^.]*)%.") do
        local fits = #label <= 63 and label:find("^%w[%w-]*$") and label:sub(-1) ~= "-"
        if not fits or (label:find("^..%-%-") and not label:find("^[xX][nN]%-%-.")) then return false end
    end
    return true
end

local function is_mailbox(name)
    if #name > 64 then return false end
    if name:find('^".*"$') then return not name:sub(2, -2):gsub("\\.", ""):find('["\\%c]') end
    local is_dotted = not (name:find("^%.") or name:find("%.$") or name:find("..", 1, true))
    return is_dotted and name:find("^[%w!#$%%&'*+/=?^_`{|}~.-]+$") ~= nil
end

--- local@domain, without comments.
function formats.email(text)
    local name, domain = text:match("^(.+)@([^@]+)$")
    if not name or not is_mailbox(name) then return false end
    local literal = domain:match("^%[(.*)%]$")
    if not literal then return formats.hostname(domain) end
    return formats.ipv4(literal) or formats.ipv6(literal:match("^IPv6:(.*)$") or "")
end

local function is_uri_text(text)
    return not text:find("[^%w%-._~:/?#%[%]@!$&'()*+,;=%%]") and not text:find("%%%X") and not text:find("%%%x%X")
        and not text:find("%%%x?$") and not text:find("#.*#")
end

local function authority_fits(text)
    local authority = text:match("^%a[%w+.-]*://([^/?#]*)") or text:match("^//([^/?#]*)")
    if not authority then return not text:gsub("[?#].*", ""):find("[%[%]]") end
    local host = authority:match("^[^@%[%]]*@(.*)$") or authority
    if host:find("@", 1, true) then return false end
    local literal = host:match("^%[([%x:.]+)%]:?%d*$")
    return literal ~= nil and formats.ipv6(literal) or host:find("^[^:%[%]]*:?%d*$") ~= nil
end

function formats.uri(text)
    return text:find("^%a[%w+.-]*:") ~= nil and is_uri_text(text) and authority_fits(text)
end

formats["uri-reference"] = function(text)
    if not is_uri_text(text) or not authority_fits(text) then return false end
    local first = text:match("^([^/?#]*)")
    return not first:find(":", 1, true) or first:find("^%a[%w+.-]*:") ~= nil
end

formats["json-pointer"] = function(text)
    return (text == "" or text:sub(1, 1) == "/") and not text:find("~[^01]") and not text:find("~$")
end

local is_duration = pattern.compile("^P(?!$)(\\d+W|(\\d+Y(\\d+M(\\d+D)?)?|\\d+M(\\d+D)?|\\d+D)?"
    .. "(T(\\d+H(\\d+M(\\d+S)?)?|\\d+M(\\d+S)?|\\d+S))?)$")

function formats.duration(text)
    return is_duration(text)
end

function formats.regex(text)
    return pattern.compile(text) ~= nil
end

return formats
