--- Values that an agent gives and git gets as arguments: none of them may become an option, a second argument, or a
--- command of a transport. Each function returns the value (nil for "not given") or ends the call with a message.
local fail = require("fail")
local names = require("names")

local check = {}

local LONGEST = 4096 -- bytes; longer ones name nothing and only cost time

local function refuse(argument, expected, got) fail.raise(("%s: expected %s, got %s"):format(argument, expected, got)) end

-- Control characters are in no ref, URL or remote that git takes.
local function word(argument, value, expected)
    if value == nil or value == "" then return nil end
    if value:find("\0", 1, true) then refuse(argument, expected, "a value with a NUL byte") end
    if value:find("[\1-\31\127]") then refuse(argument, expected, "a value with a line break or control character") end
    if #value > LONGEST then refuse(argument, expected, ("%d bytes; at most %d are taken"):format(#value, LONGEST)) end
    if value:sub(1, 1) == "-" then refuse(argument, expected, ('"%s", which begins with "-" like an option'):format(value)) end
    return value
end

--- A branch, tag, commit, range or refspec.
---@param argument string name of the argument, for the message
---@param value? string
---@return string?
function check.revision(argument, value) return word(argument, value, "a branch, tag or commit") end

--- What is to be fetched into a repository: nothing that would put away local commits.
---@param argument string
---@param value? string
---@return string?
function check.fetched(argument, value)
    value = check.revision(argument, value)
    if value and value:sub(1, 1) == "+" then
        refuse(argument, "a branch", ('"%s", where + lets a local branch be overwritten'):format(value))
    end
    return value
end

--- A URL or path of a repository, or the name of a remote.
---@param argument string
---@param value? string
---@return string?
function check.source(argument, value)
    value = word(argument, value, "a URL, or the name of a remote")
    local transport = value and value:match("^([%w][%w+.-]*)::")
    if transport then
        fail.raise(('%s: the transport "%s::" can run any command and is refused'):format(argument, transport))
    end
    return value
end

--- A list of paths as git takes them; names that are not UTF-8 may be given as listed.
---@param argument string
---@param values? string[]
---@return string[]
function check.paths(argument, values)
    local paths = {}
    for position, value in ipairs(values or {}) do
        local label = ("%s[%d]"):format(argument, position)
        if value == "" then refuse(label, "a path", 'an empty text; "." is the directory itself') end
        if value:find("\0", 1, true) then refuse(label, "a path", "a value with a NUL byte") end
        if #value > LONGEST then refuse(label, "a path", ("%d bytes"):format(#value)) end
        paths[position] = names.read(value)
    end
    return paths
end

return check
