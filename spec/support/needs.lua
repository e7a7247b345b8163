--- What some specs need of the machine that they run on. Where it is not to be had the test fails and says what it needs:
--- what was not shown is not shown as passed.
local busted = require("busted")
local uv = require("luv")

local needs = {}

needs.is_root = uv.getuid() == 0

--- For a test that only root can do: who owns what, and what a process without privileges may not see.
function needs.root()
    if not needs.is_root then busted.fail("this can be shown by root only") end
end

-- Below a chroot "/" is no mount point: unshare cannot make it private, and root may have no namespace of users. There
-- the folder is bound to /proc, which is a mount point, as a root of its own; nobody else sees that.
local AS_ROOT_OF_ITS_OWN = [[mount --make-private /proc && mount --rbind / /proc && mount --make-rprivate /proc &&
    exec chroot /proc /bin/sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"]]

local MOUNTS = {
    { "unshare", "-m", "--" },
    { "unshare", "-rm", "--" },
    { "unshare", "-m", "--propagation", "unchanged", "--", "/bin/sh", "-c", AS_ROOT_OF_ITS_OWN, "sh" },
}
local PROCESSES = {
    { "unshare", "-pf", "--mount-proc", "--kill-child", "--" }, { "unshare", "-rpf", "--mount-proc", "--kill-child", "--" },
    { "unshare", "-pf", "--propagation", "unchanged", "--mount-proc", "--kill-child", "--" },
}
local NETWORKS = { { "unshare", "-n", "--" }, { "unshare", "-rn", "--" } }

local function succeeds(words)
    local handle, code
    handle = uv.spawn(words[1], { args = { table.unpack(words, 2) } }, function(...)
        code = ...
        handle:close()
    end)
    if not handle then return false end
    while not code do uv.run("once") end
    return code == 0
end

-- The first of the ways in which shell lines can be run before a command.
local function wrap(ways, lines, what)
    for _, way in ipairs(ways) do
        local words = table.move({ "/bin/sh", "-c", "set -e\n" .. lines .. '\nexec "$@"', "sh" }, 1, 4, #way + 1,
            { table.unpack(way) })
        if succeeds(table.move({ "true" }, 1, 1, #words + 1, { table.unpack(words) })) then return words end
    end
    busted.fail(("this can be shown only where there is %s in which can be done: %s"):format(what, lines))
end

--- What to put before a command so that it runs with mounts of its own, made by shell lines, that nobody else sees.
---@return string[]
function needs.mounts(lines) return wrap(MOUNTS, lines, "a mount namespace") end

--- What to put before a command so that it is the first of processes that see only each other, as in a container.
---@return string[]
function needs.processes() return wrap(PROCESSES, "true", "a PID namespace") end

--- What to put before a command so that it runs in a network of its own, made by shell lines.
---@return string[]
function needs.network(lines) return wrap(NETWORKS, lines, "a network namespace") end

return needs
