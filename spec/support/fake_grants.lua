--- A stand-in for the module grants: a list in memory.
local fake_grants = {}

--- @return table as lib/_meta/grants.lua says; `broken` is what it has against writing
function fake_grants.new()
    local grants, all, ended_up_to = {}, {}, 0
    local function of(id)
        for _, grant in ipairs(all) do
            if grant.id == id then return grant end
        end
    end
    local function written() return not grants.broken or nil, grants.broken end
    function grants.add(grant)
        local entry = { used = 0, revoked = false }
        for name, value in pairs(grant) do entry[name] = value end
        all[#all + 1] = entry
        return written()
    end
    function grants.use(id)
        local grant = of(id)
        if grant then grant.used = grant.used + 1 end
    end
    function grants.revoke(id, finish)
        if not of(id) then all[#all + 1] = { id = id, name = "", where = "", start_ms = 0, finish = finish or 0, used = 0 } end
        of(id).revoked = true
        return written()
    end
    function grants.revoke_all(now_ms)
        ended_up_to = now_ms
        return written()
    end
    function grants.is_revoked(id, start_ms)
        local grant = of(id)
        return start_ms <= ended_up_to or grant ~= nil and grant.revoked
    end
    function grants.not_before() return ended_up_to end
    function grants.list() return table.move(all, 1, #all, 1, {}) end
    return grants
end

return fake_grants
