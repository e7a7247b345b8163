--- unevaluatedItems: items that no adjacent or in-place keyword has evaluated.
local message = require("schema.message")

local function extra_message(v, index)
    return ("expected no further item, got %s"):format(message.got(v[index], false))
end

local function compile(build)
    local node = build:child(build.argument)
    return function(run, v, record)
        if record.all_items then return true end
        local ok = true
        for i = record.first + 1, #v do
            if not record.items[i] then
                local fits
                if node.schema == false then
                    fits = run:fail_at(i - 1, "unevaluatedItems", extra_message, v, i)
                else
                    fits = run:child(node, i - 1, v[i])
                end
                ok = ok and fits
                if run.quiet and not ok then return false end
            end
        end
        record.all_items = true
        return ok
    end
end

return {
    { keyword = "unevaluatedItems", vocabulary = "unevaluated", kinds = { "array" }, compile = compile, late = true },
}
