--- Whether a process that has nothing to do does nothing: it must come to rest, asleep until something happens. One whose
--- loop spins, or that looks again and again, never does. How long it takes to come to rest proves nothing and is not asked.
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")
local uv = require("luv")

local rest = {}

local LOOKS, PAUSE_MS = 10, 20 -- asleep at each look, and never woken between them

-- State, and how often it has begun to wait.
local function look(pid)
    local status = tmp.read(("/proc/%d/status"):format(pid)) or ""
    return status:match("State:%s*(%a)"), status:match("\nvoluntary_ctxt_switches:%s*(%d+)")
end

local function sleeps(pid)
    local state, waits = look(pid)
    for _ = 1, LOOKS do
        if state ~= "S" then return false end
        uv.sleep(PAUSE_MS)
        local before = waits
        state, waits = look(pid)
        if waits ~= before then return false end
    end
    return state == "S"
end

--- Waits until the main thread of a process is at rest; false when it never is.
function rest.comes(pid)
    return program.wait_until(function() return sleeps(pid) end)
end

return rest
