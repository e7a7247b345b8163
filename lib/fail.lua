--- Failures on purpose: what `tool.fail(message)` raises. The agent reads the message as the result of its call
--- (`isError`); every other raised value is an internal error that it only learns the id of.
local fail = {}

local Failure = { __tostring = function(self) return self.message end } -- without __index, which would lead to it

--- Ends the call with `message` for the agent.
---@param message string
function fail.raise(message)
    if type(message) ~= "string" then
        error(("tool.fail: expected the message as a string, got %s"):format(type(message)), 2)
    end
    error(setmetatable({ message = message }, Failure), 0)
end

--- Ends the call with an error of the protocol, which programs read instead of agents.
---@param code integer
---@param message string
---@param data? any
function fail.refuse(code, message, data)
    if math.type(code) ~= "integer" or type(message) ~= "string" then
        error("tool.refuse: expected an integer and a string", 2)
    end
    error(setmetatable({ message = message, refusal = { code = code, message = message, data = data } }, Failure), 0)
end

--- The message of a raised value that fail.raise made, or nil.
---@return string?
function fail.message_of(raised) return getmetatable(raised) == Failure and raised.message or nil end

--- The error of a raised value that fail.refuse made, or nil.
---@return mcp.Failure?
function fail.refusal_of(raised) return getmetatable(raised) == Failure and raised.refusal or nil end

return fail
