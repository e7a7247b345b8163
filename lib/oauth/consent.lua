--- The page that asks a person: who wants in, where the code goes, what it means, and the token that says yes.
local page = require("oauth.page")
local uri = require("oauth.uri")

local consent = {}

local CONTENT = [[
<h1>Give “<bdi>{name}</bdi>” access to this server?</h1>
<p class="soft">{trust} Did you start this just now?</p>
<dl>
<div><dt>Goes to</dt><dd><b dir="ltr">{target}</b><span>{place}</span></dd></div>
<div><dt>Gets</dt><dd><b>A shell on this host</b><span>To run any command, and to read, change and delete whatever the
server’s account can. Lasts until you revoke it with <code>sandstorm-mcp token</code>.</span></dd></div>
</dl>
{{warning}}<form method="post" action="/oauth/authorize">
<input type="hidden" name="request" value="{blob}">
<input type="text" name="username" value="sandstorm" autocomplete="username" readonly hidden>
<label for="password">Server token</label>
<input type="password" id="password" name="password" required autofocus autocomplete="current-password"
autocapitalize="none" spellcheck="false" enterkeyhint="go" aria-describedby="{{described}}hint"{{invalid}}>
{{problem}}<p class="hint" id="hint">The value of <code>SANDSTORM_MCP_TOKEN</code> on the server. The app never sees it.</p>
<div class="buttons">
<button class="go" name="decision" value="allow">Allow</button>
<button class="no" name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>
]]

local WARNING = '<p class="note"><strong>{lead}</strong> {rest} “<bdi>{name}</bdi>” {after}</p>\n'
local PLAIN_WARNING = '<p class="note"><strong>{lead}</strong> {rest}</p>\n'
local PROBLEM = '<p class="bad" id="problem" role="alert">{problem}</p>\n'

local PLACES = {
    web = "The website that receives the code for this server.",
    loopback = "A program on the computer that shows this page.",
    app = "Whichever app on this device opens such links.",
}

local ASKING = {
    loopback = { lead = "Any program here could be asking.", after = "on this computer." },
    app = { lead = "Any app here could be asking.", after = "on this device." },
}

local function place_of(redirect)
    local parsed = uri.parse(redirect)
    if uri.is_loopback(parsed) then return "loopback" end
    return parsed.scheme == "https" and "web" or "app"
end

-- Only what a person can act on, the strongest first.
local function warning_of(asked, place)
    if asked.kind == "old" then
        return page.fill(PLAIN_WARNING, { lead = "An old registration.", rest = "Allow it only if you know the address above. " ..
            "To see a name here, remove the connection in the app and add it again." })
    elseif place ~= "web" then
        local anyone = ASKING[place]
        return page.fill(WARNING, { lead = anyone.lead, rest = "Allow it only if you just started", name = asked.name,
            after = anyone.after })
    elseif asked.trust == "claimed" then
        return page.fill(PLAIN_WARNING, { lead = "The name is not verified.", rest = "Judge by the address." })
    end
    return nil
end

local function trust_of(asked)
    if asked.kind == "old" then return "Its name is not known." end
    if asked.trust == "known" then return ("Known to this server, and described by %s."):format(uri.shown(asked.client)) end
    if asked.kind == "document" then return ("The name is what %s says of itself."):format(uri.shown(asked.client)) end
    return "The name is the app’s own claim."
end

---@class oauth.Asked what a form carries
---@field client string
---@field kind string
---@field name string
---@field trust "known"|"described"|"claimed"
---@field redirect string

--- The answer with the form.
---@param origin string
---@param asked oauth.Asked
---@param blob string
---@param problem? {status: integer, text: string}
function consent.page(origin, asked, blob, problem)
    local place = place_of(asked.redirect)
    local content = page.fill(CONTENT, {
        name = asked.name, trust = trust_of(asked), target = uri.shown(asked.redirect), place = PLACES[place], blob = blob,
        warning = warning_of(asked, place),
        problem = problem and page.fill(PROBLEM, { problem = problem.text }),
        described = problem and "problem ", invalid = problem and ' aria-invalid="true"',
    })
    local title = (problem and "Wrong token" or "Allow " .. asked.name) .. " · Sandstorm"
    return page.answer(problem and problem.status or 200, origin, title, content)
end

local RETURN = [[
<h1>{heading}</h1>
<p>{what}</p>
<p><a class="button" href="{location}">Continue</a></p>
]]

--- The answer that sends a person back; the page is seen only where the browser does not follow.
---@param origin string
---@param location string
---@param heading string
---@param what string
function consent.back(origin, location, heading, what)
    local content = page.fill(RETURN, { heading = heading, what = what, location = location })
    return page.answer(302, origin, heading .. " · Sandstorm", content, { Location = location })
end

return consent
