--- What the server keeps for itself in its state folder, where that lies in the workspace (which is the default): no tool
--- for files or git gets at any of it.
local oauth = require("spec.support.oauth")
local tmp = require("spec.support.tmp")

local FOLDER = ".sandstorm-mcp"

-- A server that has made every file of its own.
local function start()
    local workspace = tmp.dir("workspace")
    local app = oauth.new(oauth.start({
        workspace = workspace,
        env = { SANDSTORM_AUDIT_FILE = workspace .. "/" .. FOLDER .. "/audit" },
    }))
    app:sign_in()
    app.server:request({ method = "POST", path = "/session/create", body = '{"type":"spec"}' })
    return app.server
end

describe("the server's own files", function()
    local s, files

    local function here(command) return tmp.shell(("cd %s && %s"):format(tmp.quote(s.workspace), command)) end

    setup(function()
        s = start()
        files = {}
        for name in here("ls -A " .. FOLDER):gmatch("[^\n]+") do
            if name ~= ".gitignore" then files[#files + 1] = FOLDER .. "/" .. name end
        end
        tmp.write(s.workspace .. "/mine", "mine")
    end)
    teardown(function() s:stop() end)

    it("are the audit log, the grants, the key and two databases", function()
        local names = {}
        for _, path in ipairs(files) do
            local name = path:match("[^/]+$")
            if not name:find("-", 1, true) then names[#names + 1] = name end
        end
        assert.same({ "audit", "grants", "key", "sessions.db", "tasks.db" }, names)
    end)

    it("S03 are not read, written, moved, removed or replaced by a tool", function()
        local before = here(("cat %s/key %s/grants | sha256sum"):format(FOLDER, FOLDER))
        for _, path in ipairs(files) do
            for _, call in ipairs({
                { "file_read", { path = path } }, { "file_write", { path = path, content = "x" } },
                { "file_move", { source = path, dest = "taken" } },
                { "file_move", { source = "mine", dest = path } }, { "file_delete", { path = path } },
            }) do
                local text, failed = s:text(call[1], call[2])
                assert.is_true(failed, call[1] .. " " .. path .. ": " .. text)
                assert.matches("(a file of the server itself)", text, 1, true)
            end
        end
        assert.equal(before, here(("cat %s/key %s/grants | sha256sum"):format(FOLDER, FOLDER)))
        assert.equal("mine", tmp.read(s.workspace .. "/mine"))
    end)

    it("are in no commit, whether all is staged or they are named, and in no diff", function()
        here("git init -q . && git config user.name a && git config user.email a@b")
        local result = s:call("git_commit", { message = "all" })
        assert.is_false(result.isError, result.content[1].text)
        for _, path in ipairs(files) do
            local text, failed = s:text("git_commit", { message = "one", paths = { path } })
            assert.is_true(failed, path .. ": " .. text)
        end
        assert.equal("mine\n", here("git ls-files | grep -v ^sessions/"))
        assert.not_matches(FOLDER, s:text("git_status", {}), 1, true)
        assert.equal(here("git rev-list --count HEAD"), "1\n")
    end)
end)
