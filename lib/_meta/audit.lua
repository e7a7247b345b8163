---@meta audit

--- The audit log: one JSON object a line in the file that the setting audit_file names. Without one nothing is kept.
---@class audit
local audit = {}

--- Is there an audit log?
---@return boolean
function audit.enabled() end

--- Why the file cannot be written at the moment; what is written meanwhile waits in memory, up to 4 MiB.
---@return string?
function audit.error() end

--- Writes a line; the time is put in front. Never pass a secret.
---@param fields table<string, any>
function audit.write(fields) end

--- The same for what strangers can cause as often as they like: beyond 20 a second it is only counted, and the next line of
--- this kind has the count as `left_out`.
---@param fields table<string, any>
function audit.write_bounded(fields) end

return audit
