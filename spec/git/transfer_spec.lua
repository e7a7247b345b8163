local fake_git = require("spec.support.fake_git")
local json = require("json")

describe("git.transfer", function()
    local host, transfer, call

    before_each(function()
        host = fake_git.install()
        transfer, call = require("git.transfer"), fake_git.call()
    end)

    it("reads the fate of each ref", function()
        local refs = transfer.parse_refs(table.concat({
            "To https://h/x", "   aaa1..bbb2  main -> main", " + aaa1...bbb2 old -> new (forced update)",
            " * [new branch]      b -> b", " - [deleted]         gone", " = [up to date]      same -> same",
            " ! [rejected]        main -> main (fetch first)", "error: failed to push some refs",
        }, "\n"))
        assert.same({
            { from = "main", to = "main", state = "updated", summary = "aaa1..bbb2" },
            { from = "old", to = "new", state = "forced", summary = "aaa1...bbb2", reason = "forced update" },
            { from = "b", to = "b", state = "created", summary = "[new branch]" },
            { to = "gone", state = "deleted", summary = "[deleted]" },
            { from = "same", to = "same", state = "unchanged", summary = "[up to date]" },
            { from = "main", to = "main", state = "refused", summary = "[rejected]", reason = "fetch first" },
        }, refs)
        assert.same({}, transfer.parse_refs(" * [new branch]      a -> a\nfatal: x"))
        assert.equal(200000, #transfer.parse_refs("To x\n ! [remote rejected] a -> b (" .. (" ("):rep(100000) .. ")")[1].reason)
        assert.equal("[]", json.encode(transfer.parse_refs("Everything up-to-date\n")))
    end)

    it("pushes to origin unless it is told where, with names that are no options", function()
        host.answers["push"] = { stderr = "To x\n * [new branch]      b -> b\n" }
        local result = transfer.push(call)
        assert.same({ false, "origin", "created" }, { result.isError, result.structured.remote, result.structured.refs[1].state })
        transfer.push(call, "up", "a:b")
        assert.same({ "push -- origin", "push -- up a:b" }, fake_git.commands(host, "push"))
        assert.has_error(function() transfer.push(call, "--receive-pack=x") end)
        assert.has_error(function() transfer.push(call, "ext::sh") end)
        assert.has_error(function() transfer.push(call, nil, "--force") end)
        assert.equal(2, #fake_git.commands(host, "push"))
    end)

    it("makes an error of a ref that was refused, with what would help", function()
        host.answers["push"] = { exit_code = 1, stderr = "To x\n ! [rejected]        main -> main (fetch first)\n" }
        local result = transfer.push(call)
        assert.same({ true, "fetch first" }, { result.isError, result.structured.refs[1].reason })
        host.answers["push"] = { exit_code = 128, stderr = "fatal: Authentication failed for 'https://me:pw@h/'\n" }
        result = transfer.push(call)
        assert.equal("fatal: Authentication failed for 'https://***@h/'", result.content[1])
        assert.matches("^No credential was accepted", result.content[2])
    end)

    it("pulls, and tells what HEAD was and is", function()
        local head = "old"
        host.answers["rev-parse"] = function() return head .. "\nrefs/heads/main\n" end
        head = "aaa"
        host.answers["pull"] = function()
            head = "bbb"
            return { stdout = "Updating" }
        end
        local fields = transfer.pull(call, nil, "b").structured
        assert.same({ "pull --end-of-options origin b" }, fake_git.commands(host, "pull"))
        assert.same({ "main", "bbb", "aaa", "[]" },
            { fields.branch, fields.commit, fields.commit_before, json.encode(fields.conflicts) })
        assert.has_error(function() transfer.pull(call, "--upload-pack=x") end)
        assert.has_error(function() transfer.pull(call, nil, "--rebase") end)
    end)

    it("names the files that are in conflict after a pull", function()
        host.answers["pull"] = { exit_code = 1, stdout = "CONFLICT" }
        host.answers["diff"] = "l\xE9\0"
        local result = transfer.pull(call)
        assert.same({ true, { "$'l\\xe9'" }, json.null }, { result.isError, result.structured.conflicts,
            result.structured.commit_before })
    end)

    it("waits for another git that holds a lock", function()
        call.place = { git_dir = "/w/.git", common_dir = "/w/.git" }
        host.git.locate = function(path) return { directory = path } end
        host.answers["pull"] = function()
            return #fake_git.commands(host, "pull") == 1
                and { exit_code = 128, stderr = "fatal: Unable to create '/w/.git/x.lock': File exists" } or ""
        end
        assert.is_false(transfer.pull(call).isError)
    end)
end)
