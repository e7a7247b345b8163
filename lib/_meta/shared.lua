---@meta shared

--- Small memory that outlives a request and a generation of the scripts, but not the server: byte strings that expire.
--- When it is full (65,536 entries, 32 MiB) an entry is lost: of all whose keys begin with one word, up to a blank or a
--- slash, those hold together what they hold, and the word that holds most loses the entry that expires first. Store only
--- what may be lost, what clients can fill under a word of its own.
--- Times to live are milliseconds, 1 to 34,560,000,000 (400 days). All functions raise for wrong types.
---@class shared
local shared = {}

--- Stores, over what was there.
---@param key string
---@param value string
---@param ttl_ms integer
---@return boolean stored false: larger than 4 MiB
function shared.put(key, value, ttl_ms) end

--- Stores unless the key is there: of several callers one gets true.
---@param key string
---@param value string
---@param ttl_ms integer
---@return boolean stored
---@nodiscard
function shared.put_new(key, value, ttl_ms) end

---@param key string
---@return string? value
---@nodiscard
function shared.get(key) end

--- Looks up and removes: of several callers one gets the value.
---@param key string
---@return string? value
---@nodiscard
function shared.take(key) end

---@param key string
---@return boolean removed
function shared.remove(key) end

--- Adds to a counter. `ttl_ms` counts from its first use: a fixed window.
---@param key string
---@param amount integer
---@param ttl_ms integer
---@return integer? sum nil: no room
function shared.add(key, amount, ttl_ms) end

--- How long the entry lives on.
---@param key string
---@return integer? ms nil: there is none
---@nodiscard
function shared.ttl(key) end

return shared
