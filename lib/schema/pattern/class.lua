--- Escapes and bracketed classes of regular expressions: reader to ranges of code points.
local charset = require("schema.pattern.charset")
local unicode = require("schema.pattern.unicode")

local class = {}

local named = {
    d = charset.digits, w = charset.word, s = charset.space,
    D = charset.complement(charset.digits), W = charset.complement(charset.word), S = charset.complement(charset.space),
}
local controls = { t = 9, n = 10, v = 11, f = 12, r = 13 }

local function property(reader, negated)
    local name = reader:match("^{([%w_=]+)}")
    if not name then reader:fail("\\p needs a property in braces, such as \\p{L}") end
    local ranges = unicode.ranges(name)
    if not ranges then
        reader:fail(("unknown property %s; general categories such as L, Lu, Nd or Letter are supported"):format(name))
    end
    return negated and charset.complement(ranges) or ranges
end

local function low_surrogate(reader)
    local low = reader:match("^\\u([Dd][C-Fc-f]%x%x)")
    return low and tonumber(low, 16)
end

local function unicode_escape(reader)
    local long = reader:match("^{(%x+)}")
    local code = tonumber(long or reader:match("^(%x%x%x%x)") or "", 16)
    if not code or code > 0x10FFFF or (long and #long > 8) then reader:fail("\\u needs four hex digits or {…} up to 10FFFF") end
    if not long and code >= 0xD800 and code <= 0xDBFF then
        local low = low_surrogate(reader)
        if low then return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) end
    end
    return code
end

local coded = {
    u = unicode_escape,
    x = function(reader) return tonumber(reader:match("^(%x%x)") or reader:fail("\\x needs two hex digits"), 16) end,
    c = function(reader) return (reader:match("^(%a)") or reader:fail("\\c needs a letter")):byte() % 32 end,
    ["0"] = function(reader) return reader:match("^(%d)") and reader:fail("octal escapes are not supported") or 0 end,
}

local function unknown_escape(reader, letter)
    local hint = (letter == "A" or letter == "Z" or letter == "z") and "; ECMA-262 writes ^ and $" or ""
    reader:fail(("unknown escape \\%s%s"):format(letter, hint))
end

--- Code point of an escape that stands for one character, nil when it stands for a set.
local function single(reader, letter, in_class)
    if controls[letter] then return controls[letter] end
    if coded[letter] then return coded[letter](reader) end
    if in_class and letter == "b" then return 8 end
    if letter:find("^[%w_]") then unknown_escape(reader, letter) end
    return letter:byte()
end

--- Ranges of the escape after a backslash.
---@param reader schema.pattern.Reader
---@param in_class boolean
---@return integer[] ranges
---@return boolean is_set true for \d, \p{…} and their like
function class.escape(reader, in_class)
    local letter = reader:match("^([%g%s])") or reader:fail("a backslash needs a letter or punctuation after it")
    if named[letter] then return named[letter], true end
    if letter == "p" or letter == "P" then return property(reader, letter == "P"), true end
    local code = single(reader, letter, in_class)
    return { code, code }, false
end

local function class_atom(reader)
    if reader.at > #reader.text then reader:fail("a class is not closed: ] is missing") end
    if reader:take("\\") then return class.escape(reader, true) end
    local code = utf8.codepoint(reader.text, reader.at)
    reader.at = reader.at + #utf8.char(code)
    return { code, code }, false
end

local HYPHEN = 0x2D

--- What `low-…` stands for: a range, or three parts when either side is a set.
local function range(reader, low, low_is_set)
    local high, high_is_set = class_atom(reader)
    if low_is_set or high_is_set then
        local parts = { HYPHEN, HYPHEN }
        charset.append(parts, low)
        charset.append(parts, high)
        return parts
    end
    if low[1] > high[1] then reader:fail("a range in a class is out of order") end
    return { low[1], high[1] }
end

--- Ranges of a class, after its opening bracket.
---@param reader schema.pattern.Reader
---@return integer[]
function class.bracket(reader)
    local negated, ranges = reader:take("^"), {}
    while not reader:take("]") do
        local part, is_set = class_atom(reader)
        if reader:peek() == "-" and reader:peek(2) ~= "-]" then
            reader.at = reader.at + 1
            part = range(reader, part, is_set)
        end
        charset.append(ranges, part)
    end
    ranges = charset.normalise(ranges)
    return negated and charset.complement(ranges) or ranges
end

return class
