--- The sessions in the database. Each function is one transaction; all say `nil, message, code` for what the database has
--- against it (see db).
---
--- States and who may change them:
---   creating  ready after the folder is made and the repository cloned
---   ready     usable; active while commands run; what is expired is none of the two whatever the row says
---   expired   nothing new begins; its processes end and its folder goes, after a restart too, until it is cleaned
---   cleaned   gone; the row stays for a day
--- Changes are made against the state (and expiry) that the caller saw, so of two that collide one has no effect and
--- looks again.
local db = require("db")
local moment = require("session.moment")

local store = {}

local database = db.open("sessions")

-- As v0.1.0 makes them.
local SCHEMA = {
    { [[CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'creating',
  workspace_path TEXT NOT NULL,
  repo TEXT,
  branch TEXT,
  ttl_minutes INTEGER NOT NULL DEFAULT 30,
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
)]] },
    { "CREATE INDEX IF NOT EXISTS idx_sessions_status_expires ON sessions(status, expires_at)" },
}

-- The tables are made when they are missed: a new file, or one that was taken away while the server runs.
local function perform(method, ...)
    local result, message, code = database[method](database, ...)
    if result or not message:find("no such table", 1, true) then return result, message, code end
    local made
    made, message, code = database:transaction(SCHEMA)
    if not made then return nil, message, code end
    return database[method](database, ...)
end

local function changed(sql, ...)
    local change, message, code = perform("exec", sql, ...)
    if not change then return nil, message, code end
    return change.changes > 0
end

local function stamp() return moment.text(moment.whole(moment.now())) end

---@class session.Row
---@field id string
---@field type string
---@field status "creating"|"ready"|"active"|"expired"|"cleaned"
---@field workspace_path string
---@field repo? string
---@field branch? string
---@field ttl_minutes integer
---@field expires_at string
---@field created_at string
---@field updated_at string

---@param row session.Row
function store.insert(row)
    return perform("exec", "INSERT INTO sessions (id, type, status, workspace_path, repo, branch, ttl_minutes, expires_at, "
        .. "created_at, updated_at) VALUES (?, ?, 'creating', ?, ?, ?, ?, ?, ?, ?)", row.id, row.type, row.workspace_path,
        row.repo, row.branch, row.ttl_minutes, row.expires_at, row.created_at, row.created_at)
end

---@return session.Row|false|nil row false: there is none
---@return string? message
---@return string? code
function store.find(id)
    local rows, message, code = perform("query", "SELECT * FROM sessions WHERE id = ?", id)
    if not rows then return nil, message, code end
    return rows[1] or false
end

--- A session that was made can be used now. False when it is no longer being made.
function store.open(id)
    return changed("UPDATE sessions SET status = 'ready', updated_at = ? WHERE id = ? AND status = 'creating'", stamp(), id)
end

--- Writes down whether commands run. False unless the session is usable and expires when the caller thinks (nil: whenever).
function store.busy(id, busy, expires_at)
    return changed("UPDATE sessions SET status = ?, updated_at = ? WHERE id = ? AND status IN ('ready', 'active') "
        .. "AND (?4 IS NULL OR expires_at = ?4)", busy and "active" or "ready", stamp(), id, expires_at)
end

--- Moves the end of a usable session. False when it is not, or no longer ends at `from`.
function store.extend(id, from, to)
    return changed("UPDATE sessions SET expires_at = ?, updated_at = ? WHERE id = ? AND expires_at = ? "
        .. "AND status IN ('ready', 'active')", to, stamp(), id, from)
end

--- Ends sessions. Of each {id, expires_at} only one that is not ended yet and, where the text is given, expires then.
---@param list { [1]: string, [2]: string? }[]
function store.expire(list)
    local statements, now = {}, stamp()
    for position, item in ipairs(list) do
        statements[position] = { "UPDATE sessions SET status = 'expired', updated_at = ?1 WHERE id = ?2 AND status IN "
            .. "('creating', 'ready', 'active') AND (?3 IS NULL OR expires_at = ?3)", now, item[1], item[2], n = 4 }
    end
    return database:transaction(statements)
end

--- Of ended sessions nothing is left.
---@param ids string[]
function store.clean(ids)
    local statements, now = {}, stamp()
    for position, id in ipairs(ids) do
        statements[position] = { "UPDATE sessions SET status = 'cleaned', updated_at = ? WHERE id = ? AND status = 'expired'",
            now, id }
    end
    return database:transaction(statements)
end

--- Sessions that are over and not cleaned, in the order of their ids, behind `after`.
---@return session.Row[]?
function store.due(now, after, limit)
    return perform("query", "SELECT * FROM sessions WHERE id > ? AND (status = 'expired' OR (status IN ('ready', 'active', "
        .. "'creating') AND expires_at <= ?)) ORDER BY id LIMIT ?", after, moment.bound(now), limit)
end

local function marks(ids) return ("?, "):rep(#ids):sub(1, -3) end

--- The sessions of this list that are ended and not cleaned.
function store.ended(ids)
    return perform("query", "SELECT * FROM sessions WHERE status = 'expired' AND id IN (" .. marks(ids) .. ")",
        table.unpack(ids))
end

--- Which of these ids have a row.
---@return table<string, true>?
function store.known(ids)
    local rows, message, code = perform("query", "SELECT id FROM sessions WHERE id IN (" .. marks(ids) .. ")", table.unpack(ids))
    if not rows then return nil, message, code end
    local known = {}
    for _, row in ipairs(rows) do known[row.id] = true end
    return known
end

--- Removes rows that were cleaned before `point`, at most `limit`; says how many.
function store.forget(point, limit)
    local change, message, code = perform("exec", "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE "
        .. "status = 'cleaned' AND updated_at < ? LIMIT ?)", moment.text(point), limit)
    if not change then return nil, message, code end
    return change.changes
end

--- No command runs: what a server that was killed left as active is ready.
function store.settle()
    return perform("exec", "UPDATE sessions SET status = 'ready' WHERE status = 'active'")
end

--- How many there are of each state.
---@return table<string, integer>?
function store.count()
    local rows, message, code = perform("query", "SELECT status, count(*) AS count FROM sessions GROUP BY status")
    if not rows then return nil, message, code end
    local counts = {}
    for _, row in ipairs(rows) do counts[row.status] = row.count end
    return counts
end

return store
