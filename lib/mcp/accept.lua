--- The Accept header, read leniently: what is not there, or names neither of our media types in any form, decides.
local accept = {}

---@class mcp.Accept
---@field json boolean
---@field stream boolean

local JSON = { ["application/json"] = true, ["application/*"] = true, ["*/*"] = true }
local STREAM = { ["text/event-stream"] = true, ["text/*"] = true, ["*/*"] = true }

local function is_refused(range) return range:find(";%s*q%s*=%s*0%.?0*%s*$") ~= nil or range:find(";%s*q%s*=%s*0%.?0*%s*;") ~= nil end

--- What a client takes. Without the header, or with an empty one, anything.
---@param header string?
---@return mcp.Accept
function accept.read(header)
    if not header or not header:find("%S") then return { json = true, stream = false } end
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

return accept
