--- Cleans up what is over: sessions past their time, those whose end was interrupted, and folders of sessions that no row
--- knows any more. Runs at the start and every five
--- minutes, in batches, so that neither memory nor a transaction grows with their number. What fails is left as it is
--- and tried again in the next round.
local census = require("session.census")
local ending = require("session.ending")
local fiber = require("fiber")
local folders = require("session.folders")
local log = require("log")
local metrics = require("metrics")
local moment = require("session.moment")
local shared = require("shared")
local store = require("session.store")

local reaper = {}

local logger = log.logger("sessions")

local BATCH = 200
local KEPT = 24 * moment.HOUR
local MARGIN_MS = 30000 -- a round ends while there is time for one more batch

local function time_is_left()
    local left = fiber.time_left()
    return not left or left > MARGIN_MS
end

local function pairs_of(rows)
    local list, ids = {}, {}
    for position, row in ipairs(rows) do
        list[position] = { row.id, row.expires_at }
        ids[position] = row.id
    end
    return list, ids
end

-- Ends those of a batch that nobody extended meanwhile. Counts of what was cleaned and what was not.
local function reap(rows)
    local list, ids = pairs_of(rows)
    local marked, message = store.expire(list)
    if not marked then return nil, message end
    local ended
    ended, message = store.ended(ids)
    if not ended then return nil, message end
    local _, ended_ids = pairs_of(ended)
    ending.processes(ended_ids, "the session expired")
    local cleaned, failures = ending.folders(ended)
    for _, failure in ipairs(failures) do
        logger.warning(("Session %s could not be removed: %s"):format(failure.id, failure.message))
    end
    if #cleaned > 0 then
        local done
        done, message = store.clean(cleaned)
        if not done then return nil, message end
    end
    metrics.add("sandstorm_sessions_cleaned_total", { by = "reaper" }, #cleaned)
    return #cleaned, #failures
end

local function reap_all()
    local cleaned, failed, after = 0, 0, ""
    repeat
        local rows, message = store.due(moment.now(), after, BATCH)
        if not rows then return nil, message end
        if #rows == 0 then break end
        local done, left = reap(rows)
        if not done then return nil, left end
        cleaned, failed, after = cleaned + done, failed + left, rows[#rows].id
    until not time_is_left()
    return cleaned, failed
end

-- Ends what has no row among the oldest folders: the database was lost, or is an older one. A session lives for two hours
-- at most, so none of another database is taken that lives.
local function remove_strays()
    local rows, ids = folders.older_than(moment.now() - KEPT, BATCH), {}
    for position, row in ipairs(rows) do ids[position] = row.id end
    local known = #ids > 0 and store.known(ids)
    if not known then return end
    local strays, stray_ids = {}, {}
    for _, row in ipairs(rows) do
        if not known[row.id] then strays[#strays + 1], stray_ids[#stray_ids + 1] = row, row.id end
    end
    if #strays == 0 then return end
    ending.processes(stray_ids, "the session is not known")
    local removed, failures = ending.folders(strays)
    for _, id in ipairs(removed) do logger.info(("Session %s, of which no row is left, was removed"):format(id)) end
    for _, failure in ipairs(failures) do
        logger.warning(("Session %s could not be removed: %s"):format(failure.id, failure.message))
    end
end

local function forget_old()
    local point = moment.now() - KEPT
    repeat
        local gone, message, code = store.forget(point, BATCH)
        census.changed(message, code)
    until not gone or gone < BATCH or not time_is_left()
end

-- Once in the life of the server.
local function settle()
    if shared.get("session/settled") then return end
    if store.settle() then shared.put("session/settled", "yes", 400 * 86400000) end
end

--- One round.
function reaper.run()
    settle()
    local cleaned, failed = reap_all()
    if cleaned then remove_strays() end
    forget_old()
    census.take()
    if not cleaned then
        logger.warning("Session reaper: the database cannot be used: " .. failed)
    elseif cleaned + failed > 0 then
        logger.info(("Session reaper: cleaned %d sessions (%d errors)"):format(cleaned, failed))
    end
end

--- What is done again and again.
---@return app.Tick[]
function reaper.ticks() return { { every_ms = 300000, run = reaper.run }, { every_ms = 10000, run = census.take } } end

return reaper
