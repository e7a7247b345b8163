--- G15 and G04: what a killed server leaves in a repository, locks of others, and repositories of others.
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local uv = require("luv")
local wire = require("spec.support.wire")

local quote = tmp.quote

-- A repository whose files named *.slow pass a filter that says `begun` and waits, where the file `wait` is.
local SLOW = [[
    git init -q repo; cd repo; git config user.name a; git config user.email a
    git config filter.slow.clean 'cat; test -e ../wait && touch ../begun && sleep 300'
    git config filter.slow.smudge 'cat; test -e ../wait && touch ../begun && sleep 300'
    git config filter.slow.required false
    echo '*.slow filter=slow' > .gitattributes; for i in 1 2 3; do echo $i > $i; done; git add -A; git commit -qm one
    git checkout -q -b other; for i in 1 2 3; do echo other > $i; done; echo s > z.slow; git add -A; git commit -qm other
    git checkout -q -
]]

-- Ends every process that works in a folder, however it got there.
local function end_all_in(folder)
    local entries = assert(uv.fs_scandir("/proc"))
    for name in function() return uv.fs_scandir_next(entries) end do
        local at = name:find("^%d+$") and uv.fs_readlink("/proc/" .. name .. "/cwd")
        if at == folder then uv.kill(tonumber(name), "sigkill") end
    end
end

describe("G15", function()
    local s, workspace, repo
    before_each(function()
        workspace = tmp.dir("workspace")
        repo = workspace .. "/repo"
        tmp.shell(("cd %s; %s"):format(quote(workspace), SLOW))
        s = server.start({ workspace = workspace })
    end)
    after_each(function() s:stop() end)

    local function call(tool, arguments)
        local all = { path = "repo" }
        for name, value in pairs(arguments or {}) do all[name] = value end
        local result = s:call(tool, all)
        local texts = {}
        for i, item in ipairs(result.content) do texts[i] = item.text end
        return not result.isError, table.concat(texts, "\n")
    end

    local function succeeds(tool, arguments)
        local fine, text = call(tool, arguments)
        assert.is_true(fine, text)
        return text
    end

    local INTERRUPTED = {
        ["a commit"] = { "git_commit", { path = "repo", message = "m" }, "echo x > x.slow; echo 2 > 1" },
        ["a checkout"] = { "git_checkout", { path = "repo", branch = "other" }, "true" },
    }
    for what, case in pairs(INTERRUPTED) do
        it("a server killed in the middle of " .. what .. " leaves a lock that is named, and a repository that works", function()
            tmp.shell(("cd %s; touch ../wait; %s"):format(quote(repo), case[3]))
            local head = tmp.shell("git -C " .. quote(repo) .. " rev-parse HEAD")
            local connection = wire.begin(s, case[1], case[2])
            assert(program.wait_until(function() return tmp.kind(workspace .. "/begun") end))
            assert.equal("file", tmp.kind(repo .. "/.git/index.lock"))
            s:kill()
            connection:close()
            end_all_in(repo)
            os.remove(workspace .. "/wait")
            s = server.start({ workspace = workspace })
            assert.matches("one", succeeds("git_log"))
            succeeds("git_status")
            succeeds("git_diff")
            for tool, arguments in pairs({ git_commit = { message = "m" }, git_checkout = { branch = "other" } }) do
                local fine, text = call(tool, arguments)
                assert.is_false(fine)
                assert.matches("index%.lock is %d+ s old", text)
            end
            assert.equal("file", tmp.kind(repo .. "/.git/index.lock"))
            assert.equal(head, tmp.shell("git -C " .. quote(repo) .. " rev-parse HEAD"))
            os.remove(repo .. "/.git/index.lock")
            succeeds("git_commit", { message = "after" })
            assert.equal("", tmp.shell(("cd %s; git status --porcelain; git fsck --no-progress 2>&1 | grep -v dangling || true")
                :format(quote(repo))))
        end)
    end

    for lock, tool in pairs({ ["HEAD.lock"] = "git_checkout", ["refs/heads/new.lock"] = "git_branch" }) do
        it("the lock " .. lock .. " is named with its age, and stays", function()
            local path = repo .. "/.git/" .. lock
            tmp.shell("touch -d '90 seconds ago' " .. quote(path))
            local fine, text = call(tool, tool == "git_branch" and { name = "new" } or { branch = "other" })
            assert.is_false(fine)
            assert.matches(lock:gsub("%p", "%%%0") .. " is %d+ s old", text)
            assert.equal("file", tmp.kind(path))
            succeeds("git_status")
            succeeds("git_log")
        end)
    end

    for _, side in ipairs({ "remote.git/hooks/pre-receive", "repo/.git/hooks/pre-push" }) do
        it("no file is called a lock that is none, whatever is said by " .. side, function()
            local lie = ("fatal: Unable to create '%s/yarn.lock': File exists."):format(repo)
            tmp.shell(("cd %s; git init -q --bare remote.git; touch repo/yarn.lock; git -C repo remote add origin ../remote.git")
                :format(quote(workspace)))
            tmp.write(workspace .. "/" .. side, ('#!/bin/sh\necho "%s" >&2; exit 1\n'):format(lie))
            tmp.shell("chmod +x " .. quote(workspace .. "/" .. side))
            local fine, text = call("git_push", { branch = "other" })
            assert.is_false(fine)
            assert.is_truthy(text:find(lie, 1, true), text)
            assert.is_nil(text:find("remove the file", 1, true), text)
        end)
    end
end)

describe("G04 the repository of somebody else", function()
    local WAYS = {
        ["nothing"] = {},
        ["its path in the global configuration"] = { global = "REPO" },
        ["any path in the global configuration"] = { global = "*" },
        ["a prefix in the global configuration"] = { global = "WORKSPACE/*" },
        ["another path in the global configuration"] = { global = "REPO/x" },
        ["its path in the configuration of the system"] = { system = "REPO" },
        ["any path in the configuration of the system, without HOME"] = { system = "*", homeless = true },
        ["nothing, without HOME"] = { homeless = true },
        ["its own configuration"] = { own = "*" },
    }

    local function write_config(path, value, workspace)
        if not value then return end
        value = value:gsub("REPO", workspace .. "/repo"):gsub("WORKSPACE", workspace)
        tmp.write(path, ("[safe]\n\tdirectory = %s\n"):format(value))
    end

    for name, way in pairs(WAYS) do
        it("is opened where git opens it, allowed by " .. name, function()
            needs.root()
            local workspace, home = tmp.dir("workspace"), tmp.dir("home")
            tmp.shell(("cd %s; git init -q repo; cd repo; git -c user.name=a -c user.email=a commit -q --allow-empty -m one")
                :format(quote(workspace)))
            if way.own then tmp.shell(("git -C %s/repo config safe.directory '*'"):format(workspace)) end
            tmp.shell(("chown -R 12345 %s/repo"):format(workspace))
            write_config(home .. "/.gitconfig", way.global, workspace)
            write_config(home .. "/system", way.system or "/nowhere", workspace)
            local env = { HOME = home, GIT_CONFIG_SYSTEM = home .. "/system" }
            local unset = way.homeless and { "env", "-u", "HOME" } or nil
            local by_git = program.run({
                env = env, wrap = unset, command = { "git", "-C", workspace .. "/repo", "log", "--oneline" },
            })
            local s = server.start({ workspace = workspace, env = env, wrap = unset })
            for _, tool in ipairs({ "git_log", "git_status", "git_branch", "git_diff" }) do
                local text, failed = s:text(tool, { path = "repo" })
                assert.equal(by_git.code ~= 0, failed, tool .. ": " .. text)
                if failed then assert.matches("dubious ownership", text) end
            end
            s:stop()
        end)
    end
end)
