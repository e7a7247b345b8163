--- Arguments as the audit log keeps them: who did what, without secrets and without the bulk.
local json = require("json")
local text = require("text")

local redact = {}

local HIDDEN = "[redacted]"
local TEXT_BYTES, ITEMS, DEPTH = 256, 20, 4

local SECRET_NAMES = {
    "token", "secret", "password", "passwd", "passphrase", "apikey", "api_key", "api-key", "authorization", "credential",
    "private_key", "cookie",
}

local function names_a_secret(name)
    local lower = name:lower()
    for _, word in ipairs(SECRET_NAMES) do
        if lower:find(word, 1, true) then return true end
    end
    return false
end

-- What looks like a secret inside of a text: an assignment, an option, a header, the credentials of a URL, known forms.
local function mask_assignment(name, mark, value)
    return names_a_secret(name) and name .. mark .. HIDDEN or name .. mark .. value
end

local function mask(value)
    value = value:gsub("([%w_%-]+)(=)([^%s&;]+)", mask_assignment)
    value = value:gsub("(%-%-[%w%-]+)(%s+)([^%s%-]%S*)", mask_assignment)
    value = value:gsub("([%w%-]+)(:%s*)([^%s\"']+[^\"'\n]*)", mask_assignment)
    value = value:gsub("([Bb]earer%s+)[%w%-._~+/=]+", "%1" .. HIDDEN)
    value = value:gsub("(://)[^/%s@]+@", "%1" .. HIDDEN .. "@")
    value = value:gsub("%f[%w]gh[pousr]_%w+", HIDDEN):gsub("%f[%w]github_pat_[%w_]+", HIDDEN)
    return (value:gsub("%f[%w]sk%-[%w_%-]+", HIDDEN):gsub("%f[%w]AKIA%w+", HIDDEN))
end

local function short(value)
    local clean = mask((text.clean(text.cut(value, 4 * TEXT_BYTES))))
    if #value <= TEXT_BYTES then return clean end
    return ("%s… (%d bytes)"):format(text.cut(clean, TEXT_BYTES), #value)
end

local plain

local function list(values, depth)
    local kept = json.array({})
    for position = 1, math.min(#values, ITEMS) do kept[position] = plain(values[position], depth) end
    if #values > ITEMS then kept[ITEMS + 1] = ("… (%d items)"):format(#values) end
    return kept
end

local function object(values, depth)
    local names, kept = {}, {}
    for name in pairs(values) do names[#names + 1] = tostring(name) end
    table.sort(names)
    for position = 1, math.min(#names, ITEMS) do
        local name = names[position]
        kept[short(name)] = names_a_secret(name) and HIDDEN or plain(values[name], depth)
    end
    return json.object(kept)
end

function plain(value, depth)
    if type(value) == "string" then return short(value) end
    if type(value) == "number" and (value ~= value or math.abs(value) == math.huge) then return tostring(value) end
    if type(value) ~= "table" then return value end
    if depth == 0 then return "…" end
    return (json.is_array(value) and list or object)(value, depth - 1)
end

--- A copy to be kept.
---@param arguments any what JSON can hold
---@return any
function redact.copy(arguments) return plain(arguments, DEPTH) end

return redact
