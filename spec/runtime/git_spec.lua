--- The module `git` in the program: what it raises, returns and refuses.
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

local function lua(workspace, chunk)
    local env = { GIT_CONFIG_NOSYSTEM = "1" }
    return program.lua('local git = require("git")\n' .. chunk, { workspace = workspace, env = env })
end

local function repository(lines)
    local workspace = tmp.dir("workspace")
    tmp.shell(("cd %s; export HOME=$PWD GIT_CONFIG_NOSYSTEM=1; git init -q -b main; git config user.name x;"
        .. " git config user.email x@x;"
        .. " echo 1 > a; mkdir d; echo 1 > d/b; git add -A; git commit -qm one; { %s; } >/dev/null 2>&1")
        :format(workspace, lines))
    return workspace
end

describe("the module git", function()
    it("raises for arguments of a wrong type", function()
        assert.same({
            "git.locate: a path expected as a string, got no value", "git.branches: a path expected as a string, got number",
            "git.history: a whole number from 1 to 1000 expected, got 0",
            "git.history: a whole number from 1 to 1000 expected, got 1.5",
            "git.history: a whole number from 1 to 1000 expected, got 1001",
            "git.history: a whole number from 1 to 1000 expected, got nil",
            "git.plain_status: a path expected as a string, got table",
        }, lua(tmp.dir("workspace"), [[
            local out = {}
            local function try(name, ...) out[#out + 1] = select(2, pcall(git[name], ...)) end
            try("locate")
            try("branches", 1)
            for _, count in ipairs({ 0, 1.5, 1001 }) do try("history", "", count) end
            try("history", "")
            try("plain_status", {})
            return out
        ]]))
    end)

    it("says where a repository is, or in libgit2's words why there is none", function()
        local workspace = repository("git init -q inner; echo nonsense > d/.git")
        local result = lua(workspace, [[
            local found = git.locate("d/../inner")
            return { found, { select(2, git.locate("nowhere")) }, { select(2, git.locate("d")) } }
        ]])
        local inner = workspace .. "/inner"
        assert.same({ directory = inner, git_dir = inner .. "/.git", common_dir = inner .. "/.git" }, result[1])
        assert.same({ workspace .. "/nowhere: No such file or directory", "ENOENT" }, result[2])
        assert.matches('/d" has a file .git that is not one line, "gitdir: " and the path of a directory$', result[3][1])
        assert.equal("EUNCLEAR", result[3][2])
        local none = lua(tmp.dir("workspace"), 'return { select(2, git.locate("")) }')
        assert.matches("^no repository: libgit2 repository 6: could not find repository", none[1])
        assert.equal("ENOREPO", none[2])
    end)

    it("tells nothing of a repository whose configuration cannot be read", function()
        for _, lines in ipairs({
            "echo '[' > .git/config", "echo '[' > .git/config.worktree", "rm .git/config; mkdir .git/config",
        }) do
            local result = lua(repository(lines), 'return { select(2, git.locate("")) }')
            assert.equal("EUNCLEAR", result[2], result[1])
        end
    end)

    it("asks the shared configuration for the place of a linked work tree only where git does", function()
        local LINK = "git worktree add -q w; git config core.worktree /"
        local result = lua(repository(LINK), 'return { git.locate("w") }')
        assert.matches("/.git$", result[1].common_dir)
        result = lua(repository(LINK .. "; git config extensions.worktreeConfig 1"), 'return { select(2, git.locate("w")) }')
        assert.equal("EOUTSIDE", result[2], result[1])
    end)

    it("refuses with libgit2's class and message", function()
        local workspace = repository("rm -rf .git/objects/??")
        for name, arguments in pairs({ history = '"", 5', branches = '""' }) do
            local refusal = lua(workspace, ("return select(2, git.%s(%s))"):format(name, arguments))
            assert.matches("libgit2 odb 9: object not found", refusal)
        end
    end)

    -- What is done to the repository, and why its status is not plain.
    local NOT_PLAIN = {
        { "git config advice.statusHints false", "advice is configured" },
        { "git config status.short true", "status is configured" },
        { "git config core.quotePath false", "core.quotePath is set" },
        { "git config core.sparseCheckout true", "sparse checkout" },
        { "git config core.worktree $PWD", "core.worktree is set" },
        { "git config core.repositoryFormatVersion 1; git config extensions.worktreeConfig true", "repository extension" },
        { "git checkout -qb x; echo 2 > a; git commit -qam x; git checkout -q main; echo 3 > a; git commit -qam y\n"
            .. "git merge x || true", "an operation is in progress" },
        { "git bisect start", "an operation is in progress" },
        { "echo ref: x/ > .git/HEAD; mv .git/refs .git/gone", "no repository: libgit2 repository 6: " },
        { "echo '[' > .git/config", "configuration: libgit2 config 7: " },
    }

    for _, case in ipairs(NOT_PLAIN) do
        it("says why a status is not plain: " .. case[1], function()
            local result = lua(repository(case[1]), 'return { git.plain_status("") }')
            assert.is_false(result[1])
            assert.equal(case[2], result[2]:sub(1, #case[2]), result[2])
        end)
    end

    it("says that a status is plain at the top, and only there", function()
        local result = lua(repository("echo x >> a"), 'return { git.plain_status(""), { git.plain_status("d") } }')
        assert.same({ true, { false, "below the top of the work tree" } }, result)
    end)
end)
