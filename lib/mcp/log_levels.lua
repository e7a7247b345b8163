--- The levels of log messages (RFC 5424), for clients, and what the server's own log calls them.
local log_levels = {}

local OWN = {
    debug = "debug", info = "info", notice = "info", warning = "warning", error = "error", critical = "error",
    alert = "error", emergency = "error",
}
local ORDER = { debug = 1, info = 2, notice = 3, warning = 4, error = 5, critical = 6, alert = 7, emergency = 8 }

--- Whether clients know a level of that name.
function log_levels.is_known(level) return ORDER[level] ~= nil end

--- Whether a message of that level reaches a client that wants `lowest` and above.
---@param level string
---@param lowest? string nil: the client wants none
function log_levels.reaches(level, lowest) return lowest ~= nil and ORDER[level] ~= nil and ORDER[level] >= ORDER[lowest] end

--- The level in the server's log; nil for a name that is none.
---@return string?
function log_levels.own(level) return level == "trace" and level or OWN[level] end

return log_levels
