local run = require("spec.support.session_lua")

local function with(source, log)
    return run([[
        local sessions, fs = require("session.sessions"), require("fs")
        local function create(fields, body)
            local all = { type = "t", ttl_minutes = 30 }
            for name, value in pairs(fields or {}) do all[name] = value end
            return sessions.create(all, body or "{}")
        end
        local function said(...) return { select(2, ...) } end
    ]] .. source, log)
end

describe("session.sessions", function()
    it("gives ids that nobody can guess: random UUIDs, each another one", function()
        local ids, seen = with([[
            local ids = {}
            for position = 1, 20 do ids[position] = create().id end
            return ids
        ]]), {}
        for _, id in ipairs(ids) do
            assert.matches("^%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$", id)
            assert.is_nil(seen[id])
            seen[id] = true
        end
    end)

    it("makes a session with its folders and its times", function()
        local seen = with([[
            local row = create({ context = { a = 1 } }, '{"type":"t","context":{"a":1}}')
            local found = sessions.find(row.id)
            return { status = found.status, created = found.created_at, expires = found.expires_at,
                task = fs.read(row.workspace_path .. "/context/task.json"), left = sessions.minutes_left(found) }
        ]])
        assert.same({ status = "ready", created = "2026-11-30T12:00:00Z", expires = "2026-11-30T12:30:00Z",
            task = '{\n  "a": 1\n}', left = 30 }, seen)
    end)

    it("clones the repository that is asked for, and its main branch where none is named", function()
        local none = { clones = 0 }
        assert.same({ { clones = 1, repo = "a/b", branch = "main" }, { clones = 1, repo = "a/b", branch = "dev" }, none, none,
            none }, with([[
            local clones
            require("session.clone").run = function() clones = clones + 1 return true end
            local seen = {}
            for position, wanted in ipairs({ { repo = "a/b" }, { repo = "a/b", branch = "dev" }, { repo = 5 },
                { branch = "dev" }, {} }) do
                clones = 0
                local row = store.find(create({ requirements = wanted }).id)
                seen[position] = { clones = clones, repo = row.repo, branch = row.branch }
            end
            return seen
        ]]))
    end)

    it("refuses a branch that git does not take before anything is made", function()
        assert.same({ { "requirements.branch: expected the name of a branch as git allows it", 400 }, {} }, with([[
            local refusal = said(create({ requirements = { repo = "a/b", branch = "--x" } }))
            return { refusal, json.object(store.count()) }
        ]]))
    end)

    it("leaves nothing of a session that could not be furnished", function()
        assert.same({ { "/w: No space left on device", 507 }, { cleaned = 1 } }, with([[
            folders.make = function() return nil, "/w: No space left on device", "ENOSPC" end
            return { said(create()), store.count() }
        ]]))
        assert.same({ { "no such repository", 422 }, { cleaned = 1 } }, with([[
            require("session.clone").run = function() return nil, "no such repository" end
            return { said(create({ requirements = { repo = "a/b" } })), store.count() }
        ]]))
    end)

    it("says 410 for a session that ended while it was being made, and leaves no folder of it", function()
        local ended = { "Session expired", 410 }
        assert.same({ ended, ended, {} }, with([[
            local make, clone = folders.make, require("session.clone")
            folders.make = function(id, ...)
                store.expire({ { id } })
                store.clean({ id })
                return make(id, ...)
            end
            clone.run = function() return nil, "git ended with SIGTERM" end
            local seen = { said(create()), said(create({ requirements = { repo = "a/b" } })) }
            seen[3] = json.array({})
            for _, entry in ipairs(fs.list("sessions").entries) do
                if not entry.name:find("^%.") then table.insert(seen[3], entry.name) end
            end
            return seen
        ]]))
    end)

    it("ends a session whose making could not be written down", function()
        assert.same({ { "sessions.db: locked", 503 }, { cleaned = 1 } }, with([[
            store.open = function() return nil, "sessions.db: locked", "EBUSY" end
            return { said(create()), store.count() }
        ]]))
    end)

    it("makes none where the folder of all of them is a link, which no removal would follow", function()
        local seen = with([[
            assert(require("process").run { command = "mkdir elsewhere && ln -s elsewhere sessions" }.exit_code == 0)
            return { said(create()), json.object(store.count()), #fs.list("elsewhere").entries }
        ]])
        assert.matches("/sessions: is a link; sessions are kept in a folder", seen[1][1], 1, true)
        assert.same({ 503, {}, 2 }, { seen[1][2], seen[2], seen[3] })
    end)

    it("counts minutes that have begun, and none below zero", function()
        assert.same({ 30, 30, 29, 1, 0, 0 }, with([[
            local row, seen = insert("a"), {}
            for _, minute in ipairs({ 0, 0.5, 1, 29.99, 30, 300 }) do
                at(1796040000000 + math.floor(minute * 60000))
                seen[#seen + 1] = sessions.minutes_left(row)
            end
            return seen
        ]]))
    end)

    it("extends from the end, two hours after the creation at most, and never shortens", function()
        assert.same({ "2026-11-30T12:45:00Z", "2026-11-30T14:00:00Z", "2026-11-30T14:00:00Z", "2026-11-30T15:00:00Z" }, with([[
            insert("a")
            insert("long", { expires_at = "2026-11-30T15:00:00Z" })
            return { sessions.extend("a", 15).expires_at, sessions.extend("a", 1 << 60).expires_at,
                sessions.extend("a", 0).expires_at, sessions.extend("long", 5).expires_at }
        ]]))
    end)

    it("extends by both amounts when two do it at one time", function()
        assert.equal("2026-11-30T12:50:00Z", with([[
            insert("a")
            local extend = store.extend
            store.extend = function(...)
                store.extend = extend
                sessions.extend("a", 5)
                return extend(...)
            end
            return sessions.extend("a", 15).expires_at
        ]]))
    end)

    it("does not extend what the reaper ended a moment before", function()
        assert.same({ { "Session not found or expired", 404 }, "expired" }, with([[
            insert("a")
            local extend = store.extend
            store.extend = function(id, from, to)
                store.expire({ { id, from } })
                return extend(id, from, to)
            end
            return { said(sessions.extend("a", 15)), store.find("a").status }
        ]]))
    end)

    it("says once that the time of a session is over, then that there is none", function()
        assert.same({ { "Session expired", 410 }, { "Session not found or expired", 404 }, { "Session not found", 404 } }, with([[
            insert("a")
            later(30)
            return { said(sessions.extend("a", 15)), said(sessions.exec("a", { command = "true", timeout_ms = 1000 })),
                said(sessions.find("b")) }
        ]]))
    end)

    it("runs commands in usable sessions only, with the status of what went wrong", function()
        local answer = { { "exit_code", 0 }, { "stdout", "hi\n" }, { "stderr", "" }, { "truncated" } }
        assert.same({ answer, 404, 404, 400, 409 }, with([[
            local function exec(id, fields)
                fields.command, fields.timeout_ms = "echo hi", 5000
                return sessions.exec(id, fields)
            end
            insert("a")
            insert("made", { creating = true })
            local seen = { exec("a", {}), select(3, exec("nobody", {})), select(3, exec("made", {})),
                select(3, exec("a", { cwd = "/" })) }
            fs.remove_tree(folders.path("a") .. "/workspace")
            seen[5] = select(3, exec("a", {}))
            return seen
        ]]))
    end)

    it("deletes a session as often as it is told to, and counts it once", function()
        assert.same({ true, "cleaned", true, { "Session not found", 404 }, 1 }, with([[
            insert("a")
            local metrics, counted = require("metrics"), 0
            metrics.add = function() counted = counted + 1 end
            local first = sessions.delete("a")
            return { first, store.find("a").status, sessions.delete("a"), said(sessions.delete("nobody")), counted }
        ]]))
    end)

    it("says that a session is over although its folder could not be removed, and takes it the next time", function()
        local seen = with([[
            insert("a")
            local remove = folders.remove
            folders.remove = function() return nil, "Device or resource busy" end
            local refusal, state = said(sessions.delete("a")), store.find("a").status
            folders.remove = remove
            return { refusal, state, sessions.delete("a"), store.find("a").status }
        ]])
        assert.same({ { "The session is over, but its folder could not be removed: Device or resource busy", 500 }, "expired",
            true, "cleaned" }, seen)
    end)

    it("ends what a session left running before its folder goes, and says why", function()
        assert.same({ { { "a" }, "the session was deleted", true } }, with([[
            insert("a")
            local ended = {}
            require("session.ending").processes = function(ids, reason)
                ended[#ended + 1] = { ids, reason, fs.stat(folders.path("a")) ~= nil }
            end
            sessions.delete("a")
            return ended
        ]]))
    end)

    it("counts what it makes and ends, and writes it down", function()
        local log = {}
        local seen = with([[
            local census, metrics, seen = require("session.census"), require("metrics"), {}
            metrics.add = function(name, labels) seen[#seen + 1] = { name, labels and labels.by or "-", census.active() } end
            local row = create({ type = "kind", ttl_minutes = 5 })
            seen[#seen + 1] = census.active()
            sessions.delete(row.id)
            seen[#seen + 1] = census.active()
            return seen
        ]], log)
        assert.same({ { "sandstorm_sessions_created_total", "-", 0 }, 1,
            { "sandstorm_sessions_cleaned_total", "request", 0 }, 0 }, seen)
        assert.matches("Session %x[%x-]+ created %(type=kind ttl=5m%)", log.text)
        assert.matches("Session %x[%x-]+ cleaned", log.text)
    end)

    for step, call in pairs({
        expire = 'sessions.delete("a")', clean = 'sessions.delete("a")', open = "create()",
        extend = 'sessions.extend("a", 5)', busy = 'sessions.exec("a", { command = "true", timeout_ms = 1000 })',
    }) do
        it("says what the database has against one step of several: " .. step, function()
            assert.same({ "sessions.db: trouble", 507 }, with(([[
                insert("a")
                store.%s = function() return nil, "sessions.db: trouble", "EFULL" end
                return said(%s)
            ]]):format(step, call)))
        end)
    end

    it("says what the database has against ending a session that is found to be over", function()
        assert.same({ { "sessions.db: trouble", 503 }, "ready" }, with([[
            insert("a")
            later(30)
            store.expire = function() return nil, "sessions.db: trouble", "EBUSY" end
            return { said(sessions.extend("a", 5)), store.find("a").status }
        ]]))
    end)

    for code, status in pairs({ EFULL = 507, EBUSY = 503, ECORRUPT = 503 }) do
        it(("answers %d where the database says %s"):format(status, code), function()
            local seen = with(([[
                store.find = function() return nil, "sessions.db: trouble", %q end
                store.insert = store.find
                return { said(sessions.find("a")), said(sessions.extend("a", 1)), said(sessions.delete("a")), said(create()) }
            ]]):format(code))
            for _, refusal in ipairs(seen) do assert.same({ "sessions.db: trouble", status }, refusal) end
            assert.equal(4, #seen)
        end)
    end
end)
