local json = require("cjson")
local run = require("spec.support.session_lua")

--- One round of the reaper.
local function reap(source, log)
    return run([[
        local reaper, sessions, fs = require("session.reaper"), require("session.sessions"), require("fs")
        local function state(id)
            local row = store.find(id)
            return (row and row.status or "none") .. (fs.stat(folders.path(id)) and " with folder" or "")
        end
    ]] .. source, log)
end

describe("session.reaper", function()
    it("takes the folder and then the row of what is over, and leaves the others", function()
        assert.same({ "cleaned", "cleaned", "cleaned", "ready with folder", "none" }, reap([[
            insert("over", { expires_at = "2026-11-30T11:59:59Z" })
            insert("never-opened", { expires_at = "2026-11-30T11:59:59Z", creating = true })
            insert("interrupted")
            store.expire({ { "interrupted" } })
            insert("alive")
            reaper.run()
            return { state("over"), state("never-opened"), state("interrupted"), state("alive"), state("nobody") }
        ]]))
    end)

    it("ends what a session left running before its folder goes, counts it and says so", function()
        local log = {}
        local seen = reap([[
            insert("a", { expires_at = "2026-11-30T11:59:59Z" })
            insert("b", { expires_at = "2026-11-30T11:59:59Z" })
            insert("alive")
            local metrics, counted, ended = require("metrics"), {}, {}
            metrics.add = function(...) counted[#counted + 1] = { ... } end
            require("session.ending").processes = function(ids, reason)
                ended[#ended + 1] = { ids, reason, state(ids[1]), state(ids[2]) }
            end
            reaper.run()
            return { ended, counted, require("session.census").read().counts }
        ]], log)
        assert.same({
            { { { "a", "b" }, "the session expired", "expired with folder", "expired with folder" } },
            { { "sandstorm_sessions_cleaned_total", { by = "reaper" }, 2 } }, { cleaned = 2, ready = 1 },
        }, seen)
        assert.matches("Session reaper: cleaned 2 sessions %(0 errors%)", log.text)
    end)

    it("removes a folder that no row knows after a day, if it has the name and the shape of a session's", function()
        local log = {}
        assert.same({ stray = false, young = true, known = true, file = true, link = true, named = true, other = true }, reap([[
            local process, root = require("process"), fs.root()
            local function id(digit) return ("0000000%d-0000-4000-8000-000000000000"):format(digit) end
            insert(id(3))
            assert(process.run { command = ("mkdir -p sessions/%s/workspace sessions/%s sessions/precious sessions/%s target; "
                .. ": > sessions/%s; ln -s ../target sessions/%s; : > sessions/%s/workspace/f"):format(id(1), id(2),
                "00000006-0000-1000-8000-000000000000", id(4), id(5), id(1)) }.exit_code == 0)
            assert(process.run { command = "touch -h -d 2026-11-29T11:59:59Z sessions/*" }.exit_code == 0)
            assert(process.run { command = "touch -d 2026-11-29T12:00:00Z sessions/" .. id(2) }.exit_code == 0)
            reaper.run()
            local function is_there(name) return fs.stat(root .. "/sessions/" .. name) ~= nil end
            return { stray = is_there(id(1)), young = is_there(id(2)), known = is_there(id(3)), file = is_there(id(4)),
                link = is_there(id(5)), named = is_there("precious"), other = is_there("00000006-0000-1000-8000-000000000000") }
        ]], log))
        assert.matches("Session 00000001%-0000%-4000%-8000%-000000000000, of which no row is left, was removed", log.text)
    end)

    it("removes no folder while the database cannot be asked", function()
        assert.is_true(reap([[
            local id = "00000001-0000-4000-8000-000000000000"
            assert(require("process").run { command = "mkdir -p sessions/" .. id .. "; touch -d 2026-01-01 sessions/*" })
            store.known = function() return nil, "locked", "EBUSY" end
            reaper.run()
            store.due = function() return nil, "locked", "EBUSY" end
            store.known = function() return {} end
            reaper.run()
            return fs.stat(folders.path(id)) ~= nil
        ]]))
    end)

    it("says nothing where nothing was over", function()
        local log = {}
        reap([[insert("alive") reaper.run() reaper.run()]], log)
        assert.not_matches("Session reaper", log.text)
    end)

    it("comes every five minutes, and counts every ten seconds", function()
        assert.same({ { 300000, true }, { 10000, true } }, reap([[
            local first, second = table.unpack(reaper.ticks())
            return { { first.every_ms, first.run == reaper.run }, { second.every_ms,
                second.run == require("session.census").take } }
        ]]))
    end)

    it("leaves a session that was extended after it was found to be over", function()
        assert.same({ "ready with folder", "2026-11-30T12:25:00Z", "cleaned" }, reap([[
            insert("extended", { expires_at = "2026-11-30T11:55:00Z" })
            insert("over", { expires_at = "2026-11-30T11:55:00Z" })
            local due = store.due
            store.due = function(...)
                local rows = table.pack(due(...))
                store.extend("extended", "2026-11-30T11:55:00Z", "2026-11-30T12:25:00Z")
                return table.unpack(rows, 1, rows.n)
            end
            reaper.run()
            return { state("extended"), store.find("extended").expires_at, state("over") }
        ]]))
    end)

    it("lets nobody extend or use what it has ended, however it stands with its folder", function()
        assert.same({ 404, 404, "expired with folder" }, reap([[
            insert("over", { expires_at = "2026-11-30T11:55:00Z" })
            folders.remove = function() return nil, "busy" end
            reaper.run()
            local extended = select(3, sessions.extend("over", 15))
            local used = select(3, sessions.exec("over", { command = "true", timeout_ms = 1000 }))
            return { extended, used, state("over") }
        ]]))
    end)

    it("tries again in the next round what it could not remove, and goes on behind it", function()
        local log = {}
        local seen = reap([[
            for _, id in ipairs({ "a", "b", "c" }) do insert(id, { expires_at = "2026-11-30T11:55:00Z" }) end
            local remove, stuck = folders.remove, true
            folders.remove = function(row)
                if row.id == "b" and stuck then return nil, "Device or resource busy" end
                return remove(row)
            end
            reaper.run()
            local first = { state("a"), state("b"), state("c") }
            stuck = false
            reaper.run()
            return { first, state("b") }
        ]], log)
        assert.same({ { "cleaned", "expired with folder", "cleaned" }, "cleaned" }, seen)
        assert.matches("Session b could not be removed: Device or resource busy", log.text)
    end)

    it("works in batches through more than one holds, and ends where its time does", function()
        assert.same({ 200, 450, 250, json.null }, reap([[
            for number = 1, 450 do
                assert(store.insert({ id = ("%03d"):format(number), type = "t", workspace_path = "/nowhere", ttl_minutes = 1,
                    created_at = "2026-11-30T11:00:00Z", expires_at = "2026-11-30T11:01:00Z" }))
            end
            local fiber = require("fiber")
            local time_left = fiber.time_left
            fiber.time_left = function() return 30000 end
            reaper.run()
            local counted = { store.count().cleaned }
            local function go_on()
                fiber.time_left = time_left
                reaper.run()
                counted[#counted + 1] = store.count().cleaned or json.null
            end
            go_on()
            later(24 * 60 + 1)
            fiber.time_left = function() return 30000 end
            reaper.run()
            counted[#counted + 1] = store.count().cleaned
            go_on()
            return counted
        ]]))
    end)

    it("keeps the row of a cleaned session for a day", function()
        assert.same({ "cleaned", "none" }, reap([[
            insert("over", { expires_at = "2026-11-30T11:55:00Z" })
            reaper.run()
            later(24 * 60)
            reaper.run()
            local kept = state("over")
            later(1)
            reaper.run()
            return { kept, state("over") }
        ]]))
    end)

    it("settles once what a server that was killed left running", function()
        assert.same({ "ready with folder", "active with folder" }, reap([[
            insert("a")
            store.busy("a", true)
            reaper.run()
            local first = state("a")
            store.busy("a", true)
            reaper.run()
            return { first, state("a") }
        ]]))
    end)

    for _, name in ipairs({ "due", "expire", "ended", "clean" }) do
        it("says that the database cannot be used, and comes again: " .. name, function()
            local log = {}
            local seen = reap(([[
                insert("over", { expires_at = "2026-11-30T11:55:00Z" })
                local works = store.%s
                store.%s = function() return nil, "sessions.db: disk full", "EFULL" end
                reaper.run()
                store.%s = works
                reaper.run()
                return state("over")
            ]]):gsub("%%s", name), log)
            assert.equal("cleaned", seen)
            assert.matches("the database cannot be used: sessions%.db: disk full", log.text)
        end)
    end

    it("leaves everything as it is where it cannot be marked", function()
        assert.equal("ready with folder", reap([[
            insert("over", { expires_at = "2026-11-30T11:55:00Z" })
            store.expire = function() return nil, "sessions.db: disk full", "EFULL" end
            reaper.run()
            return state("over")
        ]]))
    end)
end)
