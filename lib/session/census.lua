--- How many sessions there are, for /health and /metrics, which must not wait for a database: counted after each change,
--- kept below the scripts.
local json = require("json")
local log = require("log")
local shared = require("shared")
local store = require("session.store")

local census = {}

local logger = log.logger("sessions")

local KEY, REFUSED, KEPT_MS = "session/census", "session/refused", 86400000

---@class session.Census
---@field counts table<string, integer> by state
---@field error? string why the database could not be read or changed, the last time that it was tried

local function counted()
    local text = shared.get(KEY)
    return text and json.decode(text) or { counts = {} }
end

---@return session.Census
function census.read()
    local found = counted()
    found.error = found.error or shared.get(REFUSED)
    return found
end

--- Keeps why the database took no change, until it takes one again. A lock is nobody's fault.
---@param message? string nil: it took one
---@param code? string
function census.changed(message, code)
    local before = shared.get(REFUSED)
    if not message then
        shared.remove(REFUSED)
        if before then logger.info("The session database can be changed again") end
    elseif code ~= "EBUSY" and code ~= "ECANCELED" then
        shared.put(REFUSED, message, KEPT_MS)
        if message ~= before then logger.error("The session database cannot be changed: " .. message) end
    end
end

--- Sessions in the database that are not over.
---@return integer
function census.active()
    local counts = census.read().counts
    return (counts.ready or 0) + (counts.active or 0) + (counts.creating or 0)
end

--- Counts anew.
function census.take()
    local before = counted()
    local counts, message = store.count()
    shared.put(KEY, json.encode({ counts = json.object(counts or before.counts), error = message }), KEPT_MS)
    if message and message ~= before.error then logger.error("The session database cannot be used: " .. message) end
    if counts and before.error then logger.info("The session database can be used again") end
end

return census
