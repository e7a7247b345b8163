--- Runs Lua with the modules of lib/session inside the program, with a database and a workspace of its own. The source
--- has, beside a `require` whose modules can be changed, `at(ms)` and `later(minutes)` for the clock, which stands at
--- 2026-11-30T12:00:00Z, the modules `store`, `moment` and `folders`, and `insert(id, changes)`: a session that is ready
--- and has its folders.
local program = require("spec.support.program")

-- Modules are sealed: those of lib/session are read anew, of the others there is a front that can be changed.
local PRELUDE = [[
local library, the_real, loaded = ..., require, {}
local env = setmetatable({}, { __index = _G })
local function require(name)
    if not loaded[name] then
        local anew = name:find("^session%.") and assert(loadfile(library .. "/" .. name:gsub("%.", "/") .. ".lua", "t", env))
        loaded[name] = anew and anew() or setmetatable({}, { __index = the_real(name) })
    end
    return loaded[name]
end
env.require = require
local clock, json = require("clock"), require("json")
local now = 1796040000000
local function at(ms) now = ms end
local function later(minutes) now = now + minutes * 60000 end
clock.now_ms = function() return now end
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
    local value, result = program.lua(PRELUDE .. source, { args = { program.root .. "/lib" } })
    if log then log.text = result.stderr end
    return value
end
