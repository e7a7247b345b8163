--- What ends with a session: its commands, every process that they left, and its folder.
local clock = require("clock")
local fiber = require("fiber")
local folders = require("session.folders")
local process = require("process")

local ending = {}

--- The variable that the processes of a session have in their environment.
ending.VARIABLE = "SANDSTORM_SESSION_ID"

local GRACE_MS, STEP_MS = 2000, 50

--- The tag of the fibers in which a session's commands run.
---@param id string
function ending.tag(id) return "session:" .. id end

-- True when no process of these sessions is left before the time is over.
local function wait_for_end(ids)
    for _ = 1, GRACE_MS // STEP_MS do
        if process.signal_marked(ending.VARIABLE, ids, "0") == 0 then return true end
        clock.sleep(STEP_MS)
    end
    return false
end

--- Ends the commands of these sessions and all processes that they started: SIGTERM, and SIGKILL two seconds later.
---@param ids string[]
---@param reason string
function ending.processes(ids, reason)
    for _, id in ipairs(ids) do fiber.stop(ending.tag(id), reason) end
    if process.signal_marked(ending.VARIABLE, ids, "TERM") == 0 then return end
    if wait_for_end(ids) then return end
    process.signal_marked(ending.VARIABLE, ids, "KILL")
    wait_for_end(ids)
end

--- Removes the folders of ended sessions.
---@param rows session.Row[]
---@return string[] cleaned ids whose folder is gone
---@return { id: string, message: string }[] failures
function ending.folders(rows)
    local cleaned, failures = {}, {}
    for _, row in ipairs(rows) do
        local removed, message = folders.remove(row)
        if removed then
            cleaned[#cleaned + 1] = row.id
        else
            failures[#failures + 1] = { id = row.id, message = message }
        end
    end
    return cleaned, failures
end

return ending
