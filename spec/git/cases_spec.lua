--- Cases from the field that no twin can show: locks, parallel calls, open conflicts, large trees.
local gpg = require("spec.support.gpg")
local mcp = require("spec.support.mcp")
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local repositories = require("spec.support.repositories")
local tmp = require("spec.support.tmp")
local uv = require("luv")
local wire = require("spec.support.wire")

local BASE = "git init -q repo; cd repo; echo 1 > a; git add -A; git commit -qm one; git branch other\n"

local CONFLICT = BASE .. [[
git checkout -q other; echo theirs > a; echo bin > b; git add -A; git commit -qm theirs
git checkout -q main; echo ours > a; git commit -qam ours; ! git merge -q other >/dev/null
]]

-- Something that listens at a path until it is closed.
local function listen_at(path)
    local pipe = uv.new_pipe(false)
    assert(pipe:bind(path))
    return setmetatable({}, { __close = function() pipe:close() end })
end

describe("git", function()
    local pair, s
    before_each(function()
        pair = repositories.pair()
        s = pair.server
    end)
    after_each(function() pair:stop() end)

    local function call(tool, arguments)
        arguments.path = arguments.path or "repo"
        local result = s:call(tool, arguments)
        return result.content[1].text, result.isError, result
    end

    local function succeeds(tool, arguments)
        local text, failed, result = call(tool, arguments)
        assert.is_false(failed, text)
        return text, result.structuredContent
    end

    it("G20 commit refuses while a file holds conflict markers, and concludes the merge when none does", function()
        pair:both("", CONFLICT)
        local before = pair:here("repo", "git rev-parse HEAD; git ls-files -s")
        local text, failed, result = call("git_commit", { message = "merged" })
        assert.is_true(failed)
        assert.matches("hold conflict markers:\n\ta\n", text)
        assert.same({ "a" }, result.structuredContent.conflicts)
        assert.equal(before, pair:here("repo", "git rev-parse HEAD; git ls-files -s"))
        pair:here("repo", "sed -i '/^<<<<<<<\\|^=======/d' a") -- one marker is left
        assert.is_true(select(2, call("git_commit", { message = "merged" })))
        pair:here("repo", "printf 'ours\\n=======\\ntheirs\\n' > a") -- a heading is no marker
        local _, fields = succeeds("git_commit", { message = "merged" })
        assert.same({ "a" }, fields.resolved)
        assert.matches("^merged %x+ %x+\n", pair:here("repo", "git log -1 --format='%s %p'"))
        assert.equal("no\n", pair:here("repo", "test -e .git/MERGE_HEAD && echo yes || echo no"))
    end)

    it("G20 markers are found at the end of a large file, and with another size of marker", function()
        pair:both("", BASE .. "echo 'a conflict-marker-size=12' > .gitattributes; seq 200000 > a; git add -A\n"
            .. "git commit -qm big\n"
            .. "git branch side; echo ours >> a; git commit -qam ours\n"
            .. "git checkout -q side; echo theirs >> a; git commit -qam theirs\n"
            .. "! git merge -q main > /dev/null")
        local text, failed = call("git_commit", { message = "merged" })
        assert.is_true(failed)
        assert.matches("\n\ta\n", text)
        pair:here("repo", "sed -i '/^<<<<<<<<<<<<\\|^>>>>>>>>>>>>/d' a; echo '<<<<<<< of seven' >> a")
        succeeds("git_commit", { message = "merged" })
    end)

    it("G15 a lock that is in the way is named with its age, and never removed", function()
        pair:both("", BASE)
        pair:here("repo", "touch -d '90 seconds ago' .git/index.lock; echo 2 > a; git branch x")
        for tool, arguments in pairs({ git_commit = { message = "m" }, git_checkout = { branch = "other" } }) do
            local text, failed, result = call(tool, arguments)
            assert.is_true(failed)
            assert.matches("index.lock': File exists", text)
            assert.matches("/repo/.git/index.lock is %d+ s old", result.content[2].text)
            assert.is_true(tonumber(result.content[2].text:match("is (%d+) s old")) >= 90)
        end
        assert.equal("file", tmp.kind(pair.workspace .. "/repo/.git/index.lock"))
        assert.matches("modified:   a", (succeeds("git_status", {})))
        assert.matches("^%x+ one\n$", (succeeds("git_log", {})))
        assert.matches("%+2\n$", (succeeds("git_diff", {})))
    end)

    -- Sends all calls before it reads the first answer.
    local function in_parallel(calls)
        local connections, results = {}, {}
        for position, one in ipairs(calls) do connections[position] = wire.begin(s, one[1], one[2]) end
        for position, connection in ipairs(connections) do results[position] = wire.result(connection) end
        return results
    end

    -- Git's own words for what another commit did: it held a lock, or it wrote the index without what was staged meanwhile.
    local function lost_to_another(text)
        for _, words in ipairs({ "index.lock", "cannot lock ref", "did not match any file" }) do
            if text:find(words, 1, true) then return true end
        end
        return false
    end

    local function expect_commit(id, message, file)
        assert.equal(("%s\n%s\n"):format(message, file), pair:here("repo", "git show --format=%s --name-only " .. id
            .. " | sed '/^$/d'; git merge-base --is-ancestor " .. id .. " HEAD"))
    end

    it("G16 of parallel commits every success is in the history, and the others say which lock was held", function()
        pair:both("", BASE)
        local calls = {}
        for i = 1, 30 do
            tmp.write(pair.workspace .. "/repo/f" .. i, tostring(i))
            calls[i] = { "git_commit", { path = "repo", message = "commit " .. i, paths = { "f" .. i } } }
            if i % 3 == 0 then
                local command = "git add F && git commit -qm 'commit N' -- F && git log -1 --format=%H -- F"
                command = command:gsub("F", "f" .. i):gsub("N", i)
                calls[i] = { "terminal_exec", { cwd = "repo", command = command } }
            end
        end
        local results, made = in_parallel(calls), 0
        for i, result in ipairs(results) do
            if result.isError then
                assert.is_true(lost_to_another(result.content[1].text), result.content[1].text)
            else
                made = made + 1
                local id = result.structuredContent.commit or result.structuredContent.stdout:match("%x+")
                expect_commit(id, "commit " .. i, "f" .. i)
            end
        end
        assert.equal(made + 1, tonumber(pair:here("repo", "git rev-list --count HEAD")))
        assert.equal("", pair:here("repo", "git fsck --no-progress 2>&1 | grep -v dangling || true"))
        for _ = made + 1, 30 do -- what lost once wins when nobody else holds the lock
            succeeds("git_commit", { message = "later" })
            if pair:here("repo", "git status --porcelain") == "" then break end
        end
        assert.equal("", pair:here("repo", "git status --porcelain"))
    end)

    it("G24 large trees, pipes, sockets and long patches: what is shown has bounds", function()
        pair:both("", BASE)
        pair:here("repo", "mkdir many; cd many; seq 20000 | xargs touch; cd ..; mkfifo pipe;"
            .. " printf 'bin\\0ary' > b; seq 900000 > text; git add b text; git commit -qm big; printf 'other\\0' > b;"
            .. " sed 's/^/x/' -i text")
        local listener <close> = listen_at(pair.workspace .. "/repo/socket")
        assert.equal("socket", listener and tmp.kind(pair.workspace .. "/repo/socket"))
        local text, fields = succeeds("git_status", {})
        assert.matches("\n\tmany/\n", text)
        assert.is_nil(text:find("pipe", 1, true) or text:find("socket", 1, true))
        assert.equal(3, #fields.entries)
        local diff, _, result = call("git_diff", {})
        assert.matches("Binary files a/b and b/b differ\n", diff)
        assert.is_false(result.structuredContent.complete)
        assert.is_true(#diff <= 10 * 1024 * 1024)
        assert.matches("^stdout was cut: the first %d+ of %d+ bytes are shown%.", result.content[2].text)
    end)

    it("G24 a commit of five gigabytes holds up nobody, and is cancelled as if it had not been", function()
        pair:both("", BASE)
        pair:here("repo", "truncate -s 5G large; mkfifo pipe")
        local client = mcp.session(s, "2025-11-25")
        local before = pair:here("repo", "git rev-parse HEAD; git ls-files -s")
        local running = client:open("tools/call", { name = "git_commit", arguments = { path = "repo", message = "m" } })
        local id = client.last_id
        local lock = pair.workspace .. "/repo/.git/index.lock"
        assert(program.wait_until(function() return tmp.kind(lock) ~= nil end))
        for _ = 1, 20 do assert.same({}, s:rpc("ping").result) end
        assert.matches("^%x+ one\n$", (succeeds("git_log", {})))
        assert.equal("file", tmp.kind(lock)) -- it still runs
        client:notify("notifications/cancelled", { requestId = id })
        assert.is_nil(running:answer())
        assert(program.wait_until(function() return tmp.kind(lock) == nil end), "the lock stays")
        assert.equal(before, pair:here("repo", "git rev-parse HEAD; git ls-files -s"))
        pair:here("repo", "rm large; echo 2 > a")
        succeeds("git_commit", { message = "two" })
    end)

    it("a commit without identity says so as git does", function()
        local nobody = repositories.pair()
        tmp.write(nobody.home .. "/.gitconfig", "[user]\n\tuseConfigOnly = true\n[init]\n\tdefaultBranch = main\n")
        local bare = require("spec.support.server").start({
            workspace = nobody.workspace, env = { HOME = nobody.home, GIT_CONFIG_NOSYSTEM = "1" },
        })
        finally(function() bare:stop() nobody:stop() end)
        nobody:here("", "git init -q repo; echo x > repo/a")
        local text, failed = bare:text("git_commit", { path = "repo", message = "m" })
        assert.is_true(failed)
        assert.matches("Please tell me who you are", text)
    end)

    it("a prompt of any kind ends the call at once", function()
        pair:both("", BASE)
        pair:here("repo", "git config core.editor 'sleep 300'; git config sequence.editor 'sleep 300';"
            .. " git config pull.rebase interactive")
        pair:here("", "git clone -q --bare repo remote.git; git -C repo remote add origin ../remote.git;"
            .. " git clone -q remote.git peer; cd peer; echo p > p; git add p; git commit -qm peer; git push -q")
        pair:here("repo", "echo 3 > c; git add c; git commit -qm mine")
        assert.matches("Successfully rebased", (succeeds("git_pull", { branch = "main" })))
    end)

    it("a key that asks for its passphrase is an error at once", function()
        pair:both("", BASE)
        pair:here("repo", "ssh-keygen -q -t ed25519 -N secret -f ~/key; git config gpg.format ssh;"
            .. " git config commit.gpgSign true; git config user.signingKey ~/key; echo 2 > a")
        local text, failed = call("git_commit", { message = "m" })
        assert.is_true(failed)
        assert.matches("passphrase", text)
        assert.is_nil(text:find("timeout after", 1, true))
        local agent = gpg.start(pair.home, "secret")
        finally(function() gpg.stop(agent) end)
        gpg.forget(pair.home)
        pair:here("repo", "git config gpg.program ~/gpg; git config gpg.format openpgp;"
            .. " git config user.signingKey spec@example.com")
        text, failed = call("git_commit", { message = "m" })
        assert.is_true(failed)
        assert.matches("gpg failed to sign the data", text)
        assert.is_nil(text:find("timeout after", 1, true))
        assert.equal("one\n", pair:here("repo", "git log --format=%s"))
    end)

    it("G04 a refusal for its owner says whose the repository is", function()
        needs.root()
        pair:both("", BASE .. "cd ..; chown -R 12345 repo")
        for _, tool in ipairs({ "git_status", "git_log", "git_branch", "git_diff" }) do
            local text, failed, result = call(tool, {})
            assert.is_true(failed)
            assert.matches("detected dubious ownership", text)
            assert.matches("safe.directory", text)
            assert.matches("belongs to 12345 %(uid 12345%)", result.content[2].text)
        end
        pair:here("", "git config --global --add safe.directory '*'")
        assert.matches("^%x+ one\n$", (succeeds("git_log", {})))
    end)
end)
