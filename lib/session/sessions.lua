--- What can be done with sessions, and what happens when several do it at one time: the database decides. Every function
--- answers `nil, message, status` where it refuses.
local census = require("session.census")
local clone = require("session.clone")
local crypto = require("crypto")
local ending = require("session.ending")
local exec = require("session.exec")
local folders = require("session.folders")
local log = require("log")
local metrics = require("metrics")
local moment = require("session.moment")
local store = require("session.store")

local sessions = {}

local logger = log.logger("sessions")

local LIFE = 120 * moment.MINUTE -- from its creation, at most
local LOST, UNKNOWN, EXPIRED = "Session not found or expired", "Session not found", "Session expired"

-- What the world did, as a status: 507 for no space, 503 for what may be over later.
local STATUS = { EFULL = 507, ENOSPC = 507, EDQUOT = 507 }
local function trouble(message, code) return nil, message, STATUS[code] or 503 end

local function uuid()
    local bytes = { crypto.random(16):byte(1, 16) }
    bytes[7] = bytes[7] & 0x0F | 0x40
    bytes[9] = bytes[9] & 0x3F | 0x80
    return ("%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x"):format(table.unpack(bytes))
end

-- A row's end; one that cannot be read is over.
local function ends(row) return moment.read(row.expires_at) or 0 end

local function is_over(row) return ends(row) <= moment.now() end

--- Minutes, the last one counted whole; 0 when it is over.
---@param row session.Row
---@return integer
function sessions.minutes_left(row) return math.max(0, -((moment.now() - ends(row)) // moment.MINUTE)) end

local function new_row(fields)
    local now, id = moment.now(), uuid()
    local repo = fields.requirements and fields.requirements.repo
    if type(repo) ~= "string" then repo = nil end
    local branch = fields.requirements and fields.requirements.branch
    return {
        id = id, type = fields.type, workspace_path = folders.path(id), ttl_minutes = fields.ttl_minutes,
        repo = repo, branch = repo and (type(branch) == "string" and branch or "main"),
        created_at = moment.text(moment.whole(now)), expires_at = moment.text(now + fields.ttl_minutes * moment.MINUTE),
    }
end

-- Ends a session for good. True, or nil and what is left.
local function finish(row, reason)
    local marked, message, code = store.expire({ { row.id } })
    if not marked then return trouble(message, code) end
    ending.processes({ row.id }, reason)
    local _, failures = ending.folders({ row })
    if failures[1] then
        return nil, ("The session is over, but its folder could not be removed: %s"):format(failures[1].message), 500
    end
    local cleaned
    cleaned, message, code = store.clean({ row.id })
    if not cleaned then return trouble(message, code) end
    census.take()
    return true
end

local function furnish(row, body, fields)
    local made, message, code = folders.make(row.id, body, fields.context)
    if not made then return trouble(message, code) end
    if not row.repo then return true end
    made, message = clone.run(row.id, row.workspace_path .. "/workspace", row.repo, row.branch)
    if not made then return nil, message, 422 end
    return true
end

local function wrong_branch(fields)
    local branch = fields.requirements and fields.requirements.branch
    return type(branch) == "string" and clone.complaint(branch) or nil
end

local function open(row)
    local opened, message, code = store.open(row.id)
    if opened == nil then return trouble(message, code) end
    return opened
end

-- False for a session that somebody ended meanwhile, which then has its folder again perhaps.
local function is_being_made(row)
    local found = store.find(row.id)
    return found == nil or (found and found.status == "creating")
end

--- Makes a session. One that cannot be made is ended at once.
---@param fields table checked
---@param body string what the client sent
---@return session.Row?
function sessions.create(fields, body)
    local complaint = wrong_branch(fields)
    if complaint then return nil, complaint, 400 end
    local row = new_row(fields)
    local made, message, code = folders.check()
    if made then
        made, message, code = store.insert(row)
        census.changed(message, code)
    end
    if not made then return trouble(message, code) end
    local opened, why, status = furnish(row, body, fields)
    if opened then opened, why, status = open(row) end
    if not opened then
        if not is_being_made(row) then why, status = EXPIRED, 410 end
        finish(row, "the session could not be made")
        return nil, why, status
    end
    metrics.add("sandstorm_sessions_created_total")
    logger.info(("Session %s created (type=%s ttl=%dm)"):format(row.id, row.type, row.ttl_minutes))
    census.take()
    return row
end

---@return session.Row?
function sessions.find(id)
    local row, message, code = store.find(id)
    if row == nil then return trouble(message, code) end
    if not row then return nil, UNKNOWN, 404 end
    return row
end

-- A session that can be used. One past its time is ended here: 410 once.
local function usable(id)
    local row, message, code = store.find(id)
    if row == nil then return trouble(message, code) end
    if not row or (row.status ~= "ready" and row.status ~= "active") then return nil, LOST, 404 end
    if not is_over(row) then return row end
    local marked
    marked, message, code = store.expire({ { id, row.expires_at } })
    if not marked then return trouble(message, code) end
    return nil, EXPIRED, 410
end

-- Does `change(row)` to a usable session, again when somebody else was quicker.
local function with_usable(id, change)
    while true do
        local row, message, status = usable(id)
        if not row then return nil, message, status end
        local done, why, code = change(row)
        if done == nil then return trouble(why, code) end
        if done then return row end
    end
end

--- Moves the end of a session.
---@return session.Row? row as it is now
function sessions.extend(id, minutes)
    return with_usable(id, function(row)
        local latest = (moment.read(row.created_at) or 0) + LIFE
        local to = moment.text(math.min(ends(row) + math.min(minutes, 1000000) * moment.MINUTE, math.max(latest, ends(row))))
        local done, message, code = store.extend(id, row.expires_at, to)
        row.expires_at = to
        return done, message, code
    end)
end

local EXEC_STATUS = { ECWD = 400, EINVAL = 400, EOVER = 410, ENOENT = 409, ENOTDIR = 409, EOUTSIDE = 409 }

--- Runs a command.
---@param fields session.Command
---@return { [1]: string, [2]: any }[]? members of the answer
function sessions.exec(id, fields)
    local refusal
    local members, message, code = exec.run(id, fields, function()
        local row, why, status = with_usable(id, function(row) return store.busy(id, true, row.expires_at) end)
        refusal = not row and status
        return row, why
    end)
    if members then return members end
    if refusal then return nil, message, refusal end
    return nil, message, EXEC_STATUS[code] or 503
end

--- Ends a session. One that is over already is a success.
---@return true?
function sessions.delete(id)
    local row, message, status = sessions.find(id)
    if not row then return nil, message, status end
    if row.status == "cleaned" then return true end
    local done
    done, message, status = finish(row, "the session was deleted")
    if not done then return nil, message, status end
    metrics.add("sandstorm_sessions_cleaned_total", { by = "request" })
    logger.info(("Session %s cleaned"):format(id))
    return true
end

return sessions
