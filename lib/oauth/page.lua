--- The pages that people see. No script, nothing from elsewhere, no cookie; every value is escaped where it is put in.
local crypto = require("crypto")
local style = require("oauth.style")
local text = require("text")
local visible = require("oauth.visible")

local page = {}

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;" }

--- Text as it may stand in HTML, in an attribute too.
function page.escape(value) return (visible.text(value):gsub("[&<>\"']", ENTITIES)) end

-- Puts escaped values into {name}; {{name}} takes HTML as it is.
local function fill(template, values)
    local filled = template:gsub("{{(%w+)}}", function(name) return "\1" .. name .. "\2" end)
    filled = filled:gsub("{(%w+)}", function(name) return page.escape(values[name]) end)
    return (filled:gsub("\1(%w+)\2", function(name) return values[name] or "" end))
end
page.fill = fill

local DOCUMENT = [[
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style nonce="{nonce}">{{style}}</style>
</head>
<body>
<main>
<p class="brand"><svg viewBox="0 0 28 28" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"
aria-hidden="true">
<path d="M3 9.5h13.5a3.5 3.5 0 1 0-3.4-4.4M3 14.5h18.2a3.6 3.6 0 1 1-3.5 4.5M3 19.5h8.6a2.9 2.9 0 1 1-2.8 3.6"/></svg>
<span><b>Sandstorm</b>{where}</span></p>
{{content}}
</main>
</body>
</html>
]]

-- No form-action: it would also block the way back to the client, which is a redirect of the form's answer.
local POLICY = "default-src 'none'; style-src 'nonce-%s'; base-uri 'none'; frame-ancestors 'none'"

local function headers(nonce, more)
    local all = {
        ["Content-Type"] = "text/html; charset=utf-8",
        ["Content-Security-Policy"] = POLICY:format(nonce),
        ["X-Frame-Options"] = "DENY",
        ["X-Content-Type-Options"] = "nosniff",
        ["Referrer-Policy"] = "same-origin",
        ["Cache-Control"] = "no-store",
        ["Pragma"] = "no-cache",
    }
    for name, value in pairs(more or {}) do all[name] = value end
    return all
end

local function host_of(origin) return origin and " on " .. origin:match("^%a+://(.*)$") or "" end

--- A whole answer: status, body and headers.
---@param status integer
---@param origin? string of this server
---@param title string
---@param content string HTML
---@param more? table<string, string> headers
function page.answer(status, origin, title, content, more)
    local nonce = crypto.random_text(16)
    local body = fill(DOCUMENT, {
        title = title, nonce = nonce, style = style, where = host_of(origin), content = content,
    })
    return status, body, headers(nonce, more)
end

local MESSAGE = [[
<h1>{heading}</h1>
<p>{what}</p>
{{more}}
]]

local ADVICE, DETAIL, DETAIL_MAX = '<p class="soft">{advice}</p>', '<p class="detail" dir="ltr">{detail}</p>\n', 160

-- What a stranger wrote, shortened where it is long.
local function detail_of(message)
    local detail = message.detail
    if not detail then return "" end
    return fill(DETAIL, { detail = #detail <= DETAIL_MAX and detail or text.cut(detail, DETAIL_MAX) .. "…" })
end

---@class oauth.Message
---@field status integer
---@field heading string
---@field what string
---@field detail? string of a stranger, such as an address
---@field advice? string what to do now
---@field headers? table<string, string>

--- A page that tells something.
---@param origin? string
---@param message oauth.Message
function page.message(origin, message)
    local more = detail_of(message) .. (message.advice and fill(ADVICE, message) or "")
    local content = fill(MESSAGE, { heading = message.heading, what = message.what, more = more })
    return page.answer(message.status, origin, message.heading .. " · Sandstorm", content, message.headers)
end

return page
