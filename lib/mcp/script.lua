--- Runs an operator's script: its environment is the standard library, `require`, `json`, and the words that define
--- what the server offers.
local fail = require("mcp.fail")
local json = require("json")

local script = {}

-- `tool { … }` defines one, `tool.fail(message)` ends a call with a message for the agent.
local function tool_word(registry)
    local function define(_, given)
        local added, complaint = registry:add(given)
        if not added then error(complaint, 2) end
    end
    return setmetatable({ fail = fail.raise }, { __call = define, __newindex = function() error("tool is read-only", 2) end })
end

-- Names that the script assigns live here and can no longer be assigned once it was read: calls share nothing.
local function environment(registry)
    local names = { tool = tool_word(registry), json = json }
    local sealed = false
    local env = setmetatable({}, {
        __index = function(_, name)
            local value = names[name]
            if value == nil then return _G[name] end
            return value
        end,
        __newindex = function(_, name, value)
            if sealed then error(("global %s: scripts keep no state between calls"):format(tostring(name)), 2) end
            names[name] = value
        end,
    })
    return env, function() sealed = true end
end

--- Reads the script at `path` and adds what it defines to `registry`; raises `file:line: what is wrong`.
---@param path string
---@param registry mcp.Registry
function script.run(path, registry)
    local env, seal = environment(registry)
    local chunk, complaint = loadfile(path, "t", env)
    if not chunk then error(complaint, 0) end
    chunk()
    seal()
end

return script
