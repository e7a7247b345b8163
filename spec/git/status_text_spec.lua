--- The text that status makes of git's format for programs is git's own.
local repositories = require("spec.support.repositories")

local BASE = [[
git init -q --bare remote.git; git init -q repo; cd repo
printf '1\n2\n3\n4\n5\n6\n' > a; echo b > b; echo c > c; ln -s a link; git add -A; git commit -qm one
git commit -q --allow-empty -m two
git remote add origin ../remote.git; git push -q -u origin main
]]

local STATES = {
    { "ahead by one", "git commit -q --allow-empty -m x" },
    { "ahead by two", "git commit -q --allow-empty -m x; git commit -q --allow-empty -m y" },
    { "behind by one", "git reset -q --hard HEAD~1" },
    { "behind by two", "git commit -q --allow-empty -m x; git push -q; git reset -q --hard HEAD~2" },
    { "diverged", "git reset -q --hard HEAD~1; git commit -q --allow-empty -m x" },
    { "no upstream", "git checkout -q -b feature/x" },
    { "an upstream of another name", "git checkout -q -b x -t main; git commit -q --allow-empty -m y" },
    { "every staged change", "git mv a moved; echo n > n; git rm -q b; rm link; echo file > link; chmod +x c\n"
        .. "git add -A" },
    { "every change", "echo x >> a; rm b; rm link; echo file > link; chmod +x c" },
    { "both, and untracked", "echo x >> a; git add a; echo y >> a; rm c; mkdir -p d/e; touch d/e/f u" },
    { "only untracked", "touch u" },
    { "odd names", "touch \"$(printf 'a\\001\\t\\n\\\\\"\\177 b')\" 'sp ace' 'ü'\n"
        .. "git add 'ü'; git mv a 'new name'; printf x > \"$(printf 'l\\351')\"" },
    { "a rename with changes", "git mv a z; echo 7 >> z; git add z; echo 8 >> z" },
    { "copies", "git config status.renames copies; cp a copy; echo 7 >> a; git add -A" },
    { "advice off", "git config advice.statusHints false; echo x >> a" },
    { "names as they are", "git config core.quotePath false; touch 'ü'" },
    { "short by configuration", "git config status.short true; touch u" },
    { "no untracked files", "git config status.showUntrackedFiles no; touch u" },
    { "a stash", "echo x >> a; git stash -q; git config status.showStash true" },
    { "intent to add", "echo n > n; git add -N n" },
    { "bisecting", "git bisect start -q HEAD HEAD~1 2>/dev/null >/dev/null || git bisect start HEAD HEAD~1 >/dev/null" },
    { "reverting", "echo x > a; git commit -qam x; echo y > a; git commit -qam y; ! git revert HEAD~1 >/dev/null 2>&1" },
}

describe("git status", function()
    local pair
    setup(function() pair = repositories.pair() end)
    teardown(function() pair:stop() end)

    for position, state in ipairs(STATES) do
        it("says what git says: " .. state[1], function()
            local folder = "s" .. position
            pair:both(folder, BASE .. state[2])
            local expected = pair:here(folder .. "/repo", "git status")
            local text, failed = pair.server:text("git_status", { path = folder .. "/repo" })
            assert.is_false(failed)
            assert.equal(expected, text)
        end)
    end

    it("says it below the top in git's own words", function()
        pair:both("below", BASE .. "mkdir d; touch d/u")
        assert.equal(pair:here("below/repo/d", "git status"), (pair.server:text("git_status", { path = "below/repo/d" })))
    end)
end)
