--- Reader of ECMA-262 regular expressions (u-mode): text to a tree.
---
--- Nodes: {type="set", ranges=}, {type="cat", …}, {type="alt", …}, {type="repeat", item, min=, max=},
--- {type="at", place="start"|"end"|"word"|"inside"}, {type="look", item, behind=, negative=}.
--- More lenient than u-mode, as patterns in the wild are: any punctuation may be escaped, and `]`, `{`, `}`, the `-` in
--- [\w-.] stand for themselves where they cannot mean anything else. Back references are refused: no automaton has them.
local class = require("schema.pattern.class")
local charset = require("schema.pattern.charset")

local MAX_NESTING = 200
local MAX_COUNT = 10000

---@class schema.pattern.Reader
---@field text string
---@field at integer next byte
---@field depth integer open groups
local Reader = {}
Reader.__index = Reader

function Reader:fail(what)
    error({ message = ("%s (at byte %d)"):format(what, self.at) }, 0)
end

function Reader:peek(length)
    return self.text:sub(self.at, self.at + (length or 1) - 1)
end

function Reader:take(wanted)
    if self.text:sub(self.at, self.at + #wanted - 1) ~= wanted then return false end
    self.at = self.at + #wanted
    return true
end

--- Takes what a Lua pattern (anchored with ^) captures at this place.
function Reader:match(pattern)
    local first, last, a, b = self.text:find(pattern, self.at)
    if not first then return nil end
    self.at = last + 1
    return a, b
end

local function group_kind(reader)
    if reader:take("?:") then return {} end
    if reader:take("?=") then return { type = "look" } end
    if reader:take("?!") then return { type = "look", negative = true } end
    if reader:take("?<=") then return { type = "look", behind = true } end
    if reader:take("?<!") then return { type = "look", behind = true, negative = true } end
    if reader:match("^%?<([%a_$][%w_$]*)>") then return {} end
    if reader:peek() == "?" then
        reader:fail("a group may start with (?: (?= (?! (?<= (?<! or (?<name>, not with (" .. reader:peek(2))
    end
    return {}
end

local function group(reader)
    reader.depth = reader.depth + 1
    if reader.depth > MAX_NESTING then reader:fail("groups are nested too deep") end
    local kind = group_kind(reader)
    local inner = reader:alternatives()
    if not reader:take(")") then reader:fail("a group is not closed: ) is missing") end
    reader.depth = reader.depth - 1
    if not kind.type then return inner end
    kind[1] = inner
    return kind
end

local places = { b = "word", B = "inside" }

local function escape(reader)
    local letter = reader:peek()
    if places[letter] then
        reader.at = reader.at + 1
        return { type = "at", place = places[letter] }
    end
    if letter:find("[1-9k]") then reader:fail("back references are not supported") end
    return { type = "set", ranges = class.escape(reader, false) }
end

local starters = {
    ["("] = group,
    ["["] = function(reader) return { type = "set", ranges = class.bracket(reader) } end,
    ["\\"] = escape,
    ["."] = function() return { type = "set", ranges = charset.complement(charset.line_ends) } end,
    ["^"] = function() return { type = "at", place = "start" } end,
    ["$"] = function() return { type = "at", place = "end" } end,
    ["*"] = function(reader) reader:fail("nothing to repeat before *") end,
    ["+"] = function(reader) reader:fail("nothing to repeat before +") end,
    ["?"] = function(reader) reader:fail("nothing to repeat before ?") end,
}

local function atom(reader)
    local start = starters[reader:peek()]
    if start then
        reader.at = reader.at + 1
        return start(reader)
    end
    local code = utf8.codepoint(reader.text, reader.at)
    reader.at = reader.at + #utf8.char(code)
    return { type = "set", ranges = { code, code } }
end

local function braces(reader)
    local exact = reader:match("^{(%d+)}")
    if exact then return tonumber(exact), tonumber(exact) end
    local low, high = reader:match("^{(%d+),(%d*)}")
    if low then return tonumber(low), high == "" and math.huge or tonumber(high) end
end

local function quantifier(reader)
    if reader:take("*") then return 0, math.huge end
    if reader:take("+") then return 1, math.huge end
    if reader:take("?") then return 0, 1 end
    return braces(reader)
end

local function repeated(reader)
    local item = atom(reader)
    local min, max = quantifier(reader)
    if not min then return item end
    if item.type == "at" or item.type == "look" then reader:fail("an assertion cannot be repeated") end
    if min > max then reader:fail("a repetition's numbers are out of order") end
    if min > MAX_COUNT or (max > MAX_COUNT and max ~= math.huge) then
        reader:fail(("a repetition of more than %d is not supported (minLength and maxLength are)"):format(MAX_COUNT))
    end
    reader:take("?")
    return { type = "repeat", item, min = min, max = max }
end

local function sequence(reader)
    local items = { type = "cat" }
    while reader.at <= #reader.text and not reader:peek():find("^[|)]") do items[#items + 1] = repeated(reader) end
    return #items == 1 and items[1] or items
end

function Reader:alternatives()
    local branches = { type = "alt" }
    repeat branches[#branches + 1] = sequence(self) until not self:take("|")
    return #branches == 1 and branches[1] or branches
end

local function whole(text)
    local reader = setmetatable({ text = text, at = 1, depth = 0 }, Reader)
    local tree = reader:alternatives()
    if reader.at <= #text then reader:fail("a ) has no (") end
    return tree
end

--- Tree of a regular expression.
---@param text string
---@return table? tree
---@return string? problem
return function(text)
    if not utf8.len(text) then return nil, "not valid UTF-8" end
    local ok, result = pcall(whole, text)
    if ok then return result end
    if type(result) == "table" and result.message then return nil, result.message end
    error(result, 0)
end
