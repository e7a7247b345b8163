--- Measures the git tools that read, over the wire, against spawning `git` for the same, on a repository of 5,000 files.
local repositories = require("spec.support.repositories")
local tmp = require("spec.support.tmp")
local uv = require("luv")

local ROUNDS = tonumber(arg[1]) or 50

-- The pause, and the status after it: files as old as the index would be read again by each status that does not write
-- the index, and the tools' does not.
local SETUP = [[
git init -q repo; cd repo
for d in $(seq 50); do mkdir d$d; for f in $(seq 100); do echo "file $d $f" > d$d/f$f.txt; done; done
git add -A; git commit -qm files; for i in $(seq 30); do echo $i >> d1/f1.txt; git commit -qam "commit $i"; done
for i in $(seq 20); do git branch b$i; done; sleep 1.1; git status >/dev/null; echo change >> d2/f2.txt; echo new > new.txt
]]

local TICK_MS = 10

-- Processor time of a process and of its children that have ended: what counts where other work disturbs.
local function cpu_ms(pid)
    local fields = {}
    for field in tmp.read("/proc/" .. pid .. "/stat"):match("%) (.*)"):gmatch("%S+") do fields[#fields + 1] = field end
    return (fields[12] + fields[13] + fields[14] + fields[15]) * TICK_MS
end

local function milliseconds(run)
    local began = uv.hrtime()
    run()
    return (uv.hrtime() - began) / 1e6
end

-- The median of each, in turns, so that what else the machine does disturbs both.
local function medians(first, second)
    local times = { {}, {} }
    for round = 1, ROUNDS do times[1][round], times[2][round] = milliseconds(first), milliseconds(second) end
    table.sort(times[1])
    table.sort(times[2])
    local middle = (ROUNDS + 1) // 2
    return times[1][middle], times[2][middle]
end

-- Runs git as a client without this server would: a process, its output read to the end.
local function spawn(pair, arguments)
    local env = { "PATH=/usr/bin:/bin", "HOME=" .. pair.home }
    return function()
        local output, ended = uv.new_pipe(), false
        local handle
        handle = uv.spawn("git", {
            args = arguments, env = env, cwd = pair.workspace .. "/repo", stdio = { nil, output, nil },
        }, function()
            handle:close()
            ended = true
        end)
        output:read_start(function(_, bytes)
            if not bytes then output:close() end
        end)
        while not ended or not output:is_closing() do uv.run("once") end
    end
end

local OPERATIONS = {
    { "git_log", { "log", "--oneline", "-n", "10" } },
    { "git_branch", { "branch", "-a" } },
    { "git_status", { "status" } },
    { "git_diff", { "diff" } },
}

local pair = repositories.pair()
pair:here("", SETUP)
local server, here = pair.server.process.pid, "self"
local ROW = "%-12s %10s %10s %10s %12s %12s   %s"
local function fixed(number) return ("%.2f"):format(number) end
print(ROW:format("5,000 files", "tool ms", "git ms", "git/tool", "tool cpu ms", "git cpu ms", "engine"))
for _, operation in ipairs(OPERATIONS) do
    local engine
    local server_before, here_before = cpu_ms(server), cpu_ms(here)
    local tool, git = medians(function()
        engine = pair.server:call(operation[1], { path = "repo" }).structuredContent.engine
    end, spawn(pair, operation[2]))
    local tool_cpu, git_cpu = (cpu_ms(server) - server_before) / ROUNDS, (cpu_ms(here) - here_before) / ROUNDS
    print(ROW:format(operation[1], fixed(tool), fixed(git), fixed(git / tool), fixed(tool_cpu), fixed(git_cpu), engine))
end
pair:stop()
