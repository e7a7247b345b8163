--- Runs Lua with the modules of lib/session inside the program, with a database and a workspace of its own. The source
--- has, beside require, `at(ms)` and `later(minutes)` for the clock, which stands at 2026-11-30T12:00:00Z, the modules
--- `store`, `moment` and `folders`, and `insert(id, changes)`: a session that is ready and has its folders.
local program = require("spec.support.program")

local PRELUDE = [[
local clock, json = require("clock"), require("json")
local now = 1796040000000
local function at(ms) now = ms end
local function later(minutes) now = now + minutes * 60000 end
package.loaded.clock = setmetatable({ now_ms = function() return now end }, { __index = clock })
for name in pairs(package.loaded) do
    if name:find("^session%.") then package.loaded[name] = nil end
end
local store, moment, folders = require("session.store"), require("session.moment"), require("session.folders")
local function insert(id, changes)
    local row = { id = id, type = "t", workspace_path = folders.path(id), ttl_minutes = 30,
        created_at = "2026-11-30T12:00:00Z", expires_at = "2026-11-30T12:30:00Z" }
    for name, value in pairs(changes or {}) do row[name] = value end
    assert(store.insert(row))
    assert(folders.make(id, "{}", nil))
    if not row.creating then assert(store.open(id)) end
    return row
end
]]

--- What the source returns, and what the program wrote to stderr in `log`.
return function(source, log)
    local value, result = program.lua(PRELUDE .. source)
    if log then log.text = result.stderr end
    return value
end
