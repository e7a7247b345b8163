--- Ranges of code points by Unicode property, for \p{…}: general categories, their groups, ASCII and Any.
---@class schema.pattern.unicode
local unicode = {}

local charset = require("schema.pattern.charset")

local long_names = {
    Letter = "L", Cased_Letter = "LC", Uppercase_Letter = "Lu", Lowercase_Letter = "Ll", Titlecase_Letter = "Lt",
    Modifier_Letter = "Lm", Other_Letter = "Lo", Mark = "M", Nonspacing_Mark = "Mn", Spacing_Mark = "Mc",
    Enclosing_Mark = "Me", Number = "N", Decimal_Number = "Nd", Letter_Number = "Nl", Other_Number = "No",
    Punctuation = "P", Connector_Punctuation = "Pc", Dash_Punctuation = "Pd", Open_Punctuation = "Ps",
    Close_Punctuation = "Pe", Initial_Punctuation = "Pi", Final_Punctuation = "Pf", Other_Punctuation = "Po",
    Symbol = "S", Math_Symbol = "Sm", Currency_Symbol = "Sc", Modifier_Symbol = "Sk", Other_Symbol = "So",
    Separator = "Z", Space_Separator = "Zs", Line_Separator = "Zl", Paragraph_Separator = "Zp", Other = "C",
    Control = "Cc", Format = "Cf", Surrogate = "Cs", Private_Use = "Co", Unassigned = "Cn", punct = "P", digit = "Nd",
    cntrl = "Cc", Combining_Mark = "M",
}

local function wanted_letters(data, name)
    local letters = {}
    for i, category in ipairs(data.order.names) do
        local cased = name == "LC" and (category == "Lu" or category == "Ll" or category == "Lt")
        if category == name or category:sub(1, 1) == name or cased then letters[data.order.letters:sub(i, i)] = true end
    end
    return letters
end

local function category_ranges(name)
    local data = require("schema.pattern.unicode_data")
    local letters = wanted_letters(data, name)
    if not next(letters) then return nil end
    local ranges, at = {}, 0
    for length, letter in data.runs:gmatch("(%d*)(%a)") do
        local after = at + (tonumber(length) or 1)
        if letters[letter] then charset.append(ranges, { at, after - 1 }) end
        at = after
    end
    return charset.normalise(ranges)
end

--- Ranges of a property as it stands between the braces of \p{…}.
---@param property string e.g. "L", "Letter", "gc=Lu", "ASCII"
---@return integer[]? ranges nil for a property that is not known here
function unicode.ranges(property)
    if property == "Any" then return { 0, 0x10FFFF } end
    if property == "ASCII" then return { 0, 0x7F } end
    local name = property:match("^gc=(.+)$") or property:match("^General_Category=(.+)$") or property
    return category_ranges(long_names[name] or name)
end

return unicode
