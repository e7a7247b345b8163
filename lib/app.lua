--- What the host calls: reads the operator's script and returns the routes and commands that come of it.
local call = require("mcp.call")
local changes = require("mcp.changes")
local endpoint = require("mcp.endpoint")
local exchange = require("mcp.exchange")
local health = require("health")
local json = require("json")
local metadata = require("oauth.metadata")
local modern = require("mcp.modern")
local monitor = require("monitor")
local oauth_cli = require("oauth.cli")
local oauth_routes = require("oauth.routes")
local pipe = require("mcp.pipe")
local registry = require("mcp.registry")
local reaper = require("session.reaper")
local revisions = require("mcp.revisions")
local script = require("mcp.script")
local session_api = require("session.api")
local task_run = require("mcp.task_run")

local app = {}

-- What pages of other origins may read and send, wherever they may at all.
local EXPOSED = "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After"
local ALLOWED = "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID"

local function all_routes(server)
    local routes = {}
    for _, list in ipairs({
        endpoint.routes(server), health.routes(), monitor.routes(), session_api.routes(), oauth_routes.all(),
    }) do
        for _, route in ipairs(list) do
            if route.auth == "bearer" or route.auth == "metrics" then
                route.metadata, route.scope = metadata.challenge(route.path)
            end
            routes[#routes + 1] = route
        end
    end
    return routes
end

local function text_of(content)
    local texts = {}
    for position, item in ipairs(content) do texts[position] = item.text or json.encode(item, { sort = true }) end
    return table.concat(texts, "\n")
end

-- One tool for the command line, by the path that a request takes.
local function run_tool(tools, name, arguments)
    local from = exchange.new({
        era = "local", revision = revisions.modern, bytes = 0, client = exchange.client("command line"),
    })
    local encoded, failure = call.run(tools, { name = name, arguments = arguments }, from)
    if not encoded then return false, failure.message end
    local result = assert(json.decode(encoded))
    return result.isError ~= true, text_of(result.content)
end

-- The arguments: the required ones as they are listed, then the others.
local function signature(tool)
    local words, rest, required = {}, {}, {}
    for position, name in ipairs(tool.public.inputSchema.required or {}) do words[position], required[name] = name, true end
    for name in pairs(tool.public.inputSchema.properties or {}) do
        if not required[name] then rest[#rest + 1] = "[" .. name .. "]" end
    end
    table.sort(rest)
    table.move(rest, 1, #rest, #words + 1, words)
    return table.concat(words, " ")
end

local function first_line(text) return (text:match("^[^\n]*")) end

local function describe(tools)
    local lines = {}
    for position, tool in ipairs(tools:all()) do
        local title = tool.public.title or first_line(tool.public.description)
        lines[position] = ("%-26s %-26s %s"):format(tool.name, signature(tool), title)
    end
    lines[#lines + 1] = ("%d tools"):format(#tools:all())
    return table.concat(lines, "\n")
end

--- Reads the script at `root_path`. Raises `file:line: what is wrong`.
---@param root_path string absolute
---@return app.App
function app.load(root_path)
    local tools = registry.new()
    script.run(root_path, tools)
    tools:seal()
    local server = { registry = tools, info = health.INFO }
    return {
        routes = all_routes(server),
        pages = { exposed_headers = EXPOSED, allowed_headers = ALLOWED },
        ticks = reaper.ticks(),
        line = function(text) pipe.line(server, text) end,
        changed = function() changes.tell(tools) end,
        started = task_run.recover,
        stopping = function() modern.finish(server) end,
        call = function(name, arguments) return run_tool(tools, name, arguments) end,
        describe = function() return describe(tools) end,
        token = oauth_cli.run,
    }
end

return app
