--- Keywords that lead elsewhere: $ref, $dynamicRef.
local expect = require("schema.expect")

local function compile_ref(build)
    local node = build:reference(expect.string(build.argument, build.at))
    return function(run, v, record) return node.run(run, v, record) end
end

--- The outermost resource entered so far that has a dynamic anchor of this name decides.
local function compile_dynamic(build)
    local node, name = build:dynamic_reference(expect.string(build.argument, build.at))
    if not name then return function(run, v, record) return node.run(run, v, record) end end
    local targets = build:dynamic_targets(name)
    return function(run, v, record)
        local target, entry = node, run.scope
        while entry do
            run:spend(1)
            target = targets[entry.resource] or target
            entry = entry.outer
        end
        return target.run(run, v, record)
    end
end

return {
    { keyword = "$ref", vocabulary = "core", compile = compile_ref },
    { keyword = "$dynamicRef", vocabulary = "core", compile = compile_dynamic },
}
