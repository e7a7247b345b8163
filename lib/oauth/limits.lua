--- What slows down guessing. Only failures count: who knows the secret is never kept waiting by others.
local clock = require("clock")
local metrics = require("metrics")
local shared = require("shared")

local limits = {}

local MINUTE_MS = 60000
local PASSWORDS_A_MINUTE, CALLS_A_MINUTE, ALL_PASSWORDS_A_MINUTE = 5, 120, 30
local DELAY_MS = 1000
local ALL_KEY = "oauth/passwords"

local function seconds_left(key) return math.max(1, ((shared.ttl(key) or 0) + 999) // 1000) end

local function limited(key, what)
    metrics.add("sandstorm_limited_total", { what = what })
    return seconds_left(key)
end

local function password_key(network) return "oauth/password/" .. network end

--- The seconds for which this network may not try another password; nil when it may.
---@param network string
---@return integer?
function limits.password_wait(network)
    local key = password_key(network)
    if tonumber(shared.get(key) or 0) < PASSWORDS_A_MINUTE then return nil end
    return limited(key, "passwords")
end

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
    local key = call_key(network)
    local count = shared.add(key, 1, MINUTE_MS)
    if not count or count <= CALLS_A_MINUTE then return nil end
    return limited(key, "token calls")
end

return limits
