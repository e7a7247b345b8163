--- `sandstorm-mcp token`: what operators do with grants.
local artifact = require("oauth.artifact")
local clock = require("clock")
local crypto = require("crypto")
local family = require("oauth.family")
local grants = require("grants")
local host = require("host")
local uri = require("oauth.uri")
local visible = require("oauth.visible")

local cli = {}

local USAGE = [[
sandstorm-mcp token secret             print a new random secret, for SANDSTORM_MCP_TOKEN
sandstorm-mcp token generate NAME [DAYS] [URL]
                                       print an access token for a script, which can be revoked alone (default: 90 days,
                                       the public URL, or http://127.0.0.1 with the port)
sandstorm-mcp token list               who has access: client, first and last use
sandstorm-mcp token revoke ID          end one grant
sandstorm-mcp token revoke all         end all of them, and every token of v0.1.0

What is revoked is refused at its next request; the server need not be restarted. Use the settings, above all
SANDSTORM_STATE_DIR, and the user of the server, or root.]]

local DAY_S, NAME_MAX = 86400, 100
local HEADINGS = { "ID", "CLIENT", "CODE WENT TO", "FIRST USE (UTC)", "LAST USE (UTC)", "ENDS" }
local ALL_REVOKED = "All grants are revoked. The secret itself is still a bearer: change it if others know it."

local function date(seconds) return seconds > 0 and os.date("!%Y-%m-%d %H:%M", seconds) or "never" end

local function row(grant)
    local ended = grant.revoked and "revoked" or (grant.finish > 0 and grant.finish < artifact.now() and "expired")
    return {
        grant.id, visible.text(grant.name), visible.text(grant.where), date(grant.start_ms // 1000), date(grant.used),
        ended or date(grant.finish),
    }
end

local function width(cell) return utf8.len(cell) or #cell end

-- Rows as lines: every column as wide as its widest cell.
local function aligned(rows)
    local widths, lines = {}, {}
    for _, cells in ipairs(rows) do
        for column, cell in ipairs(cells) do widths[column] = math.max(widths[column] or 0, width(cell)) end
    end
    for number, cells in ipairs(rows) do
        local parts = {}
        for column, cell in ipairs(cells) do parts[column] = cell .. (" "):rep(widths[column] - width(cell)) end
        lines[number] = table.concat(parts, "  "):match("^(.-) *$")
    end
    return table.concat(lines, "\n")
end

local commands = {}

function commands.secret() return true, crypto.random_text(32) end

function commands.list()
    local all, why = grants.list()
    if not all then return false, why end
    if #all == 0 then return true, "No grants." end
    table.sort(all, function(a, b) return a.start_ms < b.start_ms end)
    local rows = { HEADINGS }
    for position, grant in ipairs(all) do rows[position + 1] = row(grant) end
    return true, aligned(rows)
end

local function unknown(id, all)
    for _, grant in ipairs(all) do
        if id ~= "" and grant.id:sub(1, #id) == id then
            return ("revoke: there is no grant %q; did you mean %s (%s)?"):format(id, grant.id, visible.text(grant.name))
        end
    end
    return ("revoke: there is no grant %q; see `sandstorm-mcp token list`"):format(visible.text(id))
end

function commands.revoke(id)
    if not id then return false, "revoke: expected an id of `sandstorm-mcp token list`, or all" end
    if id == "all" then
        local done, why = grants.revoke_all(clock.now_ms())
        return done, done and ALL_REVOKED or why
    end
    local all, why = grants.list()
    if not all then return false, why end
    for _, grant in ipairs(all) do
        if grant.id == id then
            if grant.revoked then return true, "Was revoked before: " .. visible.text(grant.name) end
            local done
            done, why = grants.revoke(id)
            return done, done and "Revoked: " .. visible.text(grant.name) or why
        end
    end
    return false, unknown(id, all)
end

local function default_url()
    local url = host.setting("public_url")
    return url ~= "" and url or ("http://127.0.0.1:%d"):format(host.setting("port"))
end

-- The address of a server as tokens hold it; nil for what is none.
local function origin_of(url)
    local parsed = uri.parse(url)
    local web = parsed and parsed.host and (parsed.scheme == "https" or parsed.scheme == "http")
    if not web or parsed.query or parsed.path:gsub("^/$", "") ~= "" then return nil end
    return (url:gsub("/$", ""))
end

-- What a token for a script is made of; nil and what is wrong with the words.
local function wanted(name, days, url)
    local shown = name and visible.name(name, NAME_MAX)
    if not shown then return nil, "generate: expected a name for the list of grants" end
    local count = tonumber((days or "90"):match("^%d+$"))
    if not count or count < 1 or count > 3650 then return nil, "generate: DAYS: expected a whole number from 1 to 3650" end
    local origin = origin_of(url or default_url())
    if not origin then return nil, "generate: URL: expected the server's, without a path, such as https://mcp.example.com" end
    return {
        origin = origin, name = shown, where = "command line", client = "-", scope = "mcp", seconds = count * DAY_S,
    }
end

function commands.generate(...)
    local from, why = wanted(...)
    if not from then return false, why end
    if not crypto.subkey("oauth access 1") then return false, "generate: set SANDSTORM_MCP_TOKEN as for the server" end
    local made
    made, why = family.begin(from)
    if why then return false, "generate: " .. why .. "; a token that is not in it could not be revoked" end
    return true, family.access(made, from.seconds)
end

local MOST_WORDS = { secret = 0, list = 0, revoke = 1, generate = 3 }

--- Runs a command; like a tool of the command line it returns whether it worked and what to print.
---@param words string[]
---@return boolean
---@return string
function cli.run(words)
    local name = words[1]
    if name == nil then return true, USAGE end
    if not commands[name] then return false, ("token: there is no command %q\n\n%s"):format(visible.text(name), USAGE) end
    if #words - 1 > MOST_WORDS[name] then
        return false, ("%s: one word too many: %q\n\n%s"):format(name, visible.text(words[MOST_WORDS[name] + 2]), USAGE)
    end
    return commands[name](table.unpack(words, 2))
end

return cli
