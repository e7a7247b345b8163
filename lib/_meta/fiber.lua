---@meta fiber

--- Handlers that run beside the request, and stopping others. Every handler runs in a fiber of its own.
---@class fiber
local fiber = {}

---@class (exact) fiber.Limits
---@field deadline_ms? integer wall time of the whole function, waits included (default: the setting call_deadline_ms)
---@field cpu_ms? integer time that it may compute (default: the setting script_cpu_ms)
---@field on_stop? fun(reason: string) called, in a fiber of its own, when the function was stopped

--- Runs `handler` in a fiber of its own, beside and beyond the request. It starts when the caller waits or ends. What it
--- raises is logged. Raises while the scripts are loaded, for a wrong type and when memory is short.
---@param handler fun()
---@param limits? fiber.Limits
function fiber.spawn(handler, limits) end

--- Calls `work` with the arguments and returns its results; no other fiber has a turn meanwhile. What waits in it raises.
---@param work fun(...): ...
---@return any ...
function fiber.at_once(work, ...) end

--- Names the running fiber, so that `fiber.stop` finds it; nil takes the name away. Several may have one name.
---@param name string?
function fiber.tag(name) end

--- Ends the running fiber as if it had been stopped: nothing of it runs on but what must be closed.
---@param reason string
function fiber.quit(reason) end

--- Stops the fibers with that name, or, if it ends in `*`, with all names that begin so: `stopped: <reason>` is raised
--- where they stand, and no pcall catches it.
---@param name string
---@param reason string
---@return integer count how many there were
function fiber.stop(name, reason) end

--- The W3C trace context that the running fiber works for; nil without one. Given a valid `traceparent`, that becomes it;
--- anything else changes nothing. Log lines carry it, programs get it as TRACEPARENT, and functions that are spawned inherit it.
---@param traceparent? any
---@return string?
function fiber.trace(traceparent) end

--- How many fibers have that name, those of older generations too.
---@param name string
---@return integer
---@nodiscard
function fiber.count(name) end

--- What the running fiber has left before its deadline.
---@return integer? ms nil: no deadline
---@nodiscard
function fiber.time_left() end

return fiber
