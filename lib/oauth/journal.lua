--- What happens at the sign-in: a line of the log, and one of the audit log where there is one. Never pass a secret.
local audit = require("audit")
local log = require("log")

local journal = {}

local logger = log.logger("oauth")

local function write(level, into_audit, message, fields)
    logger[level](message, fields)
    if not audit.enabled() then return end
    local line = { event = "auth", action = message }
    for name, value in pairs(fields or {}) do line[name] = value end
    into_audit(line)
end

--- What only somebody did who knew a secret.
---@param message string
---@param fields? table<string, any>
function journal.info(message, fields) write("info", audit.write, message, fields) end

--- What any stranger can cause, and as often as they like.
---@param message string
---@param fields? table<string, any>
function journal.attempt(message, fields) write("info", audit.write_bounded, message, fields) end

---@param message string
---@param fields? table<string, any>
function journal.warning(message, fields) write("warning", audit.write, message, fields) end

--- Something that must not happen.
---@param message string
---@param fields? table<string, any>
function journal.failure(message, fields) write("error", audit.write_bounded, message, fields) end

return journal
