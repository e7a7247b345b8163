--- Secrets that stand in URLs: what an agent or a log reads shows `***` in their place. What is masked may be of any
--- length and come from anybody: every byte is looked at a fixed number of times.
local mask = {}

local LONGEST_SCHEME = 64 -- bytes
local MARK = "://[^/%s<>@]*@" -- found without a turn of Lua for each URL that has no login

-- For http whole: a token may be the user's name. For others the password only: `git@host` is no secret.
local function hidden(scheme, login)
    if scheme:lower():find("https?$") then return "***@" end
    local user = login:match("^([^:]*):")
    return (user and user .. ":***@") or login
end

-- What stands before the host from `position` on, up to the last @. A quote may belong to a password, unless it ends
-- something, as in `"https://host","a@b"`.
local function login_at(text, position)
    local run = text:match("^[^/%s<>]*", position)
    run = run:match("^(.-)['\"][,:;%])}]") or run
    return run:match("^.*@")
end

--- The text with the credentials of every URL in it replaced.
---@param text string
---@return string
function mask.text(text)
    local pieces, done, mark = {}, 0, text:find(MARK)
    while mark do
        local scheme = text:sub(math.max(done + 1, mark - LONGEST_SCHEME), mark - 1):match("%a[%w+.-]*$")
        local login = scheme and login_at(text, mark + 3)
        if login then
            table.move({ text:sub(done + 1, mark + 2), hidden(scheme, login) }, 1, 2, #pieces + 1, pieces)
            done = mark + 2 + #login
        end
        mark = text:find(MARK, mark + 3)
    end
    return pieces[1] and table.concat(pieces) .. text:sub(done + 1) or text
end

--- A text that is one URL, path or name: as mask.text, also where somebody forgot to write a secret's / as %2F.
---@param url string
---@return string
function mask.url(url)
    local start, word, rest = url:match("^([%w+.-]+://)[^/@:%[]*:([^/@]*)(/.*)$")
    local host = start and not word:find("^%d*$") and rest:match("^.*@()") -- digits alone are a port
    return host and start .. "***@" .. rest:sub(host) or mask.text(url)
end

return mask
