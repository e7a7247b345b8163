---@meta log

--- The server's log: one JSON object a line with `ts`, `level`, `logger`, `msg` and the given fields.
---
--- Never pass a secret: the log does not know one from other text.
--- All writing functions raise if `message` is no string or `fields` no table, and, where the line is written, if
--- `fields` holds what JSON cannot or one of the four names above.
---@class log: log.Logger
local log = {}

---@alias log.Level
---| "trace"
---| "debug"
---| "info"
---| "warning"
---| "error"
---| "critical"

---@class log.Logger
local Logger = {}

---@param message string
---@param fields? table<string, any>
function Logger.trace(message, fields) end

---@param message string
---@param fields? table<string, any>
function Logger.debug(message, fields) end

---@param message string
---@param fields? table<string, any>
function Logger.info(message, fields) end

---@param message string
---@param fields? table<string, any>
function Logger.warning(message, fields) end

---@param message string
---@param fields? table<string, any>
function Logger.error(message, fields) end

--- Whether a line of that level would be written, for fields that are dear to make. Raises for an unknown level.
---@param level log.Level in any case
---@return boolean
function Logger.enabled(level) end

log.trace = Logger.trace
log.debug = Logger.debug
log.info = Logger.info
log.warning = Logger.warning
log.error = Logger.error
log.enabled = Logger.enabled

--- A logger of its own name: `log.logger("files").info("hello")` writes as `sandstorm_mcp.files`. The functions of this
--- module write as `sandstorm_mcp.script`.
---@param name string
---@return log.Logger
function log.logger(name) end

return log
