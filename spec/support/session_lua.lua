--- Runs Lua with the modules of lib/session inside the program, with a database and a workspace of its own. The source
--- has, beside require, `at(ms)` and `later(minutes)` for the clock, which stands at 2026-11-30T12:00:00Z, the modules
--- `store`, `moment` and `folders`, and `insert(id, changes)`: a session that is ready and has its folders. Functions of
--- fiber, ledger and metrics may be replaced.
local program = require("spec.support.program")
local stand_in = require("spec.support.stand_in")

local PRELUDE = [[
local json = require("json")
local now = 1796040000000
local function at(ms) now = ms end
local function later(minutes) now = now + minutes * 60000 end
local function over(name, functions) return setmetatable(functions, { __index = require(name) }) end
local require = standing_in({
    clock = over("clock", { now_ms = function() return now end }),
    fiber = over("fiber", {}), ledger = over("ledger", {}), metrics = over("metrics", {}),
}, "^session%.")
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
    local value, result = program.lua(stand_in .. PRELUDE .. source, { env = { SANDSTORM_LOG_LEVEL = "info" } })
    if log then log.text = result.stderr end
    return value
end
