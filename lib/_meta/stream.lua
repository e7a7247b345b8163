---@meta stream

--- Event streams beyond the request that opened them (`request:stream`). A topic reaches every stream that listens to it.
---@class stream
local stream = {}

--- A response that is an event stream.
---@class stream.Stream
local Stream = {}

--- Sends an event; waits while the client reads more slowly than the handler writes.
---@async
---@param data string each line of it becomes one `data:` line
---@return true? sent
---@return string? message
---@return "EPIPE"? code the client is gone, and the stream is not kept
function Stream:send(data) end

--- Sends an event without data, from which a client may resume.
---@param retry_ms? integer how long the client should wait before it reconnects
function Stream:prime(retry_ms) end

--- Ends the response while the stream, which must be kept, goes on: the client resumes it with another request.
function Stream:detach() end

--- Whether a client is connected.
---@return boolean
---@nodiscard
function Stream:has_peer() end

--- Sends a text as one event to every stream with that topic. Each byte 1 in it becomes the stream's tag. Of several with
--- the same owner only the newest that has a client, else the newest, gets it.
---@param topic string
---@param text string
---@return integer count
function stream.publish(topic, text) end

--- Sends an event to one stream with that topic: the newest that has a client, else the newest that is kept.
---@param topic string
---@param data string
---@return boolean sent
function stream.send_one(topic, data) end

--- Ends every stream with that topic, after a last event if `text` is given (as in `publish`).
---@param topic string
---@param text? string
---@return integer count
function stream.end_topic(topic, text) end

--- The owner of the stream that an event id belongs to.
---@param event_id string
---@return string?
---@nodiscard
function stream.owner(event_id) end

--- Number of streams.
---@return integer
---@nodiscard
function stream.count() end

return stream
