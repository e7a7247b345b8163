--- GET /health, open to anybody: how this host is, in the fields that monitoring knows from earlier versions, and
--- why the scripts on disk do not serve when they do not.
local host = require("host")
local json = require("json")

local health = {}

local MIB = 1024 * 1024
local TOOLS = { "node", "bun", "python3", "git", "gh", "curl" }

-- In the order in which they are written.
local function fields(info)
    return {
        { "server", "sandstorm" },
        { "version", "2.0.0" },
        { "ok", true },
        { "cores_available", info.cores },
        { "memory_mb_available", info.memory_available // MIB },
        { "disk_mb_available", info.disk_available // MIB },
        { "active_instances", 0 },
        { "max_instances", host.setting("max_instances") },
        { "tools", json.array(host.which(TOOLS)) },
        { "uptime_seconds", math.tointeger(info.uptime) or math.floor(info.uptime) },
        { "script_error", info.script_error },
    }
end

local function object(list)
    local members = {}
    for _, field in ipairs(list) do
        if field[2] ~= nil then members[#members + 1] = ('"%s":%s'):format(field[1], json.encode(field[2])) end
    end
    return "{" .. table.concat(members, ",") .. "}"
end

function health.handle() return 200, object(fields(host.info())) end

---@return app.Route[]
function health.routes()
    return { { path = "/health", methods = { "GET" }, auth = "none", origin = "any", body_limit = 0, handle = health.handle } }
end

return health
