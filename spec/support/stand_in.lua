--- Lua to put before a chunk that runs in the program, where the list of loaded modules is sealed. `standing_in(fakes,
--- ...)` gives a `require` for which the fakes are the modules of those names; modules of lib whose names match one of the
--- patterns that follow are loaded anew and see them too.
local program = require("spec.support.program")

return ([[
local function standing_in(fakes, ...)
    local made, patterns, env = {}, { ... }, nil
    local function is_new(name)
        for _, pattern in ipairs(patterns) do
            if name:find(pattern) then return true end
        end
        return false
    end
    local function required(name)
        if fakes[name] then return fakes[name] end
        if not is_new(name) then return require(name) end
        made[name] = made[name] or assert(loadfile(%q .. name:gsub("%%.", "/") .. ".lua", "t", env))(name)
        return made[name]
    end
    env = setmetatable({ require = required }, { __index = _G })
    return required
end
]]):format(program.root .. "/lib/")
