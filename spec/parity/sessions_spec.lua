--- The recorded session API, in its order, against one server for each group. What is better now is listed with why.
local exchange = require("spec.support.exchange")
local json = require("json")
local sessions = require("spec.support.sessions")
local tmp = require("spec.support.tmp")
local uv = require("luv")

local quote = tmp.quote

local function refusal(status, pattern)
    return function(response)
        assert.equal(status, response.status)
        assert.matches(pattern, assert(json.decode(response.body)).error)
    end
end

local function method_not_allowed(response)
    assert.equal(405, response.status)
    assert.is_string(response.headers.allow)
end

local function json_404(response)
    assert.equal(404, response.status)
    assert.equal('{"error":"Not Found"}', response.body)
end

local function preflight(response) assert.equal(204, response.status) end

local BETTER = {
    ["create/ttl-word"] = refusal(400, '^ttl_minutes: expected an integer from 1 to 120, got string "abc"$'),
    ["create/ttl-null"] = refusal(400, "^ttl_minutes: "),
    ["create/ttl-array"] = refusal(400, "^ttl_minutes: "),
    ["create/json-array"] = refusal(400, "^body: expected a JSON object$"),
    ["create/json-null"] = refusal(400, "^body: "),
    ["create/json-string"] = refusal(400, "^body: "),
    ["create/json-number"] = refusal(400, "^body: "),
    ["create/repo-branch-missing"] = refusal(422, "^requirements%.repo: git could not clone acme/widget %(branch nope%): "),
    ["create/repo-missing"] = refusal(422, "^requirements%.repo: git could not clone acme/none %(branch main%): "),
    ["create/repo-number"] = refusal(400, "^requirements%.repo: "),
    ["create/repo-not-owner-slash-name"] = refusal(400, "^requirements%.repo: "),
    ["create/requirements-list"] = refusal(400, "^requirements: "),
    ["create/preflight"] = preflight,
    ["create/get"] = method_not_allowed,
    ["exec/timeout"] = function(response)
        assert.equal(200, response.status)
        assert.same({ exit_code = 124, stdout = "before\n", stderr = "timeout after 1s" }, json.decode(response.body))
    end,
    ["exec/timeout-word"] = refusal(400, "^timeout_ms: "),
    ["exec/timeout-null"] = refusal(400, "^timeout_ms: "),
    ["exec/cwd-elsewhere"] = refusal(400, "^cwd: expected a folder inside the session "),
    ["exec/json-array"] = refusal(400, "^body: "),
    ["exec/get"] = method_not_allowed,
    ["status/post"] = method_not_allowed,
    ["status/slash"] = json_404,
    ["extend/json-broken-is-default"] = function(response, world, case)
        refusal(400, "^Invalid JSON$")(response)
        case.request.body = nil -- the cases that follow count on its 15 minutes
        assert.equal(200, exchange.send(world.server, world.book, case.request).status)
    end,
    ["extend/negative"] = refusal(400, "^additional_minutes: expected an integer >= 0, got %-30$"),
    ["extend/word"] = refusal(400, "^additional_minutes: "),
    ["extend/null"] = refusal(400, "^additional_minutes: "),
    ["extend/json-array"] = refusal(400, "^body: "),
    ["expired/extend-revives"] = function(response, world)
        refusal(410, "^Session expired$")(response)
        world:sql(world.book:fill("UPDATE sessions SET status = 'ready' WHERE id = '<SID-2>'"))
    end,
    ["expired/exec"] = refusal(410, "^Session expired$"),
    ["delete/post"] = method_not_allowed,
    ["delete/while-a-command-runs/later"] = function(response)
        assert.equal("cleaned", json.decode(response.body).status)
    end,
    ["delete/read-only-content"] = function(response) assert.equal(200, response.status) end,
    ["auth/create/lower-case-scheme"] = function(response) assert.equal(201, response.status) end,
    ["auth/create/non-ascii"] = refusal(401, "^Unauthorized$"),
    ["auth/preflight/none"] = preflight,
}

-- Looks that fit the better answers only in part, and hashes that depend on the recorder's repositories.
local SKIP_AFTER = {
    ["create/repo"] = true, ["create/repo-branch"] = true, ["create/repo-branch-missing"] = true, ["create/repo-missing"] = true,
    ["create/requirements-list"] = true, ["delete/read-only-content"] = true,
}

-- Repositories under the names that the recorded requests ask for.
local function remotes(home)
    local git = ("git -c user.name=T -c user.email=t@example.com -C %s/widget "):format(home)
    tmp.shell(("mkdir -p %s/acme; git init -q -b main %s/widget"):format(home, home))
    tmp.shell(("echo 1 > %s/widget/a.txt; %s add .; %s commit -qm one; %s branch dev"):format(home, git, git, git))
    tmp.shell(("echo 2 > %s/widget/a.txt; %s commit -qam two"):format(home, git))
    tmp.shell(("git clone -q --bare %s/widget %s/acme/widget.git"):format(home, home))
    tmp.write(home .. "/.gitconfig", ('[url "file://%s/"]\n\tinsteadOf = https://github.com/\n'):format(home))
end

local World = {}
World.__index = World

local function new_world(env)
    local home = tmp.dir("home")
    remotes(home)
    env.HOME = home
    local s = sessions.serve({ env = env })
    local book = exchange.book({
        WORKSPACE = s.workspace, PORT = tostring(s.port), ["SECRET-TOKEN"] = s.token,
        ["SECRET-SESSION-TOKEN"] = env.SESSION_AUTH_TOKEN, SID = "00000000-0000-4000-8000-000000000000",
    })
    return setmetatable({ server = s, book = book }, World)
end

function World:sql(statement)
    local file = self.server.workspace .. "/.sandstorm-mcp/sessions.db"
    return tmp.shell(("sqlite3 -json -cmd '.timeout 5000' %s %s"):format(quote(file), quote(statement)))
end

function World:prepare(case)
    for _, line in ipairs(case.setup or {}) do
        line = self.book:fill(line):gsub("<TIME%-MICROS>", "2026-01-01T00:00:00.000001Z")
        local statement = line:match("^SQL: (.*)$")
        if statement then self:sql(statement) else tmp.shell("cd " .. quote(self.server.workspace) .. "; " .. line) end
    end
end

function World:expect_row(case, id)
    local row = json.decode(self:sql(("SELECT * FROM sessions WHERE id = '%s'"):format(id)))[1]
    row.id = nil
    assert.same({}, self.book:differences(case.db_row_after, row))
end

-- While these are asked for, a command of the session runs.
local DURING = { ["status/during-exec"] = "SID-1", ["delete/while-a-command-runs"] = "SID-4" }

function World:begin_command(id)
    local body = json.encode({ command = "touch started; until test -e go; do sleep 0.02; done", timeout_ms = 60000 })
    self.running = self.server:connect()
    self.running:send(("POST /session/%s/exec HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s"):format(id, #body,
        body))
    local path = ("%s/sessions/%s/workspace/started"):format(self.server.workspace, id)
    while not uv.fs_stat(path) do uv.sleep(5) end
end

function World:end_command(id)
    if not self.running then return end
    tmp.shell(("touch %s/sessions/%s/workspace/go 2>/dev/null || true"):format(self.server.workspace, id))
    self.running:read_response("POST")
    self.running:close()
    self.running = nil
    while true do
        local row = json.decode(self:sql(("SELECT status FROM sessions WHERE id = '%s'"):format(id)))[1]
        if row.status ~= "active" then return end
        uv.sleep(5)
    end
end

function World:check(case)
    self:prepare(case)
    local running = DURING[case.id] and self.book.values[DURING[case.id]]
    if running then self:begin_command(running) end
    local response = exchange.send(self.server, self.book, case.request)
    if BETTER[case.id] then
        BETTER[case.id](response, self, case)
    else
        assert.equal(case.response.status, response.status, response.body)
        local recorded = case.response.json
        if recorded then assert.same({}, self.book:differences(recorded, json.decode(response.body))) end
    end
    if running then self:end_command(running) end
    local id = case.request.path:match("<(SID%-%d+)>") or (case.response and case.response.json or {}).id
    if case.db_row_after and response.status < 400 then
        self:expect_row(case, self.book.values[(id or ""):match("SID%-%d+")])
    end
    for _, look in ipairs(not SKIP_AFTER[case.id] and case.after or {}) do
        local out = tmp.shell(("cd %s; (%s) || true"):format(quote(self.server.workspace), self.book:fill(look.run)))
        assert.equal(self.book:fill(look.out), out)
    end
end

for _, group in ipairs({
    { name = "open", env = { SANDSTORM_SESSION_OPEN = "1" } },
    { name = "auth", env = { SESSION_AUTH_TOKEN = "session-token-0123456789" } },
}) do
    describe("the recorded session API, " .. group.name, function()
        local world

        setup(function() world = new_world(group.env) end)
        teardown(function() world.server:stop() end)

        for _, case in ipairs(exchange.read("sessions.jsonl")) do
            if case.group == group.name then it(case.id, function() world:check(case) end) end
        end
    end)
end

describe("the recorded reaper", function()
    it("cleans at the start what the recorded one cleaned, and leaves what it left", function()
        local case
        for _, found in ipairs(exchange.read("sessions.jsonl")) do
            if found.group == "reaper" then case = found end
        end
        local workspace = tmp.dir("workspace")
        local state = workspace .. "/.sandstorm-mcp"
        tmp.shell(("mkdir -p %s %s/elsewhere; cp spec/fixtures/parity/sessions.db %s"):format(quote(state), quote(workspace),
            quote(state)))
        local now = os.date("!%Y-%m-%dT%H:%M:%SZ")
        local lines = { "DELETE FROM sessions;" }
        for position, row in ipairs(case.rows) do
            local id = ("00000000-0000-4000-8000-%012d"):format(position)
            local folder = workspace .. (position == #case.rows and "/elsewhere/" or "/sessions/") .. id
            tmp.write(folder .. "/workspace/file", "x")
            local updated = row.before.updated_at == "<NOW>" and now or row.before.updated_at
            lines[#lines + 1] = ("INSERT INTO sessions VALUES "
                .. "('%s','t','%s','%s',NULL,NULL,30,'%s','2026-11-28T00:00:00Z','%s');")
                :format(id, row.before.status, folder, row.before.expires_at, updated)
        end
        -- The recorded dates are of its day; here the day is today.
        tmp.shell(("sqlite3 %s/sessions.db %s"):format(quote(state), quote(table.concat(lines, "\n"))))
        tmp.shell(("sqlite3 %s/sessions.db %s"):format(quote(state),
            quote(("UPDATE sessions SET updated_at='%s' WHERE status='cleaned' "
            .. "AND updated_at > '2026-11-28T12:00:00Z'"):format(now))))
        local s = sessions.serve({ workspace = workspace })
        s:wait_log(function(line) return line.msg == case.log[1].msg end)
        s:stop()
        local look = "sqlite3 -json %s/sessions.db 'SELECT id, status FROM sessions'"
        local rows = json.decode(tmp.shell(look:format(quote(state))))
        local status = {}
        for _, row in ipairs(rows) do status[row.id] = row.status end
        for position, row in ipairs(case.rows) do
            local id = ("00000000-0000-4000-8000-%012d"):format(position)
            local folder = workspace .. (position == #case.rows and "/elsewhere/" or "/sessions/") .. id
            local name = ("row %d"):format(position)
            assert.equal(type(row.after) == "table" and row.after.status or nil, status[id], name)
            assert.equal(row.folder == "kept" and "directory" or nil, tmp.kind(folder), name)
        end
    end)

    it("a recorded database opens and goes on", function()
        local workspace = tmp.dir("workspace")
        local state = workspace .. "/.sandstorm-mcp"
        local ready = "fcd31316-da65-41a8-b38f-0485562f40c2"
        tmp.shell(("mkdir -p %s; cp spec/fixtures/parity/sessions.db %s"):format(quote(state), quote(state)))
        tmp.shell(("sqlite3 %s/sessions.db %s"):format(quote(state), quote(
            ("UPDATE sessions SET expires_at='2099-01-01T00:00:00Z', workspace_path='%s/sessions/%s' WHERE id='%s'"):format(
                workspace, ready, ready))))
        tmp.shell(("mkdir -p %s/sessions/%s/workspace"):format(quote(workspace), ready))
        local s = sessions.serve({ workspace = workspace })
        local response = s:request({ method = "POST", path = "/session/" .. ready .. "/exec", body = '{"command":"echo on"}' })
        assert.same({ exit_code = 0, stdout = "on\n", stderr = "" }, json.decode(response.body))
        response = s:request({ path = "/session/580f657b-4ad1-473a-9be6-709cb51382b9/status" })
        assert.equal("cleaned", json.decode(response.body).status)
        s:stop()
    end)
end)
