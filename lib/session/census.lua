--- How many sessions there are, for /health and /metrics, which must not wait for a database: counted after each change,
--- kept below the scripts.
local json = require("json")
local log = require("log")
local shared = require("shared")
local store = require("session.store")

local census = {}

local logger = log.logger("sessions")

local KEY, KEPT_MS = "session/census", 86400000

---@class session.Census
---@field counts table<string, integer> by state
---@field error? string why the database could not be read, the last time that it was tried

---@return session.Census
function census.read()
    local text = shared.get(KEY)
    return text and json.decode(text) or { counts = {} }
end

--- Sessions in the database that are not over.
---@return integer
function census.active()
    local counts = census.read().counts
    return (counts.ready or 0) + (counts.active or 0) + (counts.creating or 0)
end

--- Counts anew.
function census.take()
    local before = census.read()
    local counts, message = store.count()
    shared.put(KEY, json.encode({ counts = json.object(counts or before.counts), error = message }), KEPT_MS)
    if message and message ~= before.error then logger.error("The session database cannot be used: " .. message) end
    if counts and before.error then logger.info("The session database can be used again") end
end

return census
