--- A stand-in for the module shared: memory that expires by a clock of the spec.
local fake_shared = {}

--- @param now fun(): number milliseconds
--- @return table shared as lib/_meta/shared.lua says
--- @return table<string, { value: string, finish: number }> memory what is in it
function fake_shared.new(now)
    local shared, memory = {}, {}
    local function entry(key)
        assert(type(key) == "string", "shared: expected a key")
        local found = memory[key]
        return found and found.finish > now() and found or nil
    end
    function shared.get(key)
        local found = entry(key)
        return found and found.value
    end
    function shared.put(key, value, ttl_ms)
        assert(type(value) == "string" and ttl_ms >= 1 and ttl_ms <= 34560000000, "shared.put: expected a string and a time")
        memory[key] = { value = value, finish = now() + ttl_ms }
        return true
    end
    function shared.put_new(key, value, ttl_ms) return not entry(key) and shared.put(key, value, ttl_ms) end
    function shared.remove(key)
        local was = entry(key) ~= nil
        memory[key] = nil
        return was
    end
    function shared.take(key)
        local value = shared.get(key)
        memory[key] = nil
        return value
    end
    function shared.add(key, amount, ttl_ms)
        local found = entry(key)
        local sum = math.tointeger(found and found.value or 0) + amount
        if found then found.value = tostring(sum) else shared.put(key, tostring(sum), ttl_ms) end
        return sum
    end
    function shared.ttl(key)
        local found = entry(key)
        return found and found.finish - now()
    end
    return shared, memory
end

return fake_shared
