--- GET /metrics: figures in the text format of Prometheus.
local census = require("session.census")
local metrics = require("metrics")

local monitor = {}

local HEADERS = { ["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8" }

function monitor.handle()
    metrics.clear("sandstorm_sessions")
    for status, count in pairs(census.read().counts) do metrics.set("sandstorm_sessions", { status = status }, count) end
    return 200, metrics.text(), HEADERS
end

---@return app.Route[]
function monitor.routes()
    return {
        { path = "/metrics", methods = { "GET" }, auth = "metrics", origin = "checked", body_limit = 0, handle = monitor.handle },
    }
end

return monitor
