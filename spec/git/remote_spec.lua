local fake_git = require("spec.support.fake_git")

describe("git.remote", function()
    local host, remote, call

    before_each(function()
        host = fake_git.install()
        remote, call = require("git.remote"), fake_git.call()
    end)

    it("finds the address of a remote, another one for pushing where there is one", function()
        host.answers["config"] = "remote.origin.url\nhttps://h/x\0remote.up.url\nhttp://h/y\0remote.up.pushurl\nssh://h/z\0"
        assert.same({ "https://h/x", "http://h/y", "ssh://h/z", "https://h/x", "https://else/" }, {
            remote.route(call, "origin").url, remote.route(call, "up").url, remote.route(call, "up", true).url,
            remote.route(call, "origin", true).url, remote.route(call, "https://else/").url,
        })
    end)

    it("is not sent on to plain http, but from plain http", function()
        for _, url in ipairs({ "https://h/x", "ssh://h/x", "git@h:x", "/w/x" }) do
            assert.same({ "protocol.http.allow=user" }, remote.route(call, url).config, url)
        end
        for _, url in ipairs({ "http://h/x", "HTTP://h/x" }) do assert.is_nil(remote.route(call, url).config, url) end
    end)

    it("lets ssh ask nobody, unless somebody said how ssh is called", function()
        assert.same({ GIT_SSH_COMMAND = "ssh -o BatchMode=yes" }, remote.route(call, "origin").env)
        host.answers["config"] = "core.sshcommand\nssh -i key\0"
        assert.is_nil(remote.route(call, "origin").env)
        host.answers = {}
        local getenv = os.getenv
        finally(function() os.getenv = getenv end) -- luacheck: ignore
        for _, set in ipairs({ "GIT_SSH_COMMAND", "GIT_SSH" }) do
            os.getenv = function(name) return name == set and "x" or nil end -- luacheck: ignore
            assert.is_nil(remote.route(call, "origin").env, set)
        end
    end)

    for said, note in pairs({
        ["fatal: could not read Username for 'https://h': terminal prompts disabled"] = "^No credential was accepted",
        ["remote: x\nfatal: Authentication failed for 'https://h/'"] = "^No credential was accepted",
        ["git@h: Permission denied (publickey)."] = "^No key was accepted",
        ["Host key verification failed.\nPermission denied (x)"] = "^The host's key is not known",
    }) do
        it("says where a credential belongs for: " .. said, function()
            local outcome = { ok = false, text = said, notes = { "before" } }
            remote.explain(outcome)
            assert.equal("before", outcome.notes[1])
            assert.matches(note, outcome.notes[2])
        end)
    end

    it("explains nothing else", function()
        for _, outcome in ipairs({ { ok = false, text = "fatal: no such repository", notes = {} },
            { ok = true, text = "Authentication failed", notes = {} } }) do
            remote.explain(outcome)
            assert.same({}, outcome.notes)
        end
    end)
end)
