---@meta inbox

--- Messages from one request for a handler that waits in another, such as a client's reply to a question.
---@class inbox
local inbox = {}

---@class inbox.Inbox
local Inbox = {}

--- Opens an inbox. Close it, best with `local box <close> = inbox.open()`.
---@return inbox.Inbox
---@nodiscard
function inbox.open() end

--- Puts a message into the inbox that listens to the key.
---@param key string
---@param message string
---@return boolean delivered false: nobody listens, or the inbox holds 64 messages already
function inbox.deliver(key, message) end

--- Listens to a key, which no other inbox may have; at most 64 keys.
---@param key string
---@return boolean listening
function Inbox:listen(key) end

--- The next message; waits for it.
---@async
---@param timeout_ms integer 1 to 86400000
---@return string? key
---@return string message or what went wrong
---@return "ETIMEDOUT"? code
function Inbox:take(timeout_ms) end

--- Closes the inbox; messages in it are lost. May be called again.
function Inbox:close() end

return inbox
