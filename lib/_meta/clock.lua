---@meta clock

--- Time.
---@class clock
local clock = {}

--- Waits; other calls run meanwhile. Raises for a duration that is no number from 0 to a day, and while the scripts
--- are loaded.
---@async
---@param ms number milliseconds
function clock.sleep(ms) end

--- Wall time.
---@return integer ms milliseconds since 1970-01-01T00:00:00Z
function clock.now_ms() end

--- Time that only goes forward; only differences mean something.
---@return number ms milliseconds, with their fraction
function clock.monotonic_ms() end

--- Wall time as text, `2026-11-30T12:00:00.000Z`.
---@return string
function clock.iso() end

return clock
