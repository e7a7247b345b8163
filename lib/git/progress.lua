--- How far a transfer is: read out of what git writes for people at a terminal, and left out of what it said.
local mask = require("git.mask")
local text = require("text")

local progress = {}

local LONGEST = 200 -- bytes of a line; a longer one is none of git's

-- The part of the whole, in percent, that each step of git takes. A step that is skipped is a leap.
local STEPS = {
    ["Counting objects"] = { 0, 5 }, ["Compressing objects"] = { 5, 10 },
    ["Receiving objects"] = { 10, 80 }, ["Unpacking objects"] = { 10, 80 }, ["Writing objects"] = { 10, 80 },
    ["Resolving deltas"] = { 80, 95 }, ["Updating files"] = { 95, 100 }, ["Filtering content"] = { 95, 100 },
}
local WHOLE = 100

-- "remote: Counting objects:  60% (3/5)        " and the like: git overwrites each with the next.
local STEP = "^([^:]+): +%d+%% %((%d+)/(%d+)%)%s*%f[,\0]"

-- What git only says with progress; each may come from the remote.
local ADDITIONS = {
    STEP, "^[^:]+: %d+, done%.%s*$", "^Total %d+ %(delta %d+%), reused %d+ %(delta %d+%)",
    "^Delta compression using up to %d+ thread",
}

local function without_remote(line) return (line:gsub("^remote: ", "")) end

local function is_addition(line)
    line = without_remote(line)
    for _, pattern in ipairs(ADDITIONS) do
        if line:find(pattern) then return true end
    end
    return false
end

--- The arguments of a command with the option that makes it tell its progress.
---@param arguments string[] from the subcommand on
---@return string[]
function progress.asked_for(arguments)
    return table.move(arguments, 2, #arguments, 3, { arguments[1], "--progress" })
end

--- What git would have said without progress.
---@param output string
---@return string
function progress.leave_out(output)
    return (output:gsub("([^\r\n]*)([\r\n]?)", function(line)
        if is_addition(line) then return "" end
    end))
end

local function value_of(line)
    local name, done, all = line:match(STEP)
    local step = STEPS[name]
    if not step or tonumber(all) == 0 then return nil end
    return math.floor(step[1] + (step[2] - step[1]) * math.min(1, done / all)) -- a remote may say anything
end

--- A function for process.run's `on_output` that tells the client.
---@param ctx ctx.Context
---@return fun(stdout: string, stderr: string)
function progress.teller(ctx)
    local rest = ""
    return function(_, stderr)
        rest = rest .. stderr
        for line in rest:gmatch("([^\r\n]*)[\r\n]") do
            local value = #line <= LONGEST and value_of(without_remote(line))
            if value then ctx:progress(value, WHOLE, mask.text((text.clean(line:match("^(.-)%s*$"))))) end
        end
        rest = rest:match("[^\r\n]*$"):sub(-LONGEST - 1)
    end
end

return progress
