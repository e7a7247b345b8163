---@meta turns

--- Work on one thing that must not run side by side: who asks first has the first turn. A turn outlives a generation of
--- the scripts, so calls of an old and a new one take turns with each other.
---@class turns
local turns = {}

---@class turns.Turn
local Turn = {}

--- Waits for the turn at the thing that `key` names; a handler that is stopped waits no longer. Leave it in the end, best
--- with `local turn <close> = turns.take(...)`: one that is forgotten lasts until it is collected. Raises while the scripts
--- load.
---@async
---@param key string bytes
---@param work string what the turn is for, as others read it that wait in vain
---@param timeout_ms integer 1 to 86400000
---@return turns.Turn? turn
---@return string? message whose turn it is
---@return "ETIMEDOUT"? code
---@nodiscard
function turns.take(key, work, timeout_ms) end

--- Gives the turn to the next. May be called again.
function Turn:leave() end

return turns
