--- What slows down guessing. Only failures count: who knows the secret is never kept waiting by others.
local clock = require("clock")
local shared = require("shared")

local limits = {}

local MINUTE_MS = 60000
local PASSWORDS_A_MINUTE, CALLS_A_MINUTE, ALL_PASSWORDS_A_MINUTE = 5, 120, 30
local DELAY_MS = 1000
local ALL_KEY = "oauth/passwords"

local function seconds_left(key) return math.max(1, ((shared.ttl(key) or 0) + 999) // 1000) end

local function is_over(key, most)
    local count = shared.get(key)
    return count ~= nil and tonumber(count) >= most and seconds_left(key) or nil
end

local function password_key(network) return "oauth/password/" .. network end

--- The seconds for which this network may not try another password; nil when it may.
---@param network string
---@return integer?
function limits.password_wait(network) return is_over(password_key(network), PASSWORDS_A_MINUTE) end

--- Counts a wrong password.
function limits.password_failed(network)
    shared.add(password_key(network), 1, MINUTE_MS)
    shared.add(ALL_KEY, 1, MINUTE_MS)
end

--- Waits a little while many networks guess at once; others go on meanwhile.
function limits.slow_down()
    if tonumber(shared.get(ALL_KEY) or 0) > ALL_PASSWORDS_A_MINUTE then clock.sleep(DELAY_MS) end
end

local function call_key(network) return "oauth/calls/" .. network end

--- Counts a failed call of the token endpoint; the seconds to wait when there were too many, else nil.
---@param network string
---@return integer?
function limits.call_failed(network)
    local count = shared.add(call_key(network), 1, MINUTE_MS)
    return count and count > CALLS_A_MINUTE and seconds_left(call_key(network)) or nil
end

return limits
