--- Metadata documents of clients that many people use, so that they sign in although this host cannot fetch the document.
--- An address may hold `*` for one path segment.
local known_clients = {}

local LOOPBACK = { "http://localhost/callback", "http://127.0.0.1/callback" }

local VSCODE = {
    "http://127.0.0.1/", "http://localhost/", "https://vscode.dev/redirect", "https://insiders.vscode.dev/redirect",
}

local DOCUMENTS = {
    {
        id = "https://claude.ai/oauth/mcp-oauth-client-metadata", name = "Claude",
        redirects = { "https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback" },
    },
    { id = "https://claude.ai/oauth/claude-code-client-metadata", name = "Claude Code", redirects = LOOPBACK },
    {
        id = "https://vscode.dev/oauth/client-metadata.json", name = "Visual Studio Code",
        redirects = VSCODE,
    },
    {
        id = "https://insiders.vscode.dev/oauth/client-metadata.json", name = "Visual Studio Code - Insiders",
        redirects = VSCODE,
    },
    {
        id = "https://chatgpt.com/oauth/*/client.json", name = "ChatGPT",
        redirects = {
            "https://chatgpt.com/connector/oauth/*", "https://chatgpt.com/connector_platform_oauth_redirect",
            "http://127.0.0.1/callback/*", "http://localhost/callback/*",
        },
    },
    {
        id = "https://opencode.ai/oauth/client-metadata.json", name = "opencode",
        redirects = { "http://127.0.0.1/mcp/oauth/callback", "http://localhost/mcp/oauth/callback" },
    },
}

local function matches(pattern, text)
    local literal = pattern:gsub("[%-%.%+%?%^%$%(%)%[%]%%]", "%%%0")
    return text:find("^" .. literal:gsub("%*", "[%%w._~-]+") .. "$") ~= nil
end
known_clients.matches = matches

---@class oauth.Document
---@field name string
---@field known? boolean it is of the table
---@field redirects string[] comparable forms; with `*` in those of the table

--- The document of a client id; nil for one that is not in the table.
---@param id string
---@return oauth.Document?
function known_clients.find(id)
    for _, document in ipairs(DOCUMENTS) do
        if matches(document.id, id) then return { name = document.name, redirects = document.redirects, known = true } end
    end
    return nil
end

return known_clients
