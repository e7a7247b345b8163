--- `sandstorm-mcp token`: what operators do with grants.
local artifact = require("oauth.artifact")
local clock = require("clock")
local crypto = require("crypto")
local family = require("oauth.family")
local grants = require("grants")
local host = require("host")

local cli = {}

local USAGE = [[
sandstorm-mcp token secret             print a new random secret, for SANDSTORM_MCP_TOKEN
sandstorm-mcp token generate NAME [DAYS] [URL]
                                       print an access token for a script, which can be revoked alone (default: 90 days,
                                       the public URL, or http://127.0.0.1 with the port)
sandstorm-mcp token list               who has access: client, first and last use
sandstorm-mcp token revoke ID          end one grant
sandstorm-mcp token revoke all         end all of them, and every token of v0.1.0]]

local DAY_S = 86400
local ROW = "%-24s %-28s %-26s %-16s  %-16s  %s"
local ALL_REVOKED = "All grants are revoked. The secret itself is still a bearer: change it if others know it."

local function date(seconds) return seconds > 0 and os.date("!%Y-%m-%d %H:%M", seconds) or "never" end

local function row(grant)
    local ended = grant.revoked and "revoked" or (grant.finish > 0 and grant.finish < artifact.now() and "expired")
    return ROW:format(grant.id, grant.name, grant.where, date(grant.start_ms // 1000),
        date(grant.used), ended or "until " .. date(grant.finish))
end

local commands = {}

function commands.secret() return true, crypto.random_text(32) end

function commands.list()
    local rows = { ROW:format("ID", "CLIENT", "CODE WENT TO", "FIRST USE (UTC)", "LAST USE (UTC)", "") }
    local all = grants.list()
    table.sort(all, function(a, b) return a.start_ms < b.start_ms end)
    for _, grant in ipairs(all) do rows[#rows + 1] = row(grant) end
    if #all == 0 then return true, "No grants." end
    return true, table.concat(rows, "\n")
end

function commands.revoke(id)
    if not id then return false, "revoke: expected an id of `token list`, or all" end
    if id == "all" then
        local done, why = grants.revoke_all(clock.now_ms())
        return done, done and ALL_REVOKED or why
    end
    for _, grant in ipairs(grants.list()) do
        if grant.id == id then
            local done, why = grants.revoke(id)
            return done, done and ("Revoked: %s"):format(grant.name) or why
        end
    end
    return false, ("revoke: there is no grant %q; see `sandstorm-mcp token list`"):format(id)
end

local function default_url()
    local url = host.setting("public_url")
    return url ~= "" and url or ("http://127.0.0.1:%d"):format(host.setting("port"))
end

function commands.generate(name, days, url)
    local count = tonumber(days or "90")
    if not name then return false, "generate: expected a name for the list of grants" end
    if not count or count < 1 or count > 3650 then return false, "generate: DAYS: expected a number from 1 to 3650" end
    if not crypto.subkey("oauth access 1") then return false, "generate: set SANDSTORM_MCP_TOKEN as for the server" end
    local seconds = math.floor(count * DAY_S)
    local made = family.begin({
        origin = url or default_url(), name = name, where = "command line", client = "-", scope = "mcp", seconds = seconds,
    })
    return true, family.access(made, seconds)
end

--- Runs a command; like a tool of the command line it returns whether it worked and what to print.
---@param words string[]
---@return boolean
---@return string
function cli.run(words)
    local command = commands[words[1] or ""]
    if not command then return words[1] == nil, USAGE end
    return command(table.unpack(words, 2))
end

return cli
