--- What is long, odd, or made to cost much: every call ends with an answer, which says what is missing from it.
local program = require("spec.support.program")
local repositories = require("spec.support.repositories")
local tmp = require("spec.support.tmp")

-- In each of these pieces a pattern could start anew; with as many steps as their length squared a script is stopped.
local COSTLY = [[
    local mask, answer = require("git.mask"), require("git.answer")
    local lengths = {}
    for _, piece in ipairs({ "x", " ", "a://", "://", "a://'", "a://b,", "a://b:c@" }) do
        local long = piece:rep(60000)
        lengths[#lengths + 1] = { #long, #mask.text(long), #answer.trim(long) }
    end
    return lengths
]]

-- The sanitizer's strict checks of strings go to the end of a packed-refs for each of its lines.
local QUICK = (os.getenv("ASAN_OPTIONS") or "") .. ":strict_string_checks=0"

describe("git within bounds", function()
    local pair
    before_each(function()
        pair = repositories.pair({ env = { ASAN_OPTIONS = QUICK } })
        pair:here("", "git init -q repo; cd repo; git commit -q --allow-empty -m one")
    end)
    after_each(function() pair:stop() end)

    local function succeeds(tool, arguments)
        arguments.path = "repo"
        local result = pair.server:call(tool, arguments)
        assert.is_false(result.isError, result.content[1].text)
        return result.content[1].text, result.structuredContent, result.content[2] and result.content[2].text
    end

    it("makes texts of any length in one pass", function()
        local steps = program.lua(COSTLY)
        assert.same({ 60000, 60000, 60000 }, steps[1])
        assert.same({ 60000, 60000, 0 }, steps[2])
        for i = 3, 6 do assert.same({ steps[i][1], steps[i][1], steps[i][1] }, steps[i]) end
        assert.same({ 480000, 600000, 480000 }, steps[7])
    end)

    it("commits with a message of one long word, and a hook that says nothing at length", function()
        local hook = pair.workspace .. "/repo/.git/hooks/pre-commit"
        tmp.write(hook, "#!/bin/sh\nhead -c 100000 /dev/zero | tr '\\0' ' '\n")
        tmp.shell("chmod +x " .. hook)
        tmp.write(pair.workspace .. "/repo/a", "a")
        local message = ("x"):rep(200000)
        local text, fields = succeeds("git_commit", { message = message })
        assert.matches("^%[main %x+%] x+\n", text)
        assert.equal(fields.commit, (succeeds("git_log", { n = 1 }) and pair:here("repo", "git rev-parse HEAD")):sub(1, -2))
        assert.equal(message .. "\n", pair:here("repo", "git log -1 --format=%B | head -1"))
    end)

    it("says that a history is cut, and shows the commits before", function()
        pair:here("repo", "head -c 1000000 /dev/zero | tr '\\0' y > ../y; for i in $(seq 12); do"
            .. " (echo $i; cat ../y) | tr -d '\\n' | git commit -q --allow-empty -F -; done")
        local text, fields, note = succeeds("git_log", { n = 12 })
        assert.equal("git: the answer is long", fields.engine)
        assert.matches("^git's list was cut: it has %d+ bytes, and what came after the first %d+ is missing%.$", note)
        assert.equal(10, #fields.commits)
        assert.equal(10, select(2, text:gsub("\n", "")))
        local _, ten, none = succeeds("git_log", { n = 9 })
        assert.same({ "native", 9, nil }, { ten.engine, #ten.commits, none })
    end)

    it("says that a list of branches is cut, and which is the current one all the same", function()
        pair:here("repo", "id=$(git rev-parse HEAD); long=$(printf 'b%.0s' $(seq 190)); long=$long/$long/$long/$long;"
            .. " (echo '# pack-refs with: peeled fully-peeled sorted '; seq -f \"$id refs/heads/a/%06.0f/$long\" 14000;"
            .. " echo $id refs/heads/main) > .git/packed-refs")
        local text, fields, note = succeeds("git_branch", {})
        assert.matches("^a/000001/[b/]+\n", text)
        assert.same({ "git: the answer is long", "main" }, { fields.engine, fields.current })
        assert.matches("^git's list was cut: ", note)
        assert.is_true(#fields.branches > 10000 and #fields.branches < 14000, #fields.branches)
    end)

    it("asks git about a commit with very many parents", function()
        pair:here("repo", "tree=$(git rev-parse HEAD^{tree}); who='a <a@a> 1 +0000'; for i in $(seq 4200); do"
            .. " printf 'commit refs/x/%d\\nmark :%d\\ncommitter %s\\ndata 4\\n%04d\\n' $i $i \"$who\" $i; done"
            .. " | git fast-import --quiet --export-marks=../marks;"
            .. " (echo tree $tree; sed 's/^:[0-9]* /parent /' ../marks; echo author $who; echo committer $who; echo; echo many)"
            .. " > ../commit; git update-ref refs/heads/main $(git hash-object -t commit -w ../commit)")
        local text, fields = succeeds("git_log", { n = 1 })
        assert.matches("^%x+ many\n$", text)
        assert.same({ 4200, "git: many parents" }, { #fields.commits[1].parents, fields.engine })
    end)

    it("tells what git did in UTF-8, whatever encoding the repository is set to write", function()
        for _, encoding in ipairs({ "ISO-8859-1", "UTF-16" }) do
            pair:here("repo", "git config i18n.logOutputEncoding " .. encoding .. "; echo " .. encoding .. " > a")
            local text, fields = succeeds("git_commit", { message = "é" })
            assert.equal("[main " .. fields.commit:sub(1, 7) .. "] é", text:match("^[^\n]*"))
        end
    end)
end)
