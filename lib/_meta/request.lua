---@meta _
--- The request that a route's handler gets. It can be used until the handler has returned.

---@class request.Slow
---@field after_ms integer 1 to 86400000
---@field every_ms integer 1 to 86400000

---@class request.Request
---@field method string upper case; "GET" for HEAD too
---@field path string decoded, without the query
---@field query string after `?` as received, "" without one
---@field host string Host header, "" without one
---@field peer string address of the client
local Request = {}

--- The first header of that name, whatever the case.
---@param name string
---@return string?
function Request:header(name) end

--- The whole body; "" without one.
---@return string
function Request:body() end

--- The body as a JSON value (null is json.null); nil and what is wrong for anything else.
---@return any value
---@return string? message
function Request:json() end

--- Whether the handler ends when the client hangs up (default false: it goes on).
---@param stop boolean
function Request:stop_on_disconnect(stop) end

--- If the handler has not answered after `after_ms`, the answer becomes a text/event-stream: a comment every `every_ms`, and
--- finally the body as one event.
---@param slow request.Slow
function Request:stream_when_slow(slow) end

--- `answer` makes the response when the handler was stopped (CPU time, deadline, memory, cancel, shutdown).
---@param answer fun(reason: string): integer, string?, table<string, string>?
function Request:on_stop(answer) end
