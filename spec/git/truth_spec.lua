--- No tool says done what is not, and none loses work: against git on a twin, and by what is left of the work.
local cjson = require("cjson")
local repositories = require("spec.support.repositories")
local twin = require("spec.support.twin")

-- `repo` and its origin, which is one commit ahead: it changed a, and added new.
local BEHIND = [[
git init -q --bare remote.git; git init -q repo; cd repo; printf '1\n2\n3\n' > a; echo b > b; git add -A; git commit -qm one
git remote add origin ../remote.git; git push -q -u origin main
git clone -q ../remote.git ../peer; cd ../peer; echo theirs >> a; echo theirs > new; git add -A; git commit -qm theirs
git push -q; cd ../repo
]]

-- How pull may be configured.
local WAYS = {
    "true", "git config pull.rebase false", "git config pull.rebase true", "git config pull.rebase merges",
    "git config pull.ff only", "git config pull.ff false", "git config merge.ff only",
    "git config pull.rebase true; git config rebase.autoStash true",
    "git config pull.rebase false; git config merge.autoStash true",
}

-- Work that a pull could lose; `kept` must be found in the work tree, the index, the stash or a commit afterwards.
local WORK = {
    { "a changed file", "echo precious >> a" },
    { "a staged file", "echo precious >> a; git add a" },
    { "an untracked file", "echo precious > new" },
    { "an ignored file", "echo new > .git/info/exclude; echo precious > new", ignored = true },
    { "another changed file", "echo precious > b" },
    { "a commit", "echo precious > c; git add c; git commit -qm mine" },
    { "a commit in conflict", "echo precious >> a; git commit -qam mine" },
    { "a commit, and changes", "echo precious > c; git add c; git commit -qm mine; echo precious >> a" },
}

local PULL = { "git_pull", {}, "git pull origin" }

local FIND = "git grep -q precious || git grep -q --cached precious || git grep -q --untracked --no-exclude-standard precious"
    .. " || git log --all --reflog -p | grep -q precious"

describe("git_pull", function()
    local pair
    setup(function()
        pair = repositories.pair()
        pair:both("base", BEHIND)
    end)
    teardown(function() pair:stop() end)

    local function prepare(folder, lines) pair:both(folder, "cp -a ../base/. .; cd repo; git status -s\n" .. lines) end

    for at, way in ipairs(WAYS) do
        it("does what git does, and loses no work, with: " .. way, function()
            for position, work in ipairs(WORK) do
                local folder = ("p%d.%d"):format(at, position)
                prepare(folder, way .. "\n" .. work[2])
                twin.expect_same(pair, folder, PULL, { way .. ": " .. work[1] })
                twin.expect_same_state(pair, folder, way .. ": " .. work[1])
                if not work.ignored then pair:here(folder .. "/repo", FIND) end
            end
        end)
    end

    it("tells the paths in conflict, whether it merges or rebases, or puts back what it had stashed", function()
        local cases = {
            { "git config pull.rebase false", WORK[7][2], "main" }, { "git config pull.rebase true", WORK[7][2] },
            { "git config pull.rebase true; git config rebase.autoStash true", WORK[1][2], "main", applied = true },
        }
        for position, case in ipairs(cases) do
            local folder = "c" .. position
            prepare(folder, case[1] .. "\n" .. case[2])
            local result = pair.server:call("git_pull", { path = folder .. "/repo" })
            if case.applied then
                assert.matches("autostash resulted in conflicts", result.content[1].text)
            else
                assert.is_true(result.isError)
            end
            assert.same({ "a" }, result.structuredContent.conflicts)
            assert.equal(case[3] or cjson.null, result.structuredContent.branch)
            assert.matches("[UA][UA] a\n", pair:here(folder .. "/repo", "git status --short"))
        end
    end)
end)

-- Refusals of a remote: how it refuses, what is pushed, and what is said of each ref.
local REFUSALS = {
    { "not a fast-forward", "git reset -q --hard HEAD~2; git commit -q --allow-empty -m x", nil,
        "[rejected]", "non-fast-forward" },
    { "behind",
        "git clone -q ../remote.git ../peer; cd ../peer; git commit -q --allow-empty -m x; git push -q", nil,
        "[rejected]", "fetch first" },
    { "a pre-receive hook", "hook pre-receive 'echo policy >&2; exit 1'", nil,
        "[remote rejected]", "pre-receive hook declined" },
    { "an update hook", "hook update 'exit 1'", nil, "[remote rejected]", "hook declined" },
    { "no deletions", "git -C ../remote.git config receive.denyDeletes true", ":main",
        "[remote rejected]", "deletion prohibited" },
    { "no rewinds", "git -C ../remote.git config receive.denyNonFastForwards true", "+main~2:main",
        "[remote rejected]", "non-fast-forward" },
    { "a branch that does not exist", "true", "nope", nil },
    { "a tag that exists", "git tag v1; git push -q origin v1; git tag -f v1 HEAD~1 >/dev/null", "v1",
        "[rejected]", "already exists" },
    { "an object that is no commit", "true", "main^{tree}:refs/heads/tree",
        "[remote rejected]", "failed to update ref" },
}

local PUSHED = [[
hook() { printf '#!/bin/sh\n%s\n' "$2" > ../remote.git/hooks/$1; chmod +x ../remote.git/hooks/$1; }
git init -q --bare remote.git; git init -q repo; cd repo; git commit -q --allow-empty -m one; git commit -q --allow-empty -m two
git remote add origin ../remote.git; git push -q -u origin main; git commit -q --allow-empty -m three
]]

describe("git_push", function()
    local pair
    setup(function() pair = repositories.pair() end)
    teardown(function() pair:stop() end)

    for position, case in ipairs(REFUSALS) do
        it("is an error when the remote refuses: " .. case[1], function()
            local folder = "r" .. position
            pair:both(folder, PUSHED .. case[2])
            local before = pair:here(folder, "git -C remote.git show-ref; git -C repo show-ref")
            local operation = { "git_push", { branch = case[3] }, "git push origin " .. (case[3] or "") }
            twin.expect_same(pair, folder, operation, { case[1] })
            twin.expect_same_state(pair, folder, case[1])
            local result = pair.server:call("git_push", { path = folder .. "/repo", branch = case[3] })
            assert.is_true(result.isError)
            local ref = result.structuredContent.refs[1]
            assert.same({ case[4], case[4] and "refused", case[5] }, ref and { ref.summary, ref.state, ref.reason } or {})
            assert.equal(before, pair:here(folder, "git -C remote.git show-ref; git -C repo show-ref"))
        end)
    end
end)

-- What a checkout of `other`, which has another a, a file new, a folder where we have a file, and no b, must not lose.
local BRANCHES = [[
git init -q repo; cd repo; echo a > a; echo b > b; echo f > fd; git add -A; git commit -qm one
git checkout -q -b other; echo other > a; echo other > new; git rm -q b fd; mkdir fd; echo x > fd/x; git add -A
git commit -qm other; git checkout -q main
]]

local AT_RISK = {
    { "a changed file", "echo precious > a" },
    { "a staged file", "echo precious > a; git add a" },
    { "a file that goes", "echo precious > b" },
    { "an untracked file", "echo precious > new" },
    { "a file where a folder comes", "echo precious > fd" },
    { "an untracked folder in place of a file", "mkdir new; echo precious > new/x" },
    { "an open merge", "git checkout -q -b third; echo precious > a; git commit -qam third; ! git merge -q other >/dev/null" },
    { "a deleted file", "rm a", lost = true },
}

describe("git_checkout", function()
    local pair
    setup(function() pair = repositories.pair() end)
    teardown(function() pair:stop() end)

    for position, case in ipairs(AT_RISK) do
        it("loses no work: " .. case[1], function()
            local folder = "k" .. position
            pair:both(folder, BRANCHES .. case[2])
            twin.expect_same(pair, folder, { "git_checkout", { branch = "other" }, "git checkout other" }, { case[1] })
            twin.expect_same_state(pair, folder, case[1])
            if not case.lost then pair:here(folder .. "/repo", "grep -rq --exclude-dir=.git precious .") end
        end)
    end
end)

describe("git_commit", function()
    local pair
    setup(function() pair = repositories.pair() end)
    teardown(function() pair:stop() end)

    -- The repository, the arguments, and git's words for why not.
    local CASES = {
        { "nothing to commit", "git init -q repo; cd repo; git commit -q --allow-empty -m x", {}, "nothing to commit" },
        { "nothing, ever", "git init -q repo", {}, "nothing to commit" },
        { "an empty message", "git init -q repo; echo x > repo/x", { message = "" }, "due to empty commit message" },
        { "only blanks as message", "git init -q repo; echo x > repo/x", { message = " \n " }, "empty commit message" },
        { "only comments as message", "git init -q repo; echo x > repo/x; git -C repo config commit.cleanup strip",
            { message = "# x" }, "empty commit message" },
        { "a path that is not there", "git init -q repo", { paths = { "nope" } }, "did not match any files" },
        { "ignored paths", "git init -q repo; echo x > repo/x; echo x > repo/.gitignore", { paths = { "x" } }, "are ignored" },
        { "paths in a merge", BRANCHES .. AT_RISK[7][2] .. "; echo done > a; git add -A", { paths = { "a" } },
            "cannot do a partial commit during a merge" },
        { "no repository", "mkdir repo", {}, "not a git repository" },
        { "a bare repository", "git init -q --bare repo", {}, "must be run in a work tree" },
    }

    for position, case in ipairs(CASES) do
        it("says why there is no commit: " .. case[1], function()
            local folder = "n" .. position
            pair:both(folder, case[2])
            local arguments = { path = folder .. "/repo", message = case[3].message or "m", paths = case[3].paths }
            local before = pair:states(folder, "repo")
            local text, failed = pair.server:text("git_commit", arguments)
            assert.is_true(failed, text)
            assert.matches(case[4], text, 1, true)
            local commits = function(state) return state:match("refs/heads/%S+ %x+") end
            assert.equal(commits(before), commits((pair:states(folder, "repo"))))
        end)
    end

    it("says that it was made on no branch, as git does", function()
        pair:both("d", BRANCHES .. "git checkout -q --detach; echo d > a")
        local result = pair.server:call("git_commit", { path = "d/repo", message = "on none" })
        assert.is_false(result.isError)
        assert.matches("^%[detached HEAD %x+%] on none\n", result.content[1].text)
        assert.equal(cjson.null, result.structuredContent.branch)
        assert.equal(pair:here("d/repo", "git rev-parse HEAD"), result.structuredContent.commit .. "\n")
    end)
end)
