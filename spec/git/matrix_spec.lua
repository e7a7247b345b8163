--- Kinds of repositories by the nine tools: each call does and says what `git` does and says on a twin of the repository.
local gpg = require("spec.support.gpg")
local needs = require("spec.support.needs")
local repositories = require("spec.support.repositories")
local tmp = require("spec.support.tmp")
local twin = require("spec.support.twin")

-- Run in an empty folder. Afterwards there is `repo` with the branches main and other, and `remote.git`, its origin.
local BASE = [[
git init -q --bare remote.git
git init -q repo; cd repo
mkdir src doc; printf 'line 1\nline 2\nline 3\n' > a.txt; echo s > src/s.c; echo d > doc/d.txt
git add -A; git commit -qm first
git checkout -q -b other; echo o > o.txt; git add -A; git commit -qm other; git checkout -q main
echo 'line 4' >> a.txt; git commit -qam $'second\nline of the subject\n\nbody'
git remote add origin ../remote.git; git push -q -u origin main other; git remote set-head origin main
]]

local COPY = "cp -a ../base/. .; cd repo; git update-index -q --refresh\n" -- what BASE makes, made once

local DIRTY = "echo more >> a.txt; echo n > new.txt; rm doc/d.txt; chmod +x src/s.c\n"

local SIDE = "git checkout -q -b side HEAD~1; echo side > a.txt; git commit -qam side\n"

local function clone(options)
    return BASE .. "cd ..; rm -rf repo; git -C remote.git config uploadpack.allowFilter true\n"
        .. "git clone -q " .. options .. ' "file://$PWD/remote.git" repo; cd repo\n'
end

local KINDS = {
    { "plain", BASE .. DIRTY },
    { "clean", BASE },
    { "empty", "git init -q --bare remote.git; git init -q repo; git -C repo remote add origin ../remote.git" },
    { "unborn", "git init -q --bare remote.git; git init -q repo; cd repo; git remote add origin ../remote.git; echo x > x" },
    { "bare", "git init -q seed; cd seed; echo x > x; git add -A; git commit -qm x; cd ..; git clone -q --bare seed repo" },
    { "linked work tree", BASE .. "cd ..; mv repo top; git -C top worktree add -q -b work ../repo; cd repo\n" .. DIRTY },
    { "submodule", BASE .. "git clone -q --bare . ../lib.git; git submodule --quiet add ../lib.git sub; git commit -qm sub\n"
        .. "echo x >> sub/a.txt\n" .. DIRTY },
    { "submodule recursion", BASE .. "git clone -q --bare . ../lib.git; git submodule --quiet add ../lib.git sub\n"
        .. "git commit -qm sub; git checkout -q other; git merge -q main; git -C sub checkout -q other; git add sub\n"
        .. "git commit -qm moved; git checkout -q --recurse-submodules main; git config submodule.recurse true\n" .. DIRTY },
    { "sparse (G11)", BASE .. "git sparse-checkout set src; echo x >> src/s.c; echo n > src/n.c" },
    { "skip-worktree (G11)", BASE .. "git update-index --skip-worktree doc/d.txt; rm doc/d.txt; echo x >> a.txt" },
    { "partial (G03)", clone("--filter=blob:none") .. DIRTY },
    { "shallow", clone("--depth=1") .. DIRTY },
    { "filter", BASE .. "git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'\n"
        .. "git config filter.up.required true; echo '*.up filter=up' > .gitattributes; echo big > x.up\n"
        .. "git add -A; git commit -qm filter; echo bigger > x.up; " .. DIRTY },
    { "hooks (G13)", BASE .. "mkdir ../hooks; git config core.hooksPath ../hooks\n"
        .. "for h in pre-commit post-commit pre-push post-checkout post-merge; do\n"
        .. "printf '#!/bin/sh\\necho %s runs\\n' $h > ../hooks/$h; done\n"
        .. "printf '#!/bin/sh\\necho Signed-by: hook >> $1\\n' > ../hooks/commit-msg; chmod +x ../hooks/*\n" .. DIRTY },
    { "refusing hook (G13)", BASE .. "printf '#!/bin/sh\\necho secret found; exit 1\\n' > .git/hooks/pre-commit\n"
        .. "printf '#!/bin/sh\\necho not today; exit 1\\n' > .git/hooks/pre-push; chmod +x .git/hooks/*\n" .. DIRTY },
    { "signing", BASE .. "git config gpg.format ssh; git config user.signingKey $HOME/key; git config commit.gpgSign true\n"
        .. "git config log.showSignature true; " .. DIRTY },
    { "signing with gpg", BASE .. "git config gpg.program $HOME/gpg; git config user.signingKey spec@example.com\n"
        .. "git config commit.gpgSign true; git config push.gpgSign if-asked; " .. DIRTY },
    { "SHA-256", (BASE:gsub("git init %-q", "git init -q --object-format=sha256")) .. DIRTY },
    { "worktreeConfig", BASE .. "git config extensions.worktreeConfig true; git config --worktree core.abbrev 9\n" .. DIRTY },
    { "CRLF (G12)", BASE .. "printf 'x\\r\\ny\\r\\n' > c.txt; git add -A; git commit -qm crlf\n"
        .. "echo '* text=auto' > .gitattributes\n"
        .. "git add .gitattributes; git commit -qm auto; printf 'a\\r\\n' > w.txt; " .. DIRTY },
    { "autocrlf (G12)", BASE .. "git config core.autocrlf true; printf 'a\\nb\\n' > w.txt; " .. DIRTY },
    { "open merge (G20)", BASE .. SIDE .. "git checkout -q main\n! git merge -q side >/dev/null", refuses = "git_commit" },
    { "includeIf", BASE .. "git config includeIf.gitdir:repo/.path inc\n"
        .. "printf '[core]\\n\\tabbrev = 12\\n[log]\\n\\tdate = iso\\n' > .git/inc; " .. DIRTY },
    { "fsmonitor", BASE .. "printf '#!/bin/sh\\nprintf \"t\\\\0/\\\\0\"\\n' > .git/watch; chmod +x .git/watch\n"
        .. "git config core.fsmonitor $PWD/.git/watch; " .. DIRTY },
    { "modes ignored", BASE .. "git config core.fileMode false; " .. DIRTY },
    { "below the top", BASE .. DIRTY, below = "src" },
    { "resolved merge (G20)", BASE .. SIDE .. "git checkout -q main\n"
        .. "! git merge -q side >/dev/null; echo resolved > a.txt" },
    { "cherry-pick (G20)", BASE .. SIDE .. "git checkout -q main\n"
        .. "! git cherry-pick side >/dev/null 2>&1; echo resolved > a.txt" },
    { "rebase (G20)", BASE .. SIDE .. "! git rebase -q main >/dev/null 2>&1; echo resolved > a.txt" },
    { "detached", BASE .. "git checkout -q HEAD~1; " .. DIRTY },
    { "odd names", BASE .. "touch 'sp ace' 'ünï' $'new\\nline' ./-dash ':colon' 'quo\"te' 'back\\slash'\n"
        .. "git add -A; git commit -qm names\n"
        .. "for f in 'sp ace' 'ünï' $'new\\nline' ./-dash ':colon' 'quo\"te'; do echo x >> \"$f\"; done\n"
        .. "git mv 'sp ace' 'ta\tb'" },
    { "Latin-1 (G23)", BASE .. "printf 'caf\\xe9\\n' > $'caf\\xe9'; git add -A; git commit -qm latin\n"
        .. "printf 'th\\xe9\\n' >> $'caf\\xe9'" },
    { "encodings (G23)", BASE .. "git -c i18n.commitEncoding=ISO-8859-1 commit -q --allow-empty -m $'caf\\xe9'\n"
        .. "git commit -q --allow-empty -m $'raw \\xff\\xfe bytes' 2>/dev/null" },
    { "symbolic links", BASE .. "ln -s a.txt link; ln -s nowhere dangling; git add -A; git commit -qm links\n"
        .. "ln -sf o link; mkfifo pipe" },
    { "replace refs", BASE .. "git replace --graft HEAD other" },
    { "packed", BASE .. "git gc -q; git pack-refs --all; " .. DIRTY },
    { "worktrees and tags", BASE .. "git worktree add -q ../second other; git tag v1; git tag -am note v2 HEAD~1" },
    { "ignored", BASE .. "echo '*.log' > .gitignore; mkdir deep; echo x > deep/x.log; echo y > deep/y" },
    { "renames", BASE .. "git mv a.txt b.txt; git mv src/s.c doc/s.c; echo x >> b.txt; cp doc/d.txt e.txt" },
    { "intent to add", BASE .. "echo x > ita; git add -N ita; git rm -q --cached o.txt 2>/dev/null || true; " .. DIRTY },
    { "branch.sort", BASE .. "git config branch.sort -committerdate; git branch zz; git branch aa" },
    { "upstream gone", BASE .. "git checkout -q other; git push -q origin :other; echo x > x" },
    { "foreign owner (G04)", BASE .. DIRTY .. "cd ..; chown -R 12345 repo", root = true },
    { "foreign owner allowed (G04)", BASE .. DIRTY .. "cd ..; chown -R 12345 repo\n"
        .. 'git config --global --add safe.directory "$PWD/repo"', root = true },
}

-- The fields of an operation are told in spec/support/twin.lua. What is `seen_later` shows in the state after the next.
local MESSAGE = "by the tool"
local IN_REPOSITORY = "git rev-parse --git-dir >/dev/null && "
local READS = {
    { "git_status", {}, "git --no-optional-locks status", raw = true },
    { "git_log", {}, "git log --oneline -n 10 --encoding=UTF-8 --no-show-signature", raw = true },
    { "git_branch", {}, "git branch -a" },
    { "git_diff", {}, IN_REPOSITORY .. "git diff", raw = true, empty = "(no changes)" },
    { "git_diff", { staged = true }, IN_REPOSITORY .. "git diff --cached", raw = true, empty = "(no changes)" },
}
local WRITES = {
    { "git_branch", { name = "made" }, "git branch made", seen_later = true },
    { "git_commit", { message = MESSAGE }, "git add -A && git commit -m '" .. MESSAGE .. "'" },
    { "git_push", {}, "git push origin" },
    { "git_pull", {}, "git pull origin", before = "! [ -d remote.git ] || { git clone -q remote.git peer; cd peer\n"
        .. "echo p > p.txt; git add -A; git commit -qm peer; git push -q; } 2>/dev/null || true" },
    { "git_clone", {}, 'top=$(dirname "$(realpath "$TOP")"); git clone "$top/repo" "$top/cloned"', clone = true,
        seen_later = true },
    { "git_checkout", { branch = "other" }, "git checkout other" },
}

describe("git by kind of repository", function()
    local pair, agent
    setup(function()
        pair = repositories.pair()
        tmp.shell("ssh-keygen -q -t ed25519 -N '' -C spec -f " .. pair.home .. "/key")
        agent = gpg.start(pair.home)
        pair:both("base", BASE)
    end)
    teardown(function()
        gpg.stop(agent)
        pair:stop()
    end)

    for position, kind in ipairs(KINDS) do
        it(kind[1], function()
            if kind.root then needs.root() end
            local folder = "k" .. position
            pair:both(folder, kind[2]:sub(1, #BASE) == BASE and COPY .. kind[2]:sub(#BASE + 1) or kind[2])
            for _, operation in ipairs(READS) do twin.expect_same(pair, folder, operation, kind) end
            twin.expect_same_state(pair, folder, kind[1])
            for _, operation in ipairs(WRITES) do
                if operation[1] ~= kind.refuses then twin.expect_same(pair, folder, operation, kind) end
                if not operation.seen_later then
                    twin.expect_same_state(pair, folder, kind[1] .. ": after " .. operation[3])
                end
            end
        end)
    end
end)
