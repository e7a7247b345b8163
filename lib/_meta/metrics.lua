---@meta metrics

--- Figures for monitoring. They live below the scripts and outlive their generations. Which there are, with their labels,
--- stands in runtime/metrics.c; a wrong name, type or label raises. A label can have about a thousand values; more are
--- dropped, so never use what a client chooses freely.
---@class metrics
local metrics = {}

--- Adds to a counter or gauge.
---@param name string
---@param labels? table<string, string>
---@param amount? number from 0, default 1
function metrics.add(name, labels, amount) end

--- Sets a gauge.
---@param name string
---@param labels table<string, string>?
---@param value number
function metrics.set(name, labels, value) end

--- Puts a value into a histogram.
---@param name string
---@param labels table<string, string>?
---@param value number
function metrics.observe(name, labels, value) end

--- Forgets all values of a gauge.
---@param name string
function metrics.clear(name) end

--- One series of a counter or histogram, for what is counted often.
---@class metrics.Series
local Series = {}

---@param amount? number from 0, default 1
function Series:add(amount) end

---@param value number
function Series:observe(value) end

--- A series at hand: it can be kept as long as the scripts.
---@param name string
---@param labels? table<string, string>
---@return metrics.Series
---@nodiscard
function metrics.series(name, labels) end

--- Everything, in the text format of Prometheus.
---@return string
---@nodiscard
function metrics.text() end

return metrics
