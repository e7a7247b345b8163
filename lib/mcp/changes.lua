--- When new scripts take over, clients hear of the lists that really changed.
local notify = require("mcp.notify")
local revisions = require("mcp.revisions")
local shared = require("shared")

local changes = {}

local KEPT_MS = 34560000000

-- A text that is the same as long as clients see the same, for each list that can be told of.
local function fingerprints(registry)
    local revision = revisions.modern
    return {
        tools = registry.tools:fingerprint(revision),
        prompts = registry.prompts:fingerprint(revision),
        resources = registry.resources:fingerprint(revision) .. registry.templates:fingerprint(revision),
    }
end

--- Compares what the scripts offer with what the ones before offered, and tells of the differences.
---@param registry mcp.Registry
function changes.tell(registry)
    for kind, now in pairs(fingerprints(registry)) do
        local key = "fingerprint " .. kind
        local before = shared.get(key)
        shared.put(key, now, KEPT_MS)
        if before and before ~= now then notify.list_changed(kind) end
    end
end

return changes
