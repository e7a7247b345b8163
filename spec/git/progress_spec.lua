--- How far a transfer is: told to clients of both eras that ask, and no part of the result.
local fake_host = require("spec.support.fake_host")
fake_host.install()
local mcp = require("spec.support.mcp")
local program = require("spec.support.program")
local progress = require("git.progress")
local repositories = require("spec.support.repositories")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local SAID = "Cloning into 'c'...\n"
    .. "remote: Enumerating objects: 5, done.        \n"
    .. "remote: Counting objects:  50% (1/2)        \rremote: Counting objects: 100% (2/2), done.        \n"
    .. "remote: Total 5 (delta 1), reused 0 (delta 0), pack-reused 0        \n"
    .. "remote: a hook: 100% sure        \n"
    .. "Receiving objects:  25% (1/4), 1.00 KiB | 2.00 MiB/s\rReceiving objects:  25% (1/4)\rfatal: early EOF\n"

describe("git.progress", function()
    it("leaves out what git says with progress alone", function()
        assert.equal("Cloning into 'c'...\nremote: a hook: 100% sure        \nfatal: early EOF\n", progress.leave_out(SAID))
        local plain = "To /x\n\n ! [rejected]  main -> main (fetch first)\nerror: 50% (1/2) of it\r\n"
        assert.equal(plain, progress.leave_out(plain))
    end)

    it("tells the steps as parts of the whole, however the bytes come", function()
        local told = {}
        local tell = progress.teller({ progress = function(_, value, total, words)
            told[#told + 1] = ("%g/%d %s"):format(value, total, words)
        end })
        for byte in SAID:gmatch(".") do tell("", byte) end
        tell("", "remote: Counting objects:  50% (9/1)\rremote: Odd objects:  50% (1/2)\rResolving deltas: 0% (0/0)\r")
        tell("", "Counting objects: 100% (1/1)" .. (" "):rep(300) .. "\n")
        assert.same({
            "2/100 remote: Counting objects:  50% (1/2)", "5/100 remote: Counting objects: 100% (2/2), done.",
            "27/100 Receiving objects:  25% (1/4), 1.00 KiB | 2.00 MiB/s", "27/100 Receiving objects:  25% (1/4)",
            "5/100 remote: Counting objects:  50% (9/1)",
        }, told)
    end)
end)

-- Objects enough for every step, and a file for the peer to change.
local SEED = [[
git init -q seed; cd seed; for i in $(seq 150); do seq $i $((i + 50)) > f$i; done; git add -A; git commit -qm one
for i in $(seq 150); do echo more >> f$i; done; git commit -qam two
git clone -q --bare . ../remote.git; git -C ../remote.git config http.receivepack true
printf '#!/bin/sh\necho the hook ran >&2\n' > ../remote.git/hooks/pre-receive; chmod +x ../remote.git/hooks/pre-receive
]]

local CHANGE = "cd %s; for i in $(seq 120); do echo %s >> f$i; done; git commit -qam %s"

describe("git over HTTP", function()
    local pair, remotes, children

    local function serve(mode)
        local port, log = server.free_port(), tmp.dir("http") .. "/log"
        local command = { "lua5.4", program.root .. "/spec/support/git_http.lua", tostring(port), remotes, log, mode }
        local child = program.spawn({ command = command, env = { HOME = pair.home } })
        children[#children + 1] = child
        assert(program.wait_until(function() return server.accepts("127.0.0.1", port) end), child:stderr())
        return ("http://127.0.0.1:%d/remote.git"):format(port)
    end

    before_each(function()
        children = {}
        pair, remotes = repositories.pair(), tmp.dir("remotes")
        assert(select(2, pair:shell(remotes, "set -e\n" .. SEED)))
    end)

    after_each(function()
        for _, child in ipairs(children) do
            child:signal_with("sigkill")
            child:wait()
        end
        pair:stop()
    end)

    local ERAS = {
        { "2025-11-25", function() return mcp.session(pair.server, "2025-11-25") end },
        { mcp.MODERN, function() return mcp.modern(pair.server) end },
    }

    -- What the client of a call hears before its result; values that grow.
    local function heard(exchange, token)
        local last = -1
        for _, message in ipairs(exchange.before) do
            local params = message.params
            assert.equal("notifications/progress", message.method)
            assert.equal(token, params.progressToken)
            assert.equal(100, params.total)
            assert.matches("^[%w:][%w :]+: +%d+%% %(%d+/%d+%)", params.message)
            assert.is_true(params.progress > last and params.progress <= 100, params.progress)
            last = params.progress
        end
        return #exchange.before
    end

    local function run(client, tool, arguments, token)
        local meta = token and { progressToken = token } or nil
        local result, exchange = client:result("tools/call", { name = tool, arguments = arguments, _meta = meta })
        assert.is_false(result.isError, result.content[1].text)
        return result.content[1].text, exchange
    end

    -- The same call with and without a token: same text, another form.
    local function both(client, tool, arguments, again)
        local text, exchange = run(client, tool, arguments, "t")
        assert.is_true(exchange.is_stream)
        assert.is_true(heard(exchange, "t") >= 1)
        again()
        local quiet, plain = run(client, tool, arguments)
        assert.is_false(plain.is_stream)
        assert.equal(quiet, text)
        return text
    end

    it("leaves nothing of a clone that is killed, but what was there", function()
        local url, client = serve("stall"), mcp.session(pair.server, "2025-11-25")
        pair:here("", "mkdir there remote.git")
        local before = pair:here("", "find . | sort")
        for _, path in ipairs({ "new/and/deep", "there", "" }) do
            local arguments = { repo_url = url, path = path }
            local call = client:open("tools/call", { name = "git_clone", arguments = arguments, _meta = { progressToken = 1 } })
            call:next()
            pair:here("", "kill -KILL $(pgrep -f '[c]lone .*" .. url:match(":%d+") .. "')")
            local result = call:answer().result
            assert.is_true(result.isError)
            assert.matches("git was killed by SIGKILL", result.content[2].text)
            assert.equal(before, pair:here("", "find . -not -path './.sandstorm*' | sort"))
        end
    end)

    for _, era in ipairs(ERAS) do
        it("tells a client of " .. era[1] .. " that asks how far clone, push and pull are", function()
            local client, url = era[2](), serve("open")
            both(client, "git_clone", { repo_url = url, path = "c" }, function() pair:here("", "rm -rf c") end)
            pair:here("", CHANGE:format("c", "mine", "mine"))
            local before = pair:shell(remotes, "git -C remote.git rev-parse main")
            local pushed = both(client, "git_push", { path = "c" }, function()
                assert(select(2, pair:shell(remotes, "git -C remote.git update-ref refs/heads/main " .. before)))
            end)
            assert.matches("remote: the hook ran", pushed)
            assert(select(2, pair:shell(remotes, "git -C seed pull -q ../remote.git main; " .. CHANGE:format("seed", "theirs",
                "theirs") .. "; git push -q ../remote.git main")))
            before = pair:here("c", "git rev-parse HEAD")
            both(client, "git_pull", { path = "c" }, function()
                pair:here("c", "git reset -q --hard " .. before:match("%x+") .. "; git update-ref refs/remotes/origin/main HEAD;"
                    .. " git prune --expire=now; git reflog expire --expire=now --all; git gc -q --prune=now")
            end)
        end)

        it("is ended when a client of " .. era[1] .. " cancels, with what it had made", function()
            local url = serve("stall")
            pair:here("", "git init -q r; git -C r commit -q --allow-empty -m x; mkdir there; git init -q unborn")
            local function cancelled(tool, arguments)
                local client = era[2]()
                local meta = { progressToken = 1 }
                local call = client:open("tools/call", { name = tool, arguments = arguments, _meta = meta })
                local first = call:next()
                assert.equal("notifications/progress", first.method)
                if era[1] == mcp.MODERN then
                    call:close()
                else
                    client:notify("notifications/cancelled", { requestId = client.last_id })
                    assert.is_nil(call:answer())
                end
                local git = "pgrep -f '" .. url:gsub("^h", "[h]") .. "' || true"
                assert(program.wait_until(function() return pair:here("", git) == "" end))
            end
            local before = pair:here("", "find . | sort")
            cancelled("git_clone", { repo_url = url, path = "new/and/deep" })
            cancelled("git_clone", { repo_url = url })
            cancelled("git_clone", { repo_url = url, path = "there" })
            assert(program.wait_until(function()
                return pair:here("", "find . -not -path './.sandstorm*' | sort") == before
            end))
            cancelled("git_pull", { remote = url, path = "unborn" })
            cancelled("git_push", { remote = url, branch = "main:refs/heads/new", path = "r" })
            assert.equal("## main\n", pair:here("r", "git status --short --branch"))
            assert.equal("## No commits yet on main\n", pair:here("unborn", "git status --short --branch"))
            assert.equal("", pair:here("r", "git fsck --no-progress 2>&1; ls .git/*.lock 2>/dev/null || true"))
        end)
    end
end)
