--- Text of strangers that is shown to people, on a page and in a terminal: what it says stays, what it would do goes.
local text = require("text")

local visible = {}

-- Control characters, and those that turn, hide or join text: from the first to the last of each range.
local ACTING = {
    { 0x00, 0x1F }, { 0x7F, 0x9F }, { 0xAD, 0xAD }, { 0x034F, 0x034F }, { 0x061C, 0x061C }, { 0x115F, 0x1160 },
    { 0x17B4, 0x17B5 }, { 0x180B, 0x180F }, { 0x200B, 0x200B }, { 0x200E, 0x200F }, { 0x2028, 0x202E }, { 0x2060, 0x206F },
    { 0x2800, 0x2800 }, { 0x3164, 0x3164 }, { 0xFEFF, 0xFEFF }, { 0xFFA0, 0xFFA0 }, { 0xFFF0, 0xFFFB },
    { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
}

local function acts(code)
    for _, range in ipairs(ACTING) do
        if code >= range[1] and code <= range[2] then return true end
    end
    return false
end

local function shown(character)
    if character == "\t" or character == "\n" or character == "\r" then return " " end
    return acts(utf8.codepoint(character)) and "?" or character
end

--- Valid UTF-8 in which every character is one that people see.
---@param bytes string
---@return string
function visible.text(bytes)
    local clean = text.clean(bytes)
    if not clean:find("[%c\x7F-\xFF]") then return clean end
    return (clean:gsub(utf8.charpattern, shown))
end

--- A name as it is kept and shown: without blanks around, at most `most` bytes; nil where nothing is left.
---@param bytes string
---@param most integer
---@return string?
function visible.name(bytes, most)
    local cut = text.cut(visible.text(bytes):match("^%s*(.*)$"), most):match("^(.-)%s*$")
    return cut ~= "" and cut or nil
end

return visible
