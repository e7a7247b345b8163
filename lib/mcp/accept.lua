--- The Accept header, read leniently: what is not there, or names neither of our media types in any form, decides.
local accept = {}

---@class mcp.Accept
---@field json boolean
---@field stream boolean

local JSON = { ["application/json"] = true, ["application/*"] = true, ["*/*"] = true }
local STREAM = { ["text/event-stream"] = true, ["text/*"] = true, ["*/*"] = true }

local ANYTHING = { json = true, stream = false }

local function is_refused(range) return (range .. ";"):find(";%s*q%s*=%s*0%.?0*%s*;") ~= nil end

local function parse(header)
    local takes = { json = false, stream = false }
    for range in header:lower():gmatch("[^,]+") do
        local media = range:match("^%s*([^%s;]+)")
        if media and not is_refused(range) then
            takes.json = takes.json or JSON[media] == true
            takes.stream = takes.stream or STREAM[media] == true
        end
    end
    return takes
end

-- Clients send the same few headers again and again.
local parsed, count = {}, 0
local PARSED_MAX = 100

--- What a client takes. Without the header, or with an empty one, anything.
---@param header string?
---@return mcp.Accept
function accept.read(header)
    if not header then return ANYTHING end
    local takes = parsed[header]
    if takes then return takes end
    takes = header:find("%S") and parse(header) or ANYTHING
    if count < PARSED_MAX then parsed[header], count = takes, count + 1 end
    return takes
end

return accept
