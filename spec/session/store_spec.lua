local run = require("spec.support.session_lua")

describe("session.store", function()
    it("keeps what it is given, as a session that is being made", function()
        assert.same({ "creating", "acme/x", "main", 5, "2026-11-30T12:05:00Z", false, "ECONSTRAINT" }, run([[
            local row = insert("a", { creating = true, repo = "acme/x", branch = "main", ttl_minutes = 5,
                expires_at = "2026-11-30T12:05:00Z" })
            local found = store.find("a")
            return { found.status, found.repo, found.branch, found.ttl_minutes, found.expires_at, store.find("b"),
                select(3, store.insert(row)) }
        ]]))
    end)

    it("makes its tables again where somebody took them away", function()
        assert.same({ false, true }, run([[
            insert("a")
            assert(require("db").open("sessions"):exec("DROP TABLE sessions"))
            local gone = store.find("a")
            insert("a")
            return { gone, store.find("a") ~= false }
        ]]))
    end)

    it("opens once what is being made", function()
        assert.same({ true, false, false }, run([[
            insert("a", { creating = true })
            return { store.open("a"), store.open("a"), store.open("b") }
        ]]))
    end)

    it("writes down that commands run, only of a usable session that ends when the caller thinks", function()
        assert.same({ true, "active", true, "ready", false, true, false, false, "creating" }, run([[
            local row = insert("a")
            insert("b", { creating = true })
            local seen = { store.busy("a", true) }
            seen[2] = store.find("a").status
            seen[3] = store.busy("a", false, row.expires_at)
            seen[4] = store.find("a").status
            seen[5] = store.busy("a", true, "2026-11-30T12:31:00Z")
            seen[6] = store.expire({ { "a" } })
            seen[7], seen[8] = store.busy("a", true), store.busy("b", true)
            seen[9] = store.find("b").status
            return seen
        ]]))
    end)

    it("moves an end only from where the caller saw it", function()
        assert.same({ true, false, "2026-11-30T13:00:00Z", false }, run([[
            local row = insert("a")
            local first = store.extend("a", row.expires_at, "2026-11-30T13:00:00Z")
            local second = store.extend("a", row.expires_at, "2026-11-30T14:00:00Z")
            local found = store.find("a").expires_at
            store.expire({ { "a" } })
            return { first, second, found, store.extend("a", found, "2026-11-30T14:00:00Z") }
        ]]))
    end)

    it("ends only what still ends when the caller saw it, and never what is over", function()
        assert.same({ "ready", "expired", "expired", "cleaned", { "b", "c" } }, run([[
            for id in ("abcd"):gmatch(".") do insert(id) end
            store.expire({ { "d" } })
            store.clean({ "d", "a" })
            store.expire({ { "a", "2026-11-30T12:00:00Z" }, { "b", "2026-11-30T12:30:00Z" }, { "c" }, { "d" }, { "nobody" } })
            local states, ended = {}, {}
            for id in ("abcd"):gmatch(".") do states[#states + 1] = store.find(id).status end
            for _, row in ipairs(store.ended({ "a", "b", "c", "d" })) do ended[#ended + 1] = row.id end
            table.sort(ended)
            states[5] = ended
            return states
        ]]))
    end)

    it("finds what is due in the order of the ids, page by page", function()
        assert.same({ "b c", "d", "" }, run([[
            insert("a", { expires_at = "2026-11-30T12:00:01.000001Z" })
            insert("b", { expires_at = "2026-11-30T12:00:01.000000Z" })
            insert("d", { expires_at = "2026-11-30T11:00:00Z", creating = true })
            insert("c")
            store.expire({ { "c" } })
            insert("e")
            store.expire({ { "e" } })
            store.clean({ "e" })
            local function page(after)
                local ids = {}
                for _, row in ipairs(store.due(moment.now() + moment.SECOND, after, 2)) do ids[#ids + 1] = row.id end
                return table.concat(ids, " ")
            end
            return { page(""), page("c"), page("d") }
        ]]))
    end)

    it("forgets what was cleaned before a point, so many at a time", function()
        assert.same({ 2, 1, 0, { cleaned = 1, expired = 1, ready = 1 } }, run([[
            for id in ("abcdef"):gmatch(".") do insert(id) end
            store.expire({ { "a" }, { "b" }, { "c" }, { "d" }, { "e" } })
            store.clean({ "a", "b", "c" })
            later(1)
            store.clean({ "d" })
            local function forget() return store.forget(moment.now(), 2) end
            return { forget(), forget(), forget(), store.count() }
        ]]))
    end)

    it("knows after a restart that no command runs", function()
        assert.same({ ready = 2, expired = 1 }, run([[
            for id in ("abc"):gmatch(".") do insert(id) end
            store.busy("a", true)
            store.expire({ { "b" } })
            store.settle()
            return store.count()
        ]]))
    end)

    it("says what the database has against it", function()
        local seen = run([[
            local file = "mkdir -p .sandstorm-mcp; head -c 8192 /dev/zero | tr '\\0' x > .sandstorm-mcp/sessions.db"
            require("process").run({ command = file })
            local codes = {}
            for name, arguments in pairs({
                insert = { { id = "a", type = "t", workspace_path = "/w", ttl_minutes = 1, created_at = "", expires_at = "" } },
                find = { "a" }, open = { "a" }, busy = { "a", true }, extend = { "a", "", "" }, expire = { { { "a" } } },
                clean = { { "a" } }, due = { moment.now(), "", 1 }, ended = { { "a" } }, forget = { moment.now(), 1 },
                settle = {}, count = {},
            }) do
                local value, message, code = store[name](table.unpack(arguments))
                codes[name] = value == nil and message ~= nil and code
            end
            return codes
        ]])
        local count = 0
        for name, code in pairs(seen) do
            assert.equal("ECORRUPT", code, name)
            count = count + 1
        end
        assert.equal(12, count)
    end)
end)
