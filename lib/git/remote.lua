--- What the tools that talk to other repositories share: how git reaches them, and what to tell when it may not.
local remote = {}

local SSH = "ssh -o BatchMode=yes" -- neither a password nor a host key can be asked for

-- The remote's URLs and the ssh command of the repository's configuration.
local function configured(call)
    local pattern = "^(core\\.sshcommand|remote\\..*\\.(url|pushurl))$"
    local listing = call:ask({ "config", "--null", "--get-regexp", pattern })
    local values = {}
    for name, value in (listing or ""):gmatch("([^\n\0]*)\n([^\0]*)%z") do values[name] = value end
    return values
end

local function environment(values)
    if os.getenv("GIT_SSH_COMMAND") or os.getenv("GIT_SSH") or values["core.sshcommand"] then return nil end
    return { GIT_SSH_COMMAND = SSH }
end

-- From anything but plain http a server may not send us on to plain http.
local function configuration(url)
    if url:lower():find("^http://") then return nil end
    return { "protocol.http.allow=user" }
end

---@class git.Route
---@field url string
---@field env? table<string, string>
---@field config? string[]

--- How to reach a remote.
---@param call git.Call
---@param source string a URL, or the name of a remote
---@param push? boolean
---@return git.Route
function remote.route(call, source, push)
    local values = configured(call)
    local pushed = push and values[("remote.%s.pushurl"):format(source)]
    local url = pushed or values[("remote.%s.url"):format(source)] or source
    return { url = url, env = environment(values), config = configuration(url) }
end

local HTTP = { "could not read Username", "could not read Password", "Authentication failed", "terminal prompts disabled" }
local KEY = { "Permission denied (", "Too many authentication failures" }
local HOST_KEY = { "Host key verification failed" }

local function says(text, list)
    for _, words in ipairs(list) do
        if text:find(words, 1, true) then return true end
    end
    return false
end

--- Where a credential belongs, when git was refused for want of one.
---@param outcome git.Outcome
function remote.explain(outcome)
    if outcome.ok then return end
    local note
    if says(outcome.text, HTTP) then
        note = "No credential was accepted. git asks the credential helper that is configured for this server's user, never a"
            .. " person: for example `git config --global credential.helper store` and a line https://USER:TOKEN@HOST in"
            .. " ~/.git-credentials."
    elseif says(outcome.text, HOST_KEY) then
        note = "The host's key is not known: add it to ~/.ssh/known_hosts of this server's user after checking it."
    elseif says(outcome.text, KEY) then
        note = "No key was accepted. ssh tries the agent and the default keys in ~/.ssh of this server's user, or what"
            .. " ~/.ssh/config or core.sshCommand says."
    end
    outcome.notes[#outcome.notes + 1] = note
end

return remote
