--- GnuPG for specs: a key, and the agent that holds it. The agent ends with the spec, also with one that is killed.
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

local gpg = {}

-- A clock that stands still makes the same signature twice.
local WRAPPER = "#!/bin/sh\nexec gpg --quiet --batch --no-autostart --faked-system-time '20261130T120000!' \"$@\"\n"

--- Makes `home`/gpg, a program for git, and a key of spec@example.com that it signs with.
---@param home string
---@param passphrase? string
---@return spec.Process agent to be stopped with gpg.stop
function gpg.start(home, passphrase)
    local folder = home .. "/.gnupg"
    tmp.write(home .. "/gpg", WRAPPER)
    tmp.shell(("chmod +x %s/gpg; mkdir -m 700 %s"):format(home, folder))
    -- It runs as long as the program that it is given.
    local agent = program.spawn({ command = { "gpg-agent", "--homedir", folder, "--daemon", "--", "sleep", "infinity" } })
    assert(program.wait_until(function() return tmp.kind(folder .. "/S.gpg-agent") end), agent:stderr())
    tmp.shell(("HOME=%s %s/gpg --passphrase '%s' --quick-gen-key spec@example.com ed25519 sign"):format(home, home,
        passphrase or ""))
    return agent
end

---@param agent spec.Process
function gpg.stop(agent)
    agent:signal_with("sigkill")
    agent:wait()
end

--- The agent forgets the passphrases that it knows.
---@param home string
function gpg.forget(home) tmp.shell(("HOME=%s gpg-connect-agent --no-autostart reloadagent /bye"):format(home)) end

return gpg
