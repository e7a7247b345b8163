--- GET /health, open to anybody: how this host is, in the fields that monitoring knows from earlier versions, and
--- what is wrong with scripts, workspace, session database and audit log when something is.
local audit = require("audit")
local census = require("session.census")
local host = require("host")
local json = require("json")
local ordered = require("ordered")

local health = {}

--- How the server calls itself, here and to clients. v0.1.0 always said 2.0.0 in both places, and clients may have kept
--- it; the version of this program is `host.version`.
health.INFO = { name = "sandstorm", version = "2.0.0" }

local MIB = 1024 * 1024
local TOOLS = { "node", "bun", "python3", "git", "gh", "curl" }

-- In the order in which they are written.
local function fields(info, sessions, active)
    return {
        { "server", health.INFO.name },
        { "version", health.INFO.version },
        { "ok", true },
        { "cores_available", math.max(0, info.cores - active) },
        { "memory_mb_available", info.memory_available // MIB },
        { "disk_mb_available", info.disk_available // MIB },
        { "active_instances", active },
        { "max_instances", host.setting("max_instances") },
        { "tools", json.array(host.which(TOOLS)) },
        { "uptime_seconds", math.tointeger(info.uptime) or math.floor(info.uptime) },
        { "generation", info.generation },
        { "degraded", (info.script_error or info.workspace_error or sessions.error or audit.error()) ~= nil },
        { "script_error", info.script_error },
        { "workspace_error", info.workspace_error },
        { "session_error", sessions.error },
        { "audit_error", audit.error() },
    }
end

function health.handle() return 200, ordered.encode(fields(host.info(), census.read(), census.active())) end

---@return app.Route[]
function health.routes()
    return { { path = "/health", methods = { "GET" }, auth = "none", origin = "any", body_limit = 0, handle = health.handle } }
end

return health
