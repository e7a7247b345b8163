--- Secrets that stand in URLs: what an agent or a log reads shows `***` in their place.
local mask = {}

-- For http whole: a token may be the user's name. For others the password only: `git@host` is no secret.
local function masked(scheme, login)
    if scheme:lower():find("^https?://") then return scheme .. "***@" end
    local user = login:match("^([^:]*):")
    return scheme .. (user and user .. ":***" or login) .. "@"
end

--- The text with the credentials of every URL in it replaced.
---@param text string
---@return string
function mask.text(text)
    return (text:gsub("(%a[%w+.-]*://)([^/%s'\"<>]*)@", masked))
end

return mask
