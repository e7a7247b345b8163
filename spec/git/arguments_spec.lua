--- Values that agents give: none becomes an option, a command or a way out of the workspace.
local repositories = require("spec.support.repositories")
local tmp = require("spec.support.tmp")

local SETUP = [[
git init -q repo; cd repo; echo x > f; git add -A; git commit -qm first; echo y > f; git commit -qam second; git branch other
]]

describe("git arguments", function()
    local pair, s
    setup(function()
        pair = repositories.pair()
        s = pair.server
        pair:both("a", SETUP)
        pair:both("b", "mkdir plain; echo secret > one; echo secrets > two")
    end)
    teardown(function() pair:stop() end)

    local function refused(tool, arguments, ...)
        arguments.path = arguments.path or "a/repo"
        local text, failed = s:text(tool, arguments)
        assert.is_true(failed, text)
        for _, pattern in ipairs({ ... }) do assert.matches(pattern, text) end
        return text
    end

    it("G07 no value becomes an option, and nothing is written", function()
        local target = tmp.dir("g07") .. "/pwn"
        local option = "--output=" .. target
        refused("git_log", { ref = option }, "^ref: expected .* begins with \"%-\"")
        assert.equal("", (s:text("git_log", { path = "a/repo", paths = { option } }))) -- no such file
        refused("git_diff", { from = option }, "^from: ")
        refused("git_diff", { from = "HEAD", to = option }, "^to: ")
        refused("git_diff", { from = "HEAD", paths = { ":(bad)" } }, "Invalid pathspec magic")
        refused("git_checkout", { branch = "--orphan" }, "^branch: ")
        refused("git_checkout", { branch = "-b" }, "^branch: ")
        refused("git_branch", { name = "-D" }, "^name: ")
        refused("git_push", { remote = "--receive-pack=touch " .. target }, "^remote: ")
        refused("git_push", { branch = "--force" }, "^branch: ")
        refused("git_pull", { remote = "--upload-pack=touch " .. target }, "^remote: ")
        refused("git_pull", { branch = "--rebase" }, "^branch: ")
        refused("git_clone", { repo_url = "--upload-pack=touch " .. target, path = "c" }, "^repo_url: ")
        refused("git_clone", { repo_url = pair.workspace .. "/a/repo", path = "c", branch = "-x" }, "^branch: ")
        assert.is_nil(tmp.kind(target))
        assert.is_nil(tmp.kind(pair.workspace .. "/c"))
    end)

    it("G07 transports that run commands are refused, wherever they come from", function()
        local target = tmp.dir("g07") .. "/pwn"
        local url = "ext::sh -c touch% " .. target
        refused("git_clone", { repo_url = url, path = "c" }, 'repo_url: the transport "ext::" can run any command')
        refused("git_push", { remote = url }, 'remote: the transport "ext::"')
        refused("git_pull", { remote = "fd::3" }, 'remote: the transport "fd::"')
        pair:here("a/repo", "git remote add evil '" .. url .. "'; git config protocol.ext.allow always")
        refused("git_pull", { remote = "evil" }, "transport 'ext' not allowed")
        refused("git_push", { remote = "evil", branch = "main" }, "transport 'ext' not allowed")
        for option, value in pairs({ url = "x:y", vcs = "ext" }) do
            pair:here("a/repo", ("git config remote.odd.%s '%s'"):format(option, value))
        end
        refused("git_pull", { remote = "odd" }, "transport 'ext' not allowed")
        pair:here("a/repo", "git config url.'" .. url .. "/'.insteadOf work:")
        refused("git_pull", { remote = "work:x" }, "transport 'ext' not allowed")
        local helper = "ext://sh -c touch% " .. target
        refused("git_clone", { repo_url = helper, path = "c" }, "transport 'ext' not allowed")
        refused("git_clone", { repo_url = "fd://3", path = "c" }, "transport 'fd' not allowed")
        refused("git_clone", { repo_url = "host:-x", path = "c" }, "strange pathname")
        refused("git_clone", { repo_url = "ssh://-oProxyCommand=touch " .. target .. "/x", path = "c" }, "strange hostname")
        assert.is_nil(tmp.kind(target))
    end)

    it("a pull overwrites no local branch", function()
        pair:both("p", SETUP .. "git clone -q . ../copy; cd ../copy; git checkout -q -b mine\n"
            .. "git commit -q --allow-empty -m mine")
        local before = pair:here("p/copy", "git show-ref")
        local function pull(branch, pattern) refused("git_pull", { path = "p/copy", branch = branch }, pattern) end
        pull("+main:main", '^branch: expected a branch, got "%+main:main", where %+ lets')
        pull("other:mine", "! %[rejected%] +other +%-> mine +%(non%-fast%-forward%)")
        assert.equal(before, pair:here("p/copy", "git show-ref"))
    end)

    it("F18 a NUL byte or a line break is refused and nothing is touched", function()
        refused("git_checkout", { branch = "main\0x" }, "^branch: expected a branch, tag or commit, got a value with a NUL byte$")
        refused("git_log", { ref = "main\nx" }, "^ref: .*line break")
        refused("git_branch", { name = "a\0b" }, "NUL")
        refused("git_commit", { message = "a\0b" }, "NUL")
        refused("git_commit", { message = "m", paths = { "f\0g" } }, "^paths%[1%]: .*NUL")
        refused("git_status", { path = "a/repo\0/x" }, "NUL")
        refused("git_clone", { repo_url = "x\0y", path = "c" }, "^repo_url: .*NUL")
        refused("git_push", { remote = "origin\n--force" }, "^remote: .*line break")
        assert.equal("* main\n  other\n", pair:here("a/repo", "git branch"))
        assert.equal("", pair:here("a/repo", "git status --short"))
    end)

    it("G19 odd revisions are told quickly, and @ is HEAD", function()
        local BAD = "^fatal: bad revision '"
        for _, tool in ipairs({ "git_log", "git_diff" }) do
            local text, failed = s:text(tool, { path = "a/repo", [tool == "git_log" and "ref" or "from"] = "@" })
            assert.is_false(failed, text)
        end
        for _, revision in ipairs({
            "HEAD@", "HEAD@{", "main@{-99999999999}", "HEAD^{/(x+x+)+y}", "HEAD~99999999999999999999", ":/((((((a+)+)+",
            "HEAD^{nonsense}", "nope",
        }) do
            refused("git_log", { ref = revision }, BAD)
            refused("git_diff", { from = revision }, BAD)
            refused("git_checkout", { branch = revision }, "did not match")
        end
        refused("git_log", { ref = ("~"):rep(1024 * 1024) }, "^ref: .* 1048576 bytes; at most 4096 are taken")
        assert.equal("refs/heads/main\n", pair:here("a/repo", "git symbolic-ref HEAD"))
    end)

    it("a repository that leads out of the workspace is not used", function()
        local above = tmp.dir("above")
        local inner = repositories.pair()
        finally(function() inner:stop() end)
        local workspace = inner.workspace
        tmp.shell(("git init -q %s; echo 'gitdir: %s/.git' > %s/.git"):format(above, above, workspace))
        local text, failed = inner.server:text("git_status", {})
        assert.is_true(failed)
        assert.matches('^The directory of this repository, "[^"]+", is outside the allowed directory', text)
        tmp.shell(("cd %s; rm .git; git init -q r; git -C r config core.worktree %s"):format(workspace, above))
        text, failed = inner.server:text("git_checkout", { path = "r", branch = "main" })
        assert.is_true(failed)
        assert.matches("core.worktree.* outside the allowed directory", text)
        tmp.shell(("mkdir %s/n; ln -s %s %s/link"):format(workspace, above, workspace))
        text, failed = inner.server:text("git_status", { path = "link" })
        assert.is_true(failed)
        assert.matches('^Path "link" is outside the allowed directory', text)
        text, failed = inner.server:text("git_clone", { repo_url = pair.workspace .. "/a/repo", path = "link/new" })
        assert.is_true(failed)
        assert.matches("outside the allowed directory", text)
        assert.is_nil(tmp.kind(above .. "/new"))
    end)

    -- A repository outside of the workspace, "out", and what is done in the workspace, beside it, to be led there.
    local ASTRAY = {
        ["a line of commondir that ends with CR"] = { "git init -q r; printf '%s/.git\\r\\n' $OUT > r/.git/commondir",
            '/r/.git" has a file commondir that is not one line' },
        ["a second line of commondir"] = { "git init -q r; mkdir -p \"$(printf 'r/.git/.\\n/x')\";"
            .. " printf '.\\n/../../../../out/.git' > r/.git/commondir",
            '/r/.git" has a file commondir that is not one line' },
        ["a shared configuration"] = { "git init -q m; cd m; git commit -q --allow-empty -m m; git worktree add -q ../r;"
            .. " git config extensions.worktreeConfig true; git config core.worktree $OUT",
            "core.worktree.* outside the allowed" },
        ["what an included file says better"] = { "git init -q r; cd r; git config core.worktree $OUT;"
            .. " git config include.path x; git config -f .git/x core.worktree ..", "core.worktree.* outside the allowed" },
        ["a file .git that ends with a blank"] = { "mkdir r; cd r; git init -q real; mv real/.git x; rmdir real; mv x real;"
            .. " ln -s $OUT/.git 'real '; echo 'gitdir: real ' > .git", '/r" has a file .git that is not one line' },
        ["a file .git of two blanks"] = { "git init -q r; cd r; mv .git real; mkdir ' '; ln -s $OUT/.git ' real';"
            .. " echo 'gitdir:  real' > .git", 'out/.git" looks like the nearest one' },
        ["what only git takes for a repository"] = { "git init -q .; git init -q r; cd r/.git; rm -f HEAD;"
            .. " ln -s refs/heads/main HEAD; echo $OUT/.git > commondir", '/r/.git" looks like the nearest one' },
        ["what only libgit2 takes for a repository"] = { "git init -q .; git config core.worktree $OUT; git init -q r;"
            .. " echo x > r/.git/HEAD", '/r/.git" needs a HEAD' },
    }

    for what, case in pairs(ASTRAY) do
        it("git is not led out of the workspace by " .. what, function()
            local folder = tmp.dir("astray")
            local lines = "cd " .. tmp.quote(folder) .. "; export OUT=$PWD/out\n"
                .. "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1\n"
                .. "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=init.defaultBranch GIT_CONFIG_VALUE_0=main\n"
                .. "export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x\n"
                .. "git init -q out; cd out; echo x > secret; git add .; git commit -qm secret; rm secret\n"
                .. "mkdir ../ws; cd ../ws\n"
            tmp.shell("set -e\n" .. lines .. case[1])
            local server = require("spec.support.server").start({ workspace = folder .. "/ws" })
            finally(function() server:stop() end)
            for _, tool in ipairs({ "git_status", "git_log" }) do
                local text, failed = server:text(tool, { path = "r" })
                assert.is_true(failed, text)
                assert.is_nil(text:find("secret", 1, true), text)
                assert.matches(case[2], text)
            end
        end)
    end

    it("discovery ends at the workspace", function()
        local above = tmp.dir("above")
        tmp.shell("git init -q " .. above .. "; mkdir " .. above .. "/ws")
        local server = require("spec.support.server").start({ workspace = above .. "/ws" })
        finally(function() server:stop() end)
        for _, tool in ipairs({ "git_status", "git_log", "git_diff", "git_branch", "git_push", "git_pull" }) do
            local text, failed = server:text(tool, {})
            assert.is_true(failed)
            assert.matches("^fatal: not a git repository", text)
        end
    end)

    it("a linked work tree and a submodule of a repository outside are used: that repository says so", function()
        local outside = tmp.dir("outside")
        local workspace = outside .. "/ws"
        tmp.shell(("cd %s; git init -q top; cd top; git -c user.name=x -c user.email=x commit -q --allow-empty -m one;"
            .. " git worktree add -q %s -b work"):format(outside, workspace))
        local server = require("spec.support.server").start({ workspace = workspace })
        finally(function() server:stop() end)
        local text, failed = server:text("git_status", {})
        assert.is_false(failed, text)
        assert.matches("^On branch work\n", text)
    end)

    it("files outside of every repository are not compared", function()
        local one, two = pair.workspace .. "/b/one", pair.workspace .. "/b/two"
        for _, path in ipairs({ "b/plain", "a/repo" }) do
            local text = refused("git_diff", { path = path, paths = { one, two } }, "")
            assert.is_nil(text:find("secret", 1, true), text)
            text = refused("git_diff", { path = path, from = one, to = two }, "")
            assert.is_nil(text:find("secret", 1, true), text)
            text = refused("git_diff", { path = path, paths = { "/etc/passwd", "/dev/null" } }, "")
            assert.is_nil(text:find("root:", 1, true), text)
        end
    end)

    it("combinations of git_diff that mean nothing are refused", function()
        refused("git_diff", { to = "main" }, "^to: expected together with from")
        refused("git_diff", { from = "main", to = "other", staged = true }, "^to: expected without staged")
        refused("git_diff", { paths = { "" } }, "^paths%[1%]: expected a path")
    end)

    it("git_diff compares nothing but what is in a repository, also where a file is called --", function()
        local outside = tmp.dir("outside") .. "/file"
        tmp.write(outside, "secret\n")
        pair:here("", "mkdir -p dashes/plain dashes/repo; cd dashes; echo x > plain/--; cp plain/-- repo; cd repo; git init -q;"
            .. " git add .; git commit -qm x")
        local up = "../../../" .. outside:match("[^/]+/file$")
        for _, folder in ipairs({ "dashes/plain", "dashes/repo", "b" }) do
            for _, name in ipairs({ outside, up, "--" }) do
                for _, arguments in ipairs({
                    { from = name }, { from = name, staged = true }, { from = name, to = name },
                    { from = name, paths = { name } },
                    { paths = { name } }, { paths = { name, name } }, { paths = { name, name, name } },
                }) do
                    local result = s:call("git_diff", { path = folder, from = arguments.from, to = arguments.to,
                        staged = arguments.staged, paths = arguments.paths })
                    local text = result.content[1].text
                    assert.is_nil(text:find("secret", 1, true), text)
                    assert.is_nil(text:find("usage:", 1, true), text)
                    if name ~= "--" then assert.is_true(result.isError, text) end
                end
            end
        end
        assert.matches("not a git repository", refused("git_diff", { path = "dashes/plain", from = "HEAD" }))
    end)
end)
