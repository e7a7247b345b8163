---@meta _
--- The request that a route's handler gets. It can be used until the handler has returned.

---@class request.Slow
---@field id? string as in request.Stream
---@field owner? string as in request.Stream
---@field kept? boolean as in request.Stream
---@field primed? boolean begin with an event from which the client can resume

---@class request.Request
---@field method string upper case; "GET" for HEAD too
---@field path string decoded, without the query
---@field query string after `?` as received, "" without one
---@field host string Host header, "" without one
---@field peer string address of whoever connected: the client, or a proxy
---@field client string address of the client, behind proxies that are trusted; for limits and logs only
---@field network string what is counted as one caller: `client`, or its /64
---@field origin? string under which the client reached this server, `https://host`; nil if what it sent names none
---@field principal? string whom the bearer belongs to: "secret" or "grant:<id>"; nil on routes for anybody
---@field size integer bytes of the body
---@field parameters table<string, string> what stands for each `{name}` of the route's path
local Request = {}

--- The first header of that name, whatever the case, and how many there are.
---@param name string
---@return string? value
---@return integer count
function Request:header(name) end

--- The whole body; "" without one.
---@return string
function Request:body() end

--- The body as a JSON value (null is json.null); nil and what is wrong for anything else, also for more than 100,000
--- values.
---@return any value
---@return string? message
function Request:json() end

--- Whether the handler ends when the client hangs up (default false: it goes on).
---@param stop boolean
function Request:stop_on_disconnect(stop) end

--- If the handler has not answered after `after_ms`, the answer becomes a text/event-stream: a comment every `every_ms`, and
--- finally the body as one event.
---@param after_ms integer 1 to 86400000
---@param every_ms integer 1 to 86400000
---@param options? request.Slow
function Request:stream_when_slow(after_ms, every_ms, options) end

--- `answer` makes the response when the handler was stopped (CPU time, deadline, memory, cancel, shutdown).
---@param answer fun(reason: string): integer, string?, table<string, string>?
function Request:on_stop(answer) end

---@class (exact) request.Stream
---@field id? string unique; letters, digits, `-`, `_`; each event then has the id `<id>.<number>`; a kept stream has a random one
---@field owner? string who may resume it: `stream.owner` tells
---@field kept? boolean remember the newest events and live on without a client for five minutes
---@field topics? string[] what it listens to, at most 64; see `stream.publish`
---@field tag? string goes into what is published to it
---@field every_ms? integer a comment after that long without an event; 0 or nil: none
---@field headers? table<string, string> at most 8
---@field detached? boolean the stream goes on after the handler, whose results are not sent

--- Makes the response an event stream. Read what was sent (header, body) before. The body that the handler returns becomes
--- the last event, unless the stream is detached. A response that became a stream because it was late is given as it is,
--- whatever the options.
---@param options request.Stream
---@return stream.Stream?
---@return string? message
---@return "EBUSY"? code it is a stream already, or there are too many
---@nodiscard
function Request:stream(options) end

--- Makes the response the continuation of a kept stream, from the event after that one on. The handler's results are not
--- sent then.
---@param event_id string
---@param headers? table<string, string>
---@return boolean resumed false: the stream, or that event, is not known any more
function Request:resume(event_id, headers) end
