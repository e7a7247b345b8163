--- The engine in the process: when it answers, and that it then says what git says.
local repositories = require("spec.support.repositories")

local BASE = [[
git init -q repo; cd repo; echo 1 > a; git add -A; git commit -qm one; git commit -q --allow-empty -m two; git branch b
]]

-- What is done to the repository, and the engine of git_log and git_branch.
local REASONS = {
    { "nothing", "true", "native", "native" },
    { "hooks, filters, signing", "git config commit.gpgSign true; git config core.fsmonitor true", "native", "native" },
    { "a packed repository", "git gc -q", "native", "native" },
    { "core.abbrev", "git config core.abbrev 9", "git: core.abbrev is set", "git: core.abbrev is set" },
    { "branch.sort", "git config branch.sort refname", "git: branch.sort is set", "git: branch.sort is set" },
    { "a detached HEAD", "git checkout -q --detach", "native", "git: detached HEAD" },
    { "linked work trees", "git worktree add -q ../wt b", "native", "git: linked work trees" },
    { "a shallow clone", "cd ..; git clone -q --depth=1 file://$PWD/repo s; rm -rf repo; mv s repo", "git: shallow clone",
        "git: shallow clone" },
    { "replaced commits", "git replace --graft HEAD", "git: replace refs", "git: replace refs" },
    { "packed replaced commits", "git replace --graft HEAD; git pack-refs --all; rmdir .git/refs/replace", "git: replace refs",
        "git: replace refs" },
    { "alternates", "cd ..; git clone -q --shared repo s; mv repo r; sed -i s/repo/r/ s/.git/objects/info/alternates; mv s repo",
        "git: alternate object directories", "git: alternate object directories" },
    { "a multi-pack index", "git repack -q -ad --write-midx", "git: multi-pack index", "git: multi-pack index" },
    { "an extension", "git config core.repositoryFormatVersion 1; git config extensions.worktreeConfig true",
        "git: repository extension", "git: repository extension" },
    { "SHA-256", "cd ..; rm -rf repo; git init -q --object-format=sha256 repo; cd repo; git commit -q --allow-empty -m x",
        "git: repository extension", "git: repository extension" },
    { "a partial clone", "git config remote.origin.promisor true; git config core.repositoryFormatVersion 1;"
        .. " git config extensions.partialClone origin", "git: repository extension", "git: repository extension" },
    { "an encoding", "git -c i18n.commitEncoding=ISO-8859-1 commit -q --allow-empty -m x", "git: commit with an encoding",
        "native" },
    { "what libgit2 cannot read", "git config remote.o.fetch '^refs/heads/x'; git config branch.b.remote o\n"
        .. "git config branch.b.merge refs/heads/x", "native", "git: upstream: libgit2 invalid 3: " },
    { "objects that libgit2 does not find", "mv .git/objects .git/elsewhere; ln -s elsewhere .git/objects", "native", "native" },
    { "a broken ref", "echo garbage > .git/refs/heads/broken", "native", "native" },
}

describe("git engine", function()
    local pair, s
    setup(function()
        pair = repositories.pair()
        s = pair.server
    end)
    teardown(function() pair:stop() end)

    for position, case in ipairs(REASONS) do
        it("answers or says why the program does: " .. case[1], function()
            local folder = "r" .. position
            pair:both(folder, BASE .. case[2])
            for tool, expected in pairs({ git_log = case[3], git_branch = case[4] }) do
                local result = s:call(tool, { path = folder .. "/repo" })
                assert.is_false(result.isError, result.content[1].text)
                local said = result.structuredContent.engine
                assert.equal(expected, said:sub(1, #expected), said)
                local command = tool == "git_log" and "git log --oneline --encoding=UTF-8" or "git branch -a 2>/dev/null"
                local text = pair:here(folder .. "/repo", command)
                if tool == "git_branch" then text = text:match("^%s*(.*%S)") end
                assert.equal(text, result.content[1].text)
            end
        end)
    end

    it("maps upstreams as git does", function()
        pair:both("u", BASE .. [[
git clone -q --bare . ../r.git; git remote add origin ../r.git; git fetch -q; git branch -u origin/b b
git branch odd; git config branch.odd.remote origin; git config branch.odd.merge refs/heads/gone
git branch here; git config branch.here.remote .; git config branch.here.merge refs/heads/main
git branch none; git config branch.none.remote nowhere; git config branch.none.merge refs/heads/main
git branch half; git config branch.half.merge refs/heads/main
git config --add remote.origin.fetch +refs/notes/*:refs/notes/*; git branch notes; git config branch.notes.remote origin
git config branch.notes.merge refs/notes/x
]])
        local fields = s:call("git_branch", { path = "u/repo" }).structuredContent
        assert.equal("native", fields.engine)
        local lines = {}
        for _, branch in ipairs(fields.branches) do lines[#lines + 1] = branch.name .. " " .. (branch.upstream or "") .. "\n" end
        local expected = pair:here("u/repo", "git for-each-ref --format='%(refname) %(upstream)' refs/heads refs/remotes")
        expected = expected:gsub("refs/heads/", ""):gsub("refs/remotes/", "")
        assert.equal(expected, table.concat(lines))
    end)

    it("is not asked where the environment or the arguments need the program", function()
        pair:both("e", BASE)
        assert.equal("git: a ref is given", s:call("git_log", { path = "e/repo", ref = "b" }).structuredContent.engine)
        assert.equal("git: paths are given", s:call("git_log", { path = "e/repo", paths = { "a" } }).structuredContent.engine)
        local other = repositories.pair({ env = { GIT_CONFIG_GLOBAL = pair.home .. "/.gitconfig" } })
        finally(function() other:stop() end)
        other:both("e", BASE)
        local engine = other.server:call("git_log", { path = "e/repo" }).structuredContent.engine
        assert.equal("git: GIT_CONFIG_GLOBAL is set", engine)
    end)

    it("tells the history in git's order, with its subjects, names and dates", function()
        local lines = { "git init -q repo; cd repo; tree=$(git write-tree)" }
        local random = 7
        local function draw(n)
            random = (random * 1103515245 + 12345) % 2147483648
            return random // 65536 % n
        end
        local subjects = {
            "plain", "\\n\\n  leading blank lines  \\nsecond line\\n\\nbody", "ends in blanks   \\n", "\\tTab first", "ünï 😀",
            "raw \\xff byte", "", "a\\r\\nb\\r\\n",
        }
        for i = 1, 70 do
            local parents = i > 1 and "-p $c" .. (i - 1 - draw(math.min(i - 1, 5))) or ""
            if i > 3 and draw(3) == 0 then parents = parents .. " -p $c" .. (i - 1 - draw(3)) end
            lines[#lines + 1] = ("c%d=$(printf '%s' | GIT_COMMITTER_DATE='@%d %s' GIT_AUTHOR_DATE='@%d +0530' "
                .. "git commit-tree $tree %s 2>/dev/null)"):format(
                i, subjects[draw(#subjects) + 1], 1700000000 + draw(40) * 10, ({ "+0000", "-0930" })[draw(2) + 1],
                    1600000000 + i, parents)
        end
        lines[#lines + 1] = "git update-ref refs/heads/main $c70"
        pair:both("dag", table.concat(lines, "\n"))
        local format = "git log -n 60 --date=iso-strict --format='%H %P|%an|%ae|%ad|%s'"
        for _, n in ipairs({ 1, 10, 60 }) do
            local result = s:call("git_log", { path = "dag/repo", n = n })
            local fields = result.structuredContent
            assert.equal("native", fields.engine)
            local expected = pair:here("dag/repo", "git log --oneline -n " .. n)
            assert.equal((require("text").clean(expected)), result.content[1].text)
            local rows = {}
            for _, c in ipairs(fields.commits) do
                rows[#rows + 1] = ("%s %s|%s|%s|%s|%s\n")
                    :format(c.id, table.concat(c.parents, " "), c.author, c.email, c.date, c.subject)
            end
            local all = require("text").clean(pair:here("dag/repo", (format:gsub("60", n))))
            assert.equal(all, table.concat(rows))
        end
    end)

    it("its reason is in the debug log", function()
        local other = repositories.pair({ env = { SANDSTORM_LOG_LEVEL = "debug" } })
        finally(function() other:stop() end)
        other:both("", BASE)
        other.server:call("git_log", { path = "repo" })
        other.server:call("git_status", { path = "repo" })
        for operation, engine in pairs({ history = "native", status = "git: reads the work tree" }) do
            local line = other.server:wait_log(function(l) return l.operation == operation end)
            assert.equal(engine, line.engine)
        end
    end)
end)
