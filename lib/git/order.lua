--- Calls that change one thing - a repository, or the directory that a clone goes to - one after the other: who asks
--- first is first. A call that is stopped keeps its turn until what it had started has ended and is cleaned up.
local fs = require("fs")
local turns = require("turns")

local order = {}

---@class git.Turn to be closed
---@field private call git.Call
---@field private turn turns.Turn
---@field if_stopped? fun() what is left to do when the call is stopped; git has ended by then
local Turn = {}
Turn.__index = Turn

--- The call is over, or was stopped: git is being ended.
function Turn:__close(problem)
    if problem == nil then return self.turn:leave() end
    self.call:when_ended(function()
        local _ <close> = self.turn
        if self.if_stopped then self.if_stopped() end
    end)
end

local IN_VAIN = "Error: %s. Calls that change the same repository wait for each other, and this one waited in vain:"
    .. " nothing was done.\ntimeout after %gs"

--- The turn at a thing; waits for it as long as the call may take.
---@param call git.Call
---@param thing string absolute path
---@param tool string
---@return git.Turn? turn
---@return string? message
function order.at(call, thing, tool)
    local turn, message = turns.take(thing, tool, math.max(1, call:time_left_ms() // 1 | 0))
    if turn then return setmetatable({ call = call, turn = turn }, Turn) end
    return nil, IN_VAIN:format(message, call.timeout_s)
end

-- Linked work trees share refs and more with their repository, so they share its turns.
local function repository_of(call) return call.place and call.place.common_dir or fs.resolve(call.cwd) or call.cwd end

--- Does something that changes the call's repository, when it is its turn.
---@param call git.Call
---@param tool string
---@param act fun(call: git.Call, ...: any): table?, string?
function order.change(call, tool, act, ...)
    local turn <close>, message = order.at(call, repository_of(call), tool)
    if not turn then return nil, message end
    return act(call, ...)
end

return order
