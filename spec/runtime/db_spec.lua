local uv = require("luv")
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

local quote, shell = tmp.quote, tmp.shell

local PRELUDE = [[
    local db, fs, fiber, clock, json = require("db"), require("fs"), require("fiber"), require("clock"), require("json")
    local process = require("process")
    local sessions = db.open("sessions")
    local function tell(...)
        local list = table.pack(...)
        for i = 1, list.n do if list[i] == nil then list[i] = "nil" end end
        list.n = nil
        return list
    end
    local function must(...)
        if not (...) then error(table.concat(tell(...), " "), 2) end
        return ...
    end
    local function count() return must(sessions:query("SELECT count(*) AS n FROM t"))[1].n end
    local function table_t() must(sessions:exec("CREATE TABLE IF NOT EXISTS t (a, b)")) end
    local function wait_for(name) while not fs.stat(name) do clock.sleep(20) end end
]]

--- Runs Lua with a database at hand.
local function run(source, opts) return (program.lua(PRELUDE .. source, opts)) end

--- Starts the same and returns at once.
local function spawn(source, opts)
    local all = { args = { "run", tmp.file("chunk.lua", PRELUDE .. source) } }
    for name, value in pairs(opts or {}) do all[name] = value end
    return program.spawn(all)
end

local function database_in(workspace) return workspace .. "/.sandstorm-mcp/sessions.db" end

local function mode_of(path) return ("%o"):format(assert(uv.fs_stat(path)).mode & tonumber("7777", 8)) end

--- What the sqlite3 program says to a statement.
local function sqlite(path, sql) return (shell(("sqlite3 -batch %s %s"):format(quote(path), quote(sql))):gsub("\n$", "")) end

--- Another process that has begun to write and waits; call the result to let it commit.
local function locked(path, sql)
    local ready = tmp.dir("lock") .. "/ready"
    local pipe = assert(io.popen("exec sqlite3 -batch " .. quote(path), "w"))
    pipe:write("BEGIN IMMEDIATE;\n", sql or "", "\n.shell touch ", ready, "\n")
    pipe:flush()
    assert(program.wait_until(function() return tmp.kind(ready) end))
    return function()
        pipe:write("COMMIT;\n.quit\n") -- the pipe may be open in other children too
        assert(pipe:close())
    end
end

--- A workspace whose database has a table t.
local function workspace_with_t()
    local workspace = tmp.dir("workspace")
    run("table_t()", { workspace = workspace })
    return workspace
end

describe("db", function()
    it("gives back what it was given, in the same type", function()
        local result = run([[
            must(sessions:exec("CREATE TABLE v (n INTEGER PRIMARY KEY, x)"))
            local values = { math.maxinteger, math.mininteger, 0, 1.5, -0.0, 1e300, math.huge, 2.0, "", "text", "a\0b",
                             "\xff\xfe", "12", db.blob(""), db.blob("\0\1"), json.null }
            for _, value in ipairs(values) do must(sessions:exec("INSERT INTO v (x) VALUES (?)", value)) end
            must(sessions:exec("INSERT INTO v (x) VALUES (?)", nil))
            local kinds, wrong = {}, {}
            for i, row in ipairs(must(sessions:query("SELECT x, typeof(x) AS kind FROM v ORDER BY n"))) do
                kinds[i] = row.kind
                local expected = values[i]
                if type(expected) == "userdata" then expected = ({ blob = i == 14 and "" or "\0\1" })[row.kind] end
                if row.x ~= expected or math.type(row.x) ~= math.type(expected) then wrong[#wrong + 1] = i end
            end
            return { kinds = kinds, wrong = #wrong, blob = must(sessions:query("SELECT hex(x) AS h FROM v WHERE n = 15"))[1].h }
        ]])
        assert.same({
            kinds = {
                "integer", "integer", "integer", "real", "real", "real", "real", "real", "text", "text", "text", "text",
                "text", "blob", "blob", "null", "null",
            },
            wrong = 0, blob = "0001",
        }, result)
    end)

    it("tells what a statement changed", function()
        assert.same({ { changes = 0, last_id = 0 }, { changes = 2, last_id = 2 }, { changes = 0, last_id = 2 },
            { changes = 1, last_id = 2 }, { changes = 0, last_id = 2 } }, run([[
            return { must(sessions:exec("CREATE TABLE t (a, b)")), must(sessions:exec("INSERT INTO t (a) VALUES (1), (2)")),
                     must(sessions:exec("CREATE TABLE u (a)")), must(sessions:exec("DELETE FROM t WHERE a = ?", 1)),
                     must(sessions:exec("UPDATE t SET b = 1 WHERE a = ?", 9)) }
        ]]))
    end)

    it("runs a list of statements whole or not at all", function()
        assert.same({
            { true, { { changes = 1, last_id = 1 }, { changes = 1, last_id = 1 }, { changes = 1, last_id = 3 } } }, 2,
            "nil", "ECONSTRAINT", 2, "nil", "ESQL", 2,
        }, run([[
            must(sessions:exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)"))
            local insert = "INSERT INTO t (a, b) VALUES (?, ?)"
            local update = { "UPDATE t SET b = ?", "y" }
            local fine = tell(sessions:transaction({ { insert, 1, "x" }, update, { insert, 3, json.null } }))
            local after = count()
            local twice = tell(sessions:transaction({ { "DELETE FROM t" }, { insert, 1, "z" }, { insert, 1, "z" } }))
            local between = count()
            local wrong = tell(sessions:transaction({ { "DELETE FROM t" }, { "DELETE FROM nowhere" } }))
            return { fine, after, twice[1], twice[3], between, wrong[1], wrong[3], count() }
        ]]))
    end)

    it("counts nil between the parameters of a list", function()
        assert.same({ 1, 1 }, run([[
            table_t()
            local insert = "INSERT INTO t VALUES (?, ?)"
            must(sessions:transaction({ { insert, nil, "b" }, table.pack(insert, "a", nil) }))
            return { must(sessions:query("SELECT count(*) AS n FROM t WHERE a IS NULL AND b = 'b'"))[1].n,
                     must(sessions:query("SELECT count(*) AS n FROM t WHERE a = 'a' AND b IS NULL"))[1].n }
        ]]))
    end)

    it("raises for the caller's mistakes and says which", function()
        assert.same({
            'db.open: there is no database "session"; the nearest is "sessions"',
            "db.open: expected the name of a database, got nil",
            "db.blob: expected a string, got number",
            "db.query: the SQL text: expected a string, got nil",
            "db.query: the SQL text: expected no NUL byte in it",
            "db.query: expected a database before the colon, got string",
            "db.exec: parameter 2: expected a string, number, nil, json.null or db.blob(bytes), got boolean",
            "db.exec: parameter 1: expected a string, number, nil, json.null or db.blob(bytes), got a NaN",
            "db.query: the SQL text has 2 parameters, got 1",
            "db.query: the SQL text has 1 parameters, got 2",
            'db.query: more than one statement in the SQL text, the second at " SELECT 2"',
            "db.query: there is no statement in the SQL text",
            "db.transaction: expected a list of statements, got string",
            "db.transaction: expected 1 to 10000 statements, got 0",
            "db.transaction: statement 2: expected {sql, parameters...}, got string",
            "db.transaction: statement 1: the SQL text: expected a string, got nil",
            "db.transaction: statement 1: expected {sql, parameters...} without other keys",
            "db.transaction: statement 1: parameter 1: expected a string, number, nil, json.null or db.blob(bytes), got table",
        }, run([[
            local function try(f, ...) return (select(2, pcall(f, ...))) end
            local s = sessions
            return {
                try(db.open, "session"), try(db.open, nil), try(db.blob, 5), try(s.query, s, nil), try(s.query, s, "SELECT 1\0"),
                try(s.query, "x", "SELECT 1"), try(s.exec, s, "SELECT ?, ?", 1, true), try(s.exec, s, "SELECT ?", 0 / 0),
                try(s.query, s, "SELECT ?, ?", 1), try(s.query, s, "SELECT ?", 1, 2), try(s.query, s, "SELECT 1; SELECT 2"),
                try(s.query, s, " -- nothing"),
                try(s.transaction, s, "SELECT 1"), try(s.transaction, s, {}),
                try(s.transaction, s, { { "SELECT 1" }, "SELECT 1" }), try(s.transaction, s, { {} }),
                try(s.transaction, s, { { "SELECT 1", x = 1 } }), try(s.transaction, s, { { "SELECT ?", {} } }),
            }
        ]]))
    end)

    it("refuses SQL that reaches beyond a statement, and leaves nothing open", function()
        local workspace, other = workspace_with_t(), tmp.dir("other") .. "/x.db"
        local result = run([[
            local other = ...
            local allowed = {}
            for _, sql in ipairs({ "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT x", "RELEASE x", "ATTACH '" .. other .. "' AS x",
                                   "DETACH x", "PRAGMA journal_mode=DELETE", "PRAGMA foreign_keys=OFF",
                                   "PRAGMA writable_schema=ON" }) do
                local fine, why = pcall(sessions.exec, sessions, sql)
                if fine or not why:find("the statement is not allowed here", 1, true) then allowed[#allowed + 1] = sql end
            end
            local vacuum = sessions:exec("VACUUM INTO '" .. other .. "'")
            local list = { { "INSERT INTO t VALUES (1, 1)" }, { "COMMIT" }, { "INSERT INTO t VALUES (2, 2)" } }
            local mixed = pcall(sessions.transaction, sessions, list)
            local path = fs.root() .. "/.sandstorm-mcp/sessions.db"
            local writer = process.run({ argv = { "sqlite3", path, "INSERT INTO t VALUES (3, 3)" } })
            return { allowed, vacuum == nil, mixed, writer.exit_code, must(sessions:query("SELECT a FROM t")) }
        ]], { workspace = workspace, args = { other } })
        assert.same({ {}, true, false, 0, { { a = 3 } } }, result)
        assert.is_nil(tmp.kind(other))
    end)

    it("tells what SQLite says with a code", function()
        local workspace = tmp.dir("workspace")
        local path = database_in(workspace)
        assert.same({
            { "nil", path .. ': near "SELEC": syntax error', "ESQL" },
            { "nil", path .. ": no such table: nowhere", "ESQL" },
            { "nil", path .. ": UNIQUE constraint failed: u.a", "ECONSTRAINT" },
            { "nil", path .. ": FOREIGN KEY constraint failed", "ECONSTRAINT" },
            { "nil", path .. ": no such column: nowhere", "ESQL" },
            { { one = 1 } },
        }, run([[
            must(sessions:exec("CREATE TABLE u (a PRIMARY KEY)"))
            must(sessions:exec("CREATE TABLE v (a REFERENCES u (a))"))
            must(sessions:exec("INSERT INTO u VALUES (1)"))
            return { tell(sessions:query("SELEC")), tell(sessions:query("SELECT * FROM nowhere")),
                     tell(sessions:exec("INSERT INTO u VALUES (1)")),
                     tell(sessions:exec("INSERT INTO v VALUES (2)")), tell(sessions:query('SELECT "nowhere"')),
                     must(sessions:query("SELECT 1 AS one ; ;\n")) }
        ]], { workspace = workspace }))
    end)

    it("bounds its answers", function()
        assert.same({ 100000, "EFBIG", "EFBIG", "EFBIG", 1 }, run([[
            local numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?) SELECT i FROM n"
            local function code(...) return (select(3, sessions:query(...))) end
            return { #must(sessions:query(numbers, 100000)), code(numbers, 100001),
                     code((numbers:gsub("SELECT i FROM", "SELECT zeroblob(1000000) FROM")), 80),
                     code("SELECT zeroblob(100000000)"), must(sessions:query("SELECT 1 AS one"))[1].one }
        ]]))
    end)

    it("keeps its statements right while the cache overflows and the schema changes", function()
        assert.same({ 400, { "a", "b", "c" } }, run([[
            must(sessions:exec("CREATE TABLE t (a, b)"))
            must(sessions:exec("INSERT INTO t VALUES (1, 2)"))
            local right = 0
            for _ = 1, 2 do
                for i = 1, 200 do
                    local row = must(sessions:query(("SELECT %d AS i, ? AS x, a FROM t"):format(i), i))[1]
                    if row.i == i and row.x == i and row.a == 1 then right = right + 1 end
                end
            end
            must(sessions:query("SELECT * FROM t"))
            must(sessions:exec("ALTER TABLE t ADD COLUMN c DEFAULT 3"))
            local names = {}
            for name in pairs(must(sessions:query("SELECT * FROM t"))[1]) do names[#names + 1] = name end
            table.sort(names)
            return { right, names }
        ]]))
    end)

    it("makes the file for the owner alone, in WAL mode, by the first statement", function()
        local workspace = tmp.dir("workspace")
        local path = database_in(workspace)
        run([[return 1]], { workspace = workspace })
        assert.is_nil(tmp.kind(workspace .. "/.sandstorm-mcp"))
        local result = run([[
            table_t()
            local modes = {}
            for _, file in ipairs({ "", "-wal", "-shm" }) do
                local output = process.run({ argv = { "stat", "-c", "%a", fs.root() .. "/.sandstorm-mcp/sessions.db" .. file } })
                modes[#modes + 1] = output.stdout
            end
            return { modes, must(sessions:query("PRAGMA journal_mode"))[1].journal_mode,
                     must(sessions:query("PRAGMA synchronous"))[1].synchronous,
                     must(db.open("tasks"):query("PRAGMA foreign_keys"))[1].foreign_keys }
        ]], { workspace = workspace })
        assert.same({ { "600\n", "600\n", "600\n" }, "wal", 2, 1 }, result)
        assert.equal("600", mode_of(path))
        assert.equal("600", mode_of(workspace .. "/.sandstorm-mcp/tasks.db"))
        assert.equal("700", mode_of(workspace .. "/.sandstorm-mcp"))
    end)

    it("opens a database of v0.1.0 and goes on with it", function()
        local workspace = tmp.dir("workspace")
        local path = database_in(workspace)
        local before = {}
        tmp.write(path, tmp.read("spec/fixtures/parity/sessions.db"))
        for row in sqlite(path, "SELECT id || ' ' || status FROM sessions ORDER BY id"):gmatch("[^\n]+") do
            before[#before + 1] = row
        end
        assert(#before >= 5)
        local rows = run([[
            must(sessions:exec("UPDATE sessions SET updated_at = ? WHERE status = ?", "2026-11-30T12:00:00Z", "ready"))
            local rows = {}
            for i, row in ipairs(must(sessions:query("SELECT id, status FROM sessions ORDER BY id"))) do
                rows[i] = row.id .. " " .. row.status
            end
            return rows
        ]], { workspace = workspace })
        assert.same(before, rows)
        assert.equal("ok", sqlite(path, "PRAGMA integrity_check"))
        assert.not_equal("0", sqlite(path, "SELECT count(*) FROM sessions WHERE updated_at = '2026-11-30T12:00:00Z'"))
    end)

    it("cannot wait while the scripts load or in a metamethod that C calls; can in coroutines and callbacks", function()
        local tools = tmp.file("tools.lua", 'local s = require("db").open("sessions")\ns:query("SELECT 1")\n')
        local result = program.run({ args = { "check", "--tools", tools } })
        assert.matches("tools%.lua:2: db%.query: cannot wait while the scripts are loaded; call it in a handler", result.stderr)
        local answers = run([[
            local one = function() return must(sessions:query("SELECT 1 AS one"))[1].one end
            local text = setmetatable({}, { __tostring = one })
            return { select(2, pcall(tostring, text)), coroutine.wrap(one)(), (("x"):gsub("x", one)) }
        ]])
        assert.matches("db%.query: cannot wait inside a function that C calls back", answers[1])
        assert.same({ 1, "1" }, { answers[2], answers[3] })
    end)

    it("stops a statement with the handler that waits for it; nothing of it stays", function()
        assert.same({ 2, 0, 1 }, run([[
            table_t()
            local endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            local ended = 0
            local function start(work)
                fiber.spawn(function()
                    fiber.tag("endless")
                    local mark <close> = setmetatable({}, { __close = function() ended = ended + 1 end })
                    work(mark)
                end)
            end
            local insert = { endless .. "INSERT INTO t SELECT i, i FROM n" }
            start(function() sessions:transaction({ { "INSERT INTO t VALUES (1, 1)" }, insert }) end)
            start(function() sessions:query(endless .. "SELECT max(i) FROM n") end)
            clock.sleep(50)
            fiber.stop("endless", "enough")
            clock.sleep(1)
            must(sessions:exec("INSERT INTO t VALUES ('after', 1)"))
            return { ended, must(sessions:query("SELECT count(*) AS n FROM t WHERE a <> 'after'"))[1].n, count() }
        ]]))
    end)

    it("keeps what it acknowledged when the server is killed", function()
        local workspace = workspace_with_t()
        local started = spawn([[
            for i = 1, math.huge do
                must(sessions:transaction({ { "INSERT INTO t VALUES (?, 'x')", i }, { "INSERT INTO t VALUES (?, 'y')", i } }))
                fs.write("acknowledged", tostring(i))
            end
        ]], { workspace = workspace })
        local function acknowledgement() return tonumber(tmp.read(workspace .. "/acknowledged") or "") or 0 end
        assert(program.wait_until(function() return acknowledgement() > 20 end))
        started:signal_with("sigkill")
        started:wait()
        local acknowledged = acknowledgement()
        local path = database_in(workspace)
        assert.equal("ok", sqlite(path, "PRAGMA integrity_check"))
        local x, y = sqlite(path, "SELECT count(*) FROM t WHERE b = 'x'"), sqlite(path, "SELECT count(*) FROM t WHERE b = 'y'")
        assert.equal(x, y)
        assert.is_true(tonumber(x) >= acknowledged)
    end)
end)

describe("db, while another process holds the file,", function()
    local FIFTY = [[
        local answers = {}
        for i = 1, 50 do
            fiber.spawn(function()
                local _, why, code = sessions:exec("INSERT INTO t VALUES (?, 'ours')", i)
                answers[#answers + 1] = code or "fine"
            end)
        end
        clock.sleep(1)
    ]]
    local TALLY = [[
        while #answers < 50 do clock.sleep(20) end
        local tally = {}
        for _, answer in ipairs(answers) do tally[answer] = (tally[answer] or 0) + 1 end
    ]]

    it("S01 waits for a short lock without holding up anybody else; no acknowledged write is lost", function()
        local workspace = workspace_with_t()
        local release = locked(database_in(workspace), "INSERT INTO t VALUES (0, 'theirs');")
        local started = spawn(FIFTY .. [[
            fs.write("waiting", tostring(#answers)) -- neither the loop nor the thread pool is blocked
            must(process.run({ argv = { "true" } }))
            fs.write("served", "")
        ]] .. TALLY .. [[ return tally ]], { workspace = workspace })
        assert(program.wait_until(function() return tmp.kind(workspace .. "/served") end))
        assert.equal("0", tmp.read(workspace .. "/waiting"))
        release()
        assert.equal(0, started:wait(), started:stderr())
        assert.equal('{"fine":50}\n', started:stdout())
        assert.equal("51", sqlite(database_in(workspace), "SELECT count(*) FROM t"))
    end)

    it("S01 is alone with the file from the first statement of a list on, whoever writes meanwhile", function()
        local workspace = workspace_with_t()
        assert.equal(3, run([[
            local path = ...
            local insert = "sqlite3 -cmd '.timeout 60000' " .. path .. " 'INSERT INTO t VALUES (0, 0)'"
            process.start({ command = "until [ -e stop ]; do " .. insert .. "; done" })
            while count() == 0 do clock.sleep(5) end
            local SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT max(i) FROM n"
            for i = 1, 3 do
                must(sessions:transaction({ { "SELECT count(*) FROM t" }, { SLOW }, { "INSERT INTO t VALUES (?, 1)", i } }))
            end
            fs.write("stop", "")
            return must(sessions:query("SELECT count(*) AS n FROM t WHERE b = 1"))[1].n
        ]], { workspace = workspace, args = { database_in(workspace) } }))
    end)

    it("S01 gives up on a long lock with EBUSY, all at once, with nothing half-written, and works afterwards", function()
        local workspace = workspace_with_t()
        local release = locked(database_in(workspace))
        local started = spawn(FIFTY .. TALLY .. [[
            local both = tell(sessions:transaction({ { "INSERT INTO t VALUES (1, 1)" }, { "INSERT INTO t VALUES (2, 2)" } }))
            local reading = count()
            fs.write("busy", "")
            wait_for("released")
            must(sessions:exec("INSERT INTO t VALUES (1, 'after')"))
            return { tally, both, reading, count() }
        ]], { workspace = workspace })
        assert(program.wait_until(function() return tmp.kind(workspace .. "/busy") end))
        release()
        tmp.write(workspace .. "/released", "")
        assert.equal(0, started:wait(), started:stderr())
        local path = database_in(workspace)
        assert.equal(('[{"EBUSY":50},["nil","%s: database is locked","EBUSY"],0,1]\n'):format(path), started:stdout())
        assert.equal("1", sqlite(path, "SELECT count(*) FROM t"))
    end)

    it("S01 reads and waits where the file of v0.1.0 is locked before it was ever opened here", function()
        local workspace = tmp.dir("workspace")
        local path = database_in(workspace)
        tmp.write(path, tmp.read("spec/fixtures/parity/sessions.db"))
        local release = locked(path)
        local started = spawn([[
            local rows = must(sessions:query("SELECT id FROM sessions"))
            fs.write("read", "")
            must(sessions:exec("UPDATE sessions SET branch = 'b'"))
            must(sessions:query("SELECT 1 AS one"))
            return must(sessions:query("PRAGMA journal_mode"))
        ]], { workspace = workspace })
        assert(program.wait_until(function() return tmp.kind(workspace .. "/read") or not started:running() end))
        release()
        assert.equal(0, started:wait(), started:stderr())
        assert.equal('[{"journal_mode":"wal"}]\n', started:stdout())
    end)

    it("S03 keeps its locks whatever the tools are asked for, and refuses them the files", function()
        local workspace = workspace_with_t()
        local path = database_in(workspace)
        shell(("cd %s; ln -s .sandstorm-mcp/sessions.db link; ln .sandstorm-mcp/sessions.db hard"):format(quote(workspace)))
        local result = run([[
            local path = fs.root() .. "/.sandstorm-mcp/sessions.db"
            must(sessions:exec("INSERT INTO t VALUES (1, 1)"))
            local function holds()
                local other = process.run({ argv = { "sqlite3", "-batch", path, "PRAGMA journal_mode=DELETE" } })
                return other.stdout .. other.stderr
            end
            local before, codes = holds(), {}
            for _, name in ipairs({ path, path .. "-wal", path .. "-shm", "link", "hard" }) do
                codes[#codes + 1] = (select(3, fs.read(name)))
                codes[#codes + 1] = (select(3, fs.write(name, "x", { append = true })))
            end
            fs.stat(path)
            fs.list(".sandstorm-mcp")
            fs.walk("")
            return { codes, before == holds(), before, must(sessions:query("PRAGMA integrity_check"))[1].integrity_check }
        ]], { workspace = workspace })
        local refused = {}
        for i = 1, 10 do refused[i] = "EACCES" end
        assert.same(refused, result[1])
        assert.is_true(result[2])
        assert.matches("database is locked", result[3])
        assert.equal("ok", result[4])
        assert.equal("1", sqlite(path, "SELECT count(*) FROM t"))
    end)
end)

describe("db, where the disk does not take it,", function()
    local WRITE = [[
        local function write(n) return sessions:exec("INSERT INTO t VALUES (?, zeroblob(?))", n, 20000) end
        local function fill()
            for i = 1, 1000 do
                local fine, why, code = write(i)
                if not fine then return i - 1, why, code end
            end
        end
    ]]

    --- What gives a process and its children a folder with space for 1 MB.
    local function small_disk(folder) return needs.mounts("mount -t tmpfs -o size=1m tmpfs " .. quote(folder)) end

    it("S04 says EFULL on a full disk, keeps nothing half-written, and goes on when space is back", function()
        local folder = tmp.dir("small")
        local wrap = small_disk(folder)
        local result = run(WRITE .. [[
            local folder = ...
            local ballast = folder .. "/ballast"
            process.run({ command = "head -c 500000 /dev/zero >" .. ballast })
            table_t()
            local written, why, code = fill()
            local both = tell(sessions:transaction({ { "INSERT INTO t VALUES ('x', zeroblob(20000))" },
                { "INSERT INTO t VALUES ('y', zeroblob(20000))" } }))
            local kept = count()
            process.run({ command = "rm " .. ballast })
            must(write("after"))
            return { written > 0 and written == kept, why, code, both[1], both[3], count() == kept + 1,
                     must(sessions:query("PRAGMA integrity_check"))[1].integrity_check }
        ]], { env = { SANDSTORM_STATE_DIR = folder }, wrap = wrap, args = { folder } })
        assert.matches("sessions%.db: database or disk is full", result[2])
        table.remove(result, 2)
        assert.same({ true, "EFULL", "nil", "EFULL", true, "ok" }, result)
    end)

    it("S04 says EFULL where not even the file can be made, and makes it later", function()
        local folder = tmp.dir("small")
        local wrap = small_disk(folder)
        local result = run([[
            local folder = ...
            process.run({ command = "head -c 2000000 /dev/zero >" .. folder .. "/ballast" })
            local first = tell(sessions:exec("CREATE TABLE t (a, b)"))
            process.run({ command = "rm " .. folder .. "/ballast" })
            table_t()
            return { first[1], first[3], count() }
        ]], { env = { SANDSTORM_STATE_DIR = folder }, wrap = wrap, args = { folder } })
        assert.same({ "nil", "EFULL", 0 }, result)
    end)

    it("S04 says EFULL at RLIMIT_FSIZE, and goes on when that is lifted", function()
        local result = run(WRITE .. [[
            table_t()
            local written, why, code = fill()
            local kept = count()
            must(process.run({ command = "prlimit --pid $PPID --fsize=unlimited" }))
            must(write("after"))
            return { written > 0 and written == kept, why, code, count() == kept + 1 }
        ]], { wrap = { "prlimit", "--fsize=400000:unlimited" } })
        assert.matches("sessions%.db: disk I/O error %(File too large%)$", result[2])
        assert.same({ true, "EFULL", true }, { result[1], result[3], result[4] })
    end)

    --- Puts a program in the place of somebody without privileges who owns the workspace.
    local function unprivileged(workspace)
        if not needs.is_root then return {} end
        shell(("chmod 711 %s; chown -hR 4242:4242 %s"):format(quote(workspace:match("^(.*)/")), quote(workspace)))
        return { "setpriv", "--reuid", "4242", "--regid", "4242", "--clear-groups", "--" }
    end

    local READ_ONLY = { ["file"] = { "444", "755" }, ["folder"] = { "644", "555" }, ["file and folder"] = { "444", "555" } }
    for what, modes in pairs(READ_ONLY) do
        it("S04 reads from a read-only " .. what .. ", refuses to write with EREADONLY, and writes when it may again", function()
            local workspace = workspace_with_t()
            local path = database_in(workspace)
            sqlite(path, "PRAGMA journal_mode=DELETE")
            local wrap = unprivileged(workspace)
            shell(("chmod %s %s; chmod %s %s/.sandstorm-mcp"):format(modes[1], quote(path), modes[2], quote(workspace)))
            local result = run([[
                local reading = tell(sessions:query("SELECT count(*) AS n FROM t"))
                local writing = tell(sessions:exec("INSERT INTO t VALUES (1, 1)"))
                process.run({ command = "chmod 755 .sandstorm-mcp; chmod 644 .sandstorm-mcp/sessions.db" })
                return { reading, writing[1], writing[3], must(sessions:exec("INSERT INTO t VALUES (1, 1)")).changes }
            ]], { workspace = workspace, wrap = wrap })
            assert.same({ { { { n = 0 } } }, "nil", "EREADONLY", 1 }, result)
        end)
    end

    it("S04 says EREADONLY for a file in WAL mode in a read-only folder, also to readers, and goes on when it may", function()
        local workspace = workspace_with_t()
        local wrap = unprivileged(workspace)
        shell(("chmod 555 %s/.sandstorm-mcp"):format(quote(workspace)))
        local result = run([[
            local reading = tell(sessions:query("SELECT count(*) AS n FROM t"))
            process.run({ command = "chmod 755 .sandstorm-mcp" })
            return { reading[1], reading[3], must(sessions:exec("INSERT INTO t VALUES (1, 1)")).changes }
        ]], { workspace = workspace, wrap = wrap })
        assert.same({ "nil", "EREADONLY", 1 }, result)
    end)

    it("S04 says EACCES where the folder lets nobody in or takes no file, and opens it when it does", function()
        local workspace = tmp.dir("workspace")
        local wrap = unprivileged(workspace)
        local result = run([[
            process.run({ command = "mkdir -m 0 .sandstorm-mcp" })
            local locked = tell(sessions:query("SELECT 1 AS one"))
            process.run({ command = "chmod 555 .sandstorm-mcp" })
            local empty = tell(sessions:query("SELECT 1 AS one"))
            process.run({ command = "chmod 755 .sandstorm-mcp" })
            return { locked[3], empty[2], empty[3], must(sessions:query("SELECT 1 AS one"))[1].one }
        ]], { workspace = workspace, wrap = wrap })
        assert.same({ "EACCES", database_in(workspace) .. ": Permission denied", "EACCES", 1 }, result)
    end)

    it("says ENOENT where no folder can be", function()
        local file = tmp.file("file", "")
        local result = run([[return tell(sessions:query("SELECT 1 AS one"))]],
            { env = { SANDSTORM_STATE_DIR = file .. "/state" } })
        assert.same({ "nil", file .. "/state/sessions.db: Not a directory", "ENOENT" }, result)
    end)

    it("says ECORRUPT for a file that is no database or damaged, leaves it alone, and takes a good one in its place", function()
        local workspace = workspace_with_t()
        local path = database_in(workspace)
        local good = tmp.dir("good") .. "/sessions.db"
        shell(("cp %s %s"):format(quote(path), quote(good)))
        local noise = ("this is no database at all. "):rep(400)
        tmp.write(path, noise)
        local started = spawn([[
            local first = tell(sessions:query("SELECT count(*) AS n FROM t"))
            fs.write("seen", "")
            wait_for("repaired")
            return { first, count() }
        ]], { workspace = workspace })
        assert(program.wait_until(function() return tmp.kind(workspace .. "/seen") or not started:running() end))
        assert.equal(noise, tmp.read(path))
        shell(("mv %s %s"):format(quote(good), quote(path)))
        tmp.write(workspace .. "/repaired", "")
        assert.equal(0, started:wait(), started:stderr())
        assert.equal(('[["nil","%s: file is not a database","ECORRUPT"],0]\n'):format(path), started:stdout())

        run([[for i = 1, 500 do must(sessions:exec("INSERT INTO t VALUES (?, ?)", i, ("x"):rep(100))) end]],
            { workspace = workspace })
        local bytes = tmp.read(path)
        tmp.write(path, bytes:sub(1, 4096) .. ("\xff"):rep(#bytes - 4096))
        local result = run([[return tell(sessions:query("SELECT * FROM t"))]], { workspace = workspace })
        assert.same({ "nil", path .. ": database disk image is malformed", "ECORRUPT" }, result)
    end)

    it("notices that the file was removed or replaced while it was open", function()
        local workspace = workspace_with_t()
        local path, other = database_in(workspace), tmp.dir("other") .. "/sessions.db"
        sqlite(other, "CREATE TABLE t (a, b); INSERT INTO t VALUES (7, 7)")
        local started = spawn([[
            must(sessions:exec("INSERT INTO t VALUES (1, 1)"))
            fs.write("written", "")
            wait_for("replaced")
            local rows = must(sessions:query("SELECT a FROM t"))
            must(sessions:exec("INSERT INTO t VALUES (8, 8)"))
            process.run({ command = "rm .sandstorm-mcp/sessions.db*" })
            table_t()
            must(sessions:exec("INSERT INTO t VALUES (9, 9)"))
            return rows
        ]], { workspace = workspace })
        assert(program.wait_until(function() return tmp.kind(workspace .. "/written") end))
        shell(("cd %s; rm sessions.db-wal sessions.db-shm; mv %s sessions.db"):format(quote(path:match("^(.*)/")), quote(other)))
        tmp.write(workspace .. "/replaced", "")
        assert.equal(0, started:wait(), started:stderr())
        assert.equal('[{"a":7}]\n', started:stdout())
        assert.equal("9", sqlite(path, "SELECT a FROM t"))
    end)
end)
