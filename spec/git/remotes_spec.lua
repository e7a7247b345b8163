--- Remotes: over HTTP with `git http-backend`, `git daemon`, and ssh; credentials, refusals, and what failures leave behind.
local program = require("spec.support.program")
local repositories = require("spec.support.repositories")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local SEED = [[
git init -q seed; cd seed; echo 1 > a; git add -A; git commit -qm one; git branch dev
git clone -q --bare . ../remote.git; git -C ../remote.git config http.receivepack true; touch ../remote.git/git-daemon-export-ok
]]

describe("git remotes", function()
    local pair, s, remotes, children

    -- Starts a command that listens on a port, and waits until it does.
    local function listen(command, port)
        local child = program.spawn({ command = command, env = { HOME = pair.home } })
        children[#children + 1] = child
        assert(program.wait_until(function() return server.accepts("127.0.0.1", port) end), child:stderr())
        return child
    end

    local function http(mode, other)
        local port, log = server.free_port(), tmp.dir("http") .. "/log"
        listen({ "lua5.4", program.root .. "/spec/support/git_http.lua", tostring(port), remotes, log, mode, other }, port)
        return ("127.0.0.1:%d"):format(port), log
    end

    before_each(function()
        children = {}
        pair = repositories.pair()
        s = pair.server
        remotes = tmp.dir("remotes")
        local output, ok = pair:shell(remotes, "set -e\n" .. SEED)
        assert(ok, output)
    end)

    after_each(function()
        for _, child in ipairs(children) do
            child:signal_with("sigkill")
            child:wait()
        end
        pair:stop()
    end)

    local function succeeds(tool, arguments)
        local result = s:call(tool, arguments)
        assert.is_false(result.isError, result.content[1].text)
        return result.content[1].text, result.structuredContent
    end

    local function fails(tool, arguments, ...)
        local result = s:call(tool, arguments)
        local all = result.content[1].text .. "\n" .. (result.content[2] and result.content[2].text or "")
        assert.is_true(result.isError, all)
        for _, pattern in ipairs({ ... }) do assert.matches(pattern, all) end
        return result, all
    end

    -- Clone, commit, push, and pull what another clone has pushed.
    local function round_trip(url)
        local _, fields = succeeds("git_clone", { repo_url = url, path = "c" })
        assert.equal(pair.workspace .. "/c", fields.path)
        pair:here("c", "echo 2 > b")
        succeeds("git_commit", { path = "c", message = "two" })
        local _, pushed = succeeds("git_push", { path = "c" })
        assert.same({ "main", "main", "updated" }, { pushed.refs[1].from, pushed.refs[1].to, pushed.refs[1].state })
        pair:shell(remotes, "cd seed && git pull -q ../remote.git main && echo 3 > c && git add -A && git commit -qm three"
            .. " && git push -q ../remote.git main")
        local _, pulled = succeeds("git_pull", { path = "c" })
        assert.equal(pair:shell(remotes, "git -C remote.git rev-parse main"), pulled.commit .. "\n")
        assert.equal("3\n", tmp.read(pair.workspace .. "/c/c"))
    end

    it("HTTP: clone, push and pull", function() round_trip("http://" .. http("open") .. "/remote.git") end)

    it("git daemon: clone, push and pull", function()
        local port = server.free_port()
        -- Not through `git`, which would leave the daemon behind when it is ended.
        listen({ "/usr/lib/git-core/git-daemon", "--listen=127.0.0.1", "--port=" .. port, "--base-path=" .. remotes,
            "--enable=receive-pack", "--reuseaddr", remotes }, port)
        round_trip(("git://127.0.0.1:%d/remote.git"):format(port))
    end)

    it("HTTP with a password from the credential helper", function()
        local address = http("password")
        tmp.write(pair.home .. "/.git-credentials", ("http://agent:right@%s\n"):format(address))
        pair:here("", "git config --global credential.helper store")
        round_trip("http://" .. address .. "/remote.git")
    end)

    it("G06 without a credential, or with a wrong one, the error comes at once and says where to put one", function()
        local address, log = http("refuse")
        local url = "http://" .. address .. "/remote.git"
        fails("git_clone", { repo_url = url, path = "c" }, "could not read Username", "git config %-%-global credential%.helper")
        local _, all = fails("git_clone", { repo_url = "http://agent:wr0ng@" .. address .. "/remote.git", path = "c" },
            "Authentication failed", "credential%.helper")
        assert.is_nil(all:find("wr0ng", 1, true), all)
        tmp.write(pair.home .. "/.git-credentials", ("http://agent:wrong@%s\n"):format(address))
        pair:here("", "git config --global credential.helper store; git init -q r; git -C r commit -q --allow-empty -m x")
        pair:here("r", "git remote add origin " .. url)
        fails("git_clone", { repo_url = url, path = "c" }, "Authentication failed")
        tmp.write(pair.home .. "/.git-credentials", ("http://agent:wrong@%s\n"):format(address))
        fails("git_pull", { path = "r" }, "Authentication failed")
        fails("git_push", { path = "r", branch = "main" }, "could not read Username")
        local _, requests = tmp.read(log):gsub("\n", "")
        assert.is_true(requests <= 10, requests)
        assert.is_nil(tmp.kind(pair.workspace .. "/c"))
    end)

    it("credentials in URLs are shown nowhere", function()
        local address = http("password")
        local url = ("http://agent:right@%s/remote.git"):format(address)
        local debug = repositories.pair({ env = { SANDSTORM_LOG_LEVEL = "debug" } })
        finally(function() debug:stop() end)
        local result = debug.server:call("git_clone", { repo_url = url, path = "c" })
        assert.is_false(result.isError)
        assert.equal(("http://***@%s/remote.git"):format(address), result.structuredContent.url)
        local texts = { require("cjson").encode(result) }
        for _, tool in ipairs({ "git_push", "git_pull", "git_status" }) do
            texts[#texts + 1] = require("cjson").encode(debug.server:call(tool, { path = "c" }))
        end
        for _, tool in ipairs({ "git_push", "git_pull" }) do
            texts[#texts + 1] = require("cjson").encode(debug.server:call(tool, { path = "c", remote = url, branch = "main" }))
            texts[#texts + 1] = require("cjson").encode(debug.server:call(tool, { path = "c", remote = url, branch = "none" }))
        end
        texts[#texts + 1] = debug.server.process:stdout()
        for _, text in ipairs(texts) do assert.is_nil(text:find("agent:right", 1, true), text) end
    end)

    it("G25 no credential of one host reaches another by a redirect", function()
        local other, log = http("refuse")
        local first = http("redirect", "http://" .. other)
        tmp.write(pair.home .. "/.git-credentials", ("http://agent:right@%s\n"):format(first))
        pair:here("", "git config --global credential.helper store; git init -q r; git -C r commit -q --allow-empty -m x")
        local url = "http://" .. first .. "/remote.git"
        fails("git_clone", { repo_url = url, path = "c" }, "")
        fails("git_clone", { repo_url = "http://agent:right@" .. first .. "/remote.git", path = "c" }, "")
        fails("git_push", { path = "r", remote = url, branch = "main" }, "")
        local seen = tmp.read(log)
        assert.matches("info/refs", seen)
        assert.is_nil(seen:find("YWdlbnQ6cmlnaHQ", 1, true), seen)
    end)

    it("G25 from https nothing goes on to http", function()
        local other, log = http("open")
        local first = http("redirect", "http://" .. other)
        -- The client believes that it speaks https: the rule is the URL's, and curl refuses by it.
        pair:here("", ("git config --global url.http://%s/.insteadOf https://secure.invalid/"):format(first))
        fails("git_clone", { repo_url = "https://secure.invalid/remote.git", path = "c" }, "unable to access")
        assert.is_nil(tmp.read(log):find("info/refs", 1, true))
    end)

    it("G05 a refused ref is an error with its name and the server's reason", function()
        local url = remotes .. "/remote.git"
        succeeds("git_clone", { repo_url = url, path = "c" })
        tmp.write(remotes .. "/remote.git/hooks/update",
            "#!/bin/sh\ncase $1 in *protected) echo 'protected branch'; exit 1;; esac\n")
        tmp.shell("chmod +x " .. remotes .. "/remote.git/hooks/update")
        pair:here("c", "git config push.default matching; git branch protected; git push -q --no-verify origin main:x || true;"
            .. " echo 2 > a; git commit -qam two; git config remote.origin.push 'refs/heads/*:refs/heads/*'")
        local result = fails("git_push", { path = "c" }, "! %[remote rejected%] protected %-> protected %(hook declined%)")
        local states = {}
        for _, ref in ipairs(result.structuredContent.refs) do states[ref.to] = ref.state .. " " .. (ref.reason or "") end
        assert.same({ main = "updated ", protected = "refused hook declined" }, states)
        assert.equal("", pair:here("c", "git for-each-ref refs/remotes/origin/protected"))
        fails("git_push", { path = "c", branch = "+main~1:refs/heads/protected" }, "protected branch")
        tmp.shell("git -C " .. remotes .. "/seed config receive.denyCurrentBranch refuse")
        fails("git_push", { path = "c", remote = remotes .. "/seed", branch = "main" }, "branch is currently checked out")
    end)

    it("G10 pull never overwrites local work", function()
        succeeds("git_clone", { repo_url = remotes .. "/remote.git", path = "c" })
        local line = "cd seed && echo up >> a && echo up > new && git add -A && git commit -qm up"
            .. " && git push -q ../remote.git main"
        assert(select(2, pair:shell(remotes, line)))
        pair:here("c", "echo mine >> a")
        fails("git_pull", { path = "c" }, "would be overwritten by merge:\n\ta\n")
        assert.equal("1\nmine\n", tmp.read(pair.workspace .. "/c/a"))
        pair:here("c", "git checkout -q a; echo untracked > new")
        fails("git_pull", { path = "c" }, "untracked working tree files would be overwritten by merge:\n\tnew\n")
        assert.equal("untracked\n", tmp.read(pair.workspace .. "/c/new"))
        assert.equal("one\n", pair:here("c", "git log --format=%s"))
    end)

    it("pull tells conflicts with their paths, in a state that git understands", function()
        succeeds("git_clone", { repo_url = remotes .. "/remote.git", path = "c" })
        local line = "cd seed && echo up > a && git commit -qam up && git push -q ../remote.git main"
        assert(select(2, pair:shell(remotes, line)))
        pair:here("c", "git config pull.rebase false; echo mine > a; git commit -qam mine")
        local result = fails("git_pull", { path = "c" }, "CONFLICT %(content%): Merge conflict in a")
        assert.same({ "a" }, result.structuredContent.conflicts)
        assert.equal("UU a\n", pair:here("c", "git status --short"))
    end)

    it("G17 a clone that fails leaves what was there, removes its own, and can be tried again", function()
        local stalled = "http://" .. http("stall") .. "/remote.git"
        local short = server.start({
            workspace = pair.workspace, env = pair.env,
            tools = tmp.file("tools.lua", (tmp.read("tools.lua"):gsub("clone_s = 120", "clone_s = 1"))),
        })
        finally(function() short:stop() end)
        pair:here("", "mkdir empty full; echo keep > full/f")
        local gone = ("http://127.0.0.1:%d/x.git"):format(server.free_port())
        for _, url in ipairs({ gone, remotes .. "/none.git" }) do
            for _, target in ipairs({ "new/and/deep", "empty", "full" }) do
                fails("git_clone", { repo_url = url, path = target }, "")
            end
        end
        for _, target in ipairs({ "new", "empty" }) do
            local text, failed = short:text("git_clone", { repo_url = stalled, path = target })
            assert.is_true(failed)
            assert.matches("\ntimeout after 1s$", text)
        end
        fails("git_clone", { repo_url = stalled, path = "full" }, "already exists and is not an empty directory")
        assert.equal("empty\nfull\nfull/f\n",
            pair:here("", "find . -mindepth 1 -not -path './.sandstorm-mcp*' -printf '%P\\n' | sort"))
        succeeds("git_clone", { repo_url = remotes .. "/remote.git", path = "empty" })
        succeeds("git_clone", { repo_url = remotes .. "/remote.git", path = "new" })
    end)

    it("a clone shares no file with the repository that it came from", function()
        succeeds("git_clone", { repo_url = remotes .. "/remote.git", path = "c" })
        assert.equal("", pair:here("c", "find . -type f -links +1"))
    end)

    describe("over ssh", function()
        local port, folder

        local function write_client_config(known)
            local hosts = folder .. "/known_hosts"
            local key = tmp.read(folder .. "/host.pub"):match("^%S+ %S+")
            tmp.write(hosts, known and ("[127.0.0.1]:%d %s\n"):format(port, key) or "")
            tmp.write(folder .. "/config", ("Host *\n  IdentityFile %s/key\n  IdentitiesOnly yes\n  UserKnownHostsFile %s\n")
                :format(folder, hosts))
            pair:here("", ("git config --global core.sshCommand 'ssh -F %s/config'"):format(folder))
        end

        before_each(function()
            port, folder = server.free_port(), tmp.dir("ssh")
            tmp.shell(("cd %s; for k in host key other; do ssh-keygen -q -t ed25519 -N '' -f $k; done; cp key.pub keys;"
                .. " mkdir -p /run/sshd"):format(folder))
            tmp.write(folder .. "/sshd_config", ("ListenAddress 127.0.0.1:%d\nHostKey %s/host\nAuthorizedKeysFile %s/keys\n"
                .. "PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\nPidFile none\n")
                :format(port, folder, folder))
            listen({ "/usr/sbin/sshd", "-D", "-e", "-f", folder .. "/sshd_config" }, port)
        end)

        local function url() return ("ssh://127.0.0.1:%d%s/remote.git"):format(port, remotes) end

        it("clone, push and pull with a known host and a key", function()
            write_client_config(true)
            round_trip(url())
        end)

        it("G06 a refused key is an error at once", function()
            write_client_config(true)
            tmp.shell(("cp %s/other.pub %s/keys"):format(folder, folder))
            fails("git_clone", { repo_url = url(), path = "c" }, "Permission denied %(", "No key was accepted")
        end)

        it("an unknown host is an error at once, and does not become known", function()
            write_client_config(false)
            fails("git_clone", { repo_url = url(), path = "c" }, "Host key verification failed", "known_hosts")
            assert.equal("", tmp.read(folder .. "/known_hosts"))
            pair:here("", "git config --global --unset core.sshCommand")
            fails("git_clone", { repo_url = url(), path = "c" }, "Host key verification failed", "known_hosts")
        end)
    end)
end)
