--- G16: calls that change one repository take turns; those that read wait for nobody.
local mcp = require("spec.support.mcp")
local program = require("spec.support.program")
local repositories = require("spec.support.repositories")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local wire = require("spec.support.wire")

local BASE = "git init -q repo; cd repo; echo 1 > a; git add -A; git commit -qm one; git branch other\n"

-- A hook that says `begun` and holds up the first who runs it until it may `go`.
local HELD_ONCE = "#!/bin/sh\nmkdir ../first 2>/dev/null || exit 0; touch ../begun\nuntil [ -e ../go ]; do sleep 0.05; done\n"
local STUCK = "#!/bin/sh\ntouch ../begun; sleep 300\n"

describe("git calls in parallel", function()
    local pair, s
    before_each(function()
        pair = repositories.pair()
        s = pair.server
        pair:here("", BASE)
    end)
    after_each(function() pair:stop() end)

    local function hook(name, text)
        tmp.write(("%s/repo/.git/hooks/%s"):format(pair.workspace, name), text)
        tmp.shell(("chmod +x %s/repo/.git/hooks/%s"):format(pair.workspace, name))
    end

    local function await_begun()
        assert(program.wait_until(function() return tmp.kind(pair.workspace .. "/begun") end), "nothing has begun")
    end

    local function succeeds(result)
        assert.is_false(result.isError, result.content[1].text)
        return result.content[1].text, result.structuredContent
    end

    it("G16 all succeed that change it, in linked work trees too, and each commit holds its own file", function()
        pair:here("repo", "git worktree add -q ../tree")
        local calls = {}
        for i = 1, 16 do
            local folder = i % 4 == 0 and "tree" or "repo"
            tmp.write(("%s/%s/f%d"):format(pair.workspace, folder, i), tostring(i))
            local arguments = { path = folder, message = "commit " .. i, paths = { "f" .. i } }
            calls[i] = wire.begin(s, "git_commit", arguments)
        end
        local branch = wire.begin(s, "git_branch", { path = "tree", name = "new" })
        for i, connection in ipairs(calls) do
            local _, fields = succeeds(wire.result(connection))
            assert.equal(("commit %d\nf%d\n"):format(i, i),
                pair:here("repo", "git show --format=%s --name-only " .. fields.commit .. " | sed '/^$/d'"))
        end
        succeeds(wire.result(branch))
        assert.equal("13\n5\n", pair:here("repo", "git rev-list --count HEAD; git rev-list --count tree"))
        assert.equal("", pair:here("repo", "git status --porcelain; git -C ../tree status --porcelain"))
    end)

    it("who changes waits as long as it takes, who reads does not", function()
        hook("pre-commit", HELD_ONCE)
        pair:here("repo", "echo 2 > b; echo 3 > c")
        local first = wire.begin(s, "git_commit", { path = "repo", message = "b", paths = { "b" } })
        await_begun()
        local second = wire.begin(s, "git_commit", { path = "repo", message = "c", paths = { "c" } })
        for _, tool in ipairs({ "git_status", "git_log", "git_diff", "git_branch" }) do
            succeeds(s:call(tool, { path = "repo" }))
        end
        tmp.write(pair.workspace .. "/go", "")
        succeeds(wire.result(first))
        succeeds(wire.result(second))
        assert.equal("c\nb\none\n", pair:here("repo", "git log --format=%s"))
    end)

    it("who waits in vain learns for whom, and who is cancelled gives way", function()
        local short = server.start({
            workspace = pair.workspace, env = pair.env,
            tools = tmp.file("tools.lua", (tmp.read("tools.lua"):gsub("local_s = 30", "local_s = 1"))),
        })
        finally(function() short:stop() end)
        hook("pre-push", STUCK)
        pair:here("repo", "git init -q --bare ../remote.git; git remote add origin ../remote.git; echo 2 > b")
        local client = mcp.session(short, "2025-11-25")
        local push = client:open("tools/call", { name = "git_push", arguments = { path = "repo", branch = "main" } })
        local id = client.last_id
        await_begun()
        local text, failed = short:text("git_checkout", { path = "repo", branch = "other" })
        assert.is_true(failed)
        assert.matches("it is the turn of git_push, for %d+ s already.* nothing was done%.\ntimeout after 1s$", text)
        local commit = wire.begin(short, "git_commit", { path = "repo", message = "two" })
        client:notify("notifications/cancelled", { requestId = id })
        assert.is_nil(push:answer())
        succeeds(wire.result(commit))
        assert.equal("main\ntwo\none\n", pair:here("repo", "git symbolic-ref --short HEAD; git log --format=%s"))
        assert.equal("", pair:here("remote.git", "git for-each-ref"))
    end)

    it("G17 a clone waits for another that goes to the same place, and for its end where that is cancelled", function()
        local port, remotes, script = server.free_port(), pair.workspace, program.root .. "/spec/support/git_http.lua"
        local stalled = program.spawn({
            command = { "lua5.4", script, tostring(port), remotes, remotes .. "/log", "stall" }, env = { HOME = pair.home },
        })
        finally(function()
            stalled:signal_with("sigkill")
            stalled:wait()
        end)
        assert(program.wait_until(function() return server.accepts("127.0.0.1", port) end), stalled:stderr())
        pair:here("", "git clone -q --bare repo remote.git; mkdir copies; git clone -q --bare repo copies/remote.git")
        for _, path in ipairs({ "new/c", "remote" }) do
            local client = mcp.session(s, "2025-11-25")
            local given = path ~= "remote" and path or nil
            local arguments = { repo_url = ("http://127.0.0.1:%d/remote.git"):format(port), path = given }
            local first = client:open("tools/call", { name = "git_clone", arguments = arguments, _meta = { progressToken = 1 } })
            local id = client.last_id
            first:next() -- git has begun
            local second = wire.begin(s, "git_clone", { repo_url = pair.workspace .. "/copies/remote.git", path = given })
            client:notify("notifications/cancelled", { requestId = id })
            succeeds(wire.result(second))
            assert.equal("one\n", pair:here(path, "git log --format=%s; git status --porcelain; git fsck --no-progress"))
        end
    end)
end)
