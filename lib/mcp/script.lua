--- Runs an operator's script: its environment is the standard library, `require`, `json`, and the words that define
--- what the server offers.
local fail = require("fail")
local notify = require("mcp.notify")

local script = {}

-- A word that is called to define something, with more functions in it.
local function word(name, add, functions)
    local function define(_, given)
        local added, complaint = add(given)
        if not added then error(complaint, 2) end
    end
    return setmetatable({}, {
        __index = functions, __call = define, __newindex = function() error(name .. " is read-only", 2) end,
    })
end

-- `_G` is what scripts see (runtime/lua_seal.c): modules that are read-only.
local function words_of(registry)
    return {
        json = _G.require("json"),
        content = _G.require("mcp.content"),
        changed = notify.list_changed,
        updated = notify.resource_updated,
        tool = word("tool", function(given) return registry:add(given) end, { fail = fail.raise, refuse = fail.refuse }),
        resource = word("resource", function(given) return registry:add_resource(given) end),
        resource_template = word("resource_template", function(given) return registry:add_template(given) end),
        prompt = word("prompt", function(given) return registry:add_prompt(given) end),
        completion = word("completion", function(given) return registry:add_completion(given) end),
    }
end

-- Names that the script assigns live here and can no longer be assigned once it was read: calls share nothing.
local function environment(registry)
    local names = words_of(registry)
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
