--- How a program ended, as one number and one line: the form that scripts of earlier versions know.
local exit_status = {}

local TIMED_OUT = 124 -- as timeout(1) says it
local SIGKILL = 9 -- what became of a process that the kernel does not let go of

--- The exit code; minus the number of the signal that ended it; 124 when its time was over.
---@param run process.Result
---@return integer
function exit_status.code(run)
    if run.timed_out then return TIMED_OUT end
    return run.exit_code or -(run.signal_number or SIGKILL)
end

--- What it wrote to stderr, with the timeout as the last line.
---@param stderr string
---@param limit string such as "30s"
---@return string
function exit_status.with_timeout(stderr, limit)
    if stderr ~= "" and stderr:sub(-1) ~= "\n" then stderr = stderr .. "\n" end
    return stderr .. "timeout after " .. limit
end

return exit_status
