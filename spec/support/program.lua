--- Runs the program under test: the file that SANDSTORM_BIN names, by default build/sandstorm-mcp.
--- Each process gets an environment of its own (nothing of the caller's but the sanitizers' options), a home and a
--- workspace of its own, and dies with the test process.
local cjson = require("cjson")
local conversation = require("spec.support.conversation")
local uv = require("luv")
local tmp = require("spec.support.tmp")

local program = {}

program.root = assert(uv.cwd())
program.path = os.getenv("SANDSTORM_BIN") or "build/sandstorm-mcp"
if program.path:sub(1, 1) ~= "/" then program.path = program.root .. "/" .. program.path end

-- Specs also run the program as somebody without privileges. In a checkout that is closed to others (such as one below
-- /root) that takes a copy of what is installed.
local function open_to_others(path)
    while path ~= "" do
        local stat = uv.fs_stat(path)
        if not stat or stat.mode & 1 == 0 then return false end
        path = path:match("^(.*)/")
    end
    return true
end

if uv.fs_stat(program.path) and not open_to_others(program.path) then
    local copy = tmp.dir("program")
    tmp.shell(("mkdir %s/build; cp %s %s/build/sandstorm-mcp; cp -R lib tools.lua %s; chmod -R a+rX %s"):format(copy,
        tmp.quote(program.path), copy, copy, copy))
    program.path = copy .. "/build/sandstorm-mcp"
end

local PATIENCE_S = 60 -- a process that takes longer hangs; far above what any test needs

-- The sanitizers' options, and the room that a build with them needs (see spec/run).
local PASSED_ON = { "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "SANDSTORM_SCRIPT_CPU_MS" }

local function environment(changes, workspace)
    local values = {
        PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        LANG = "C.UTF-8",
        TZ = "UTC",
        SANDSTORM_WORKSPACE_ROOT = workspace,
    }
    for _, name in ipairs(PASSED_ON) do values[name] = os.getenv(name) end
    for name, value in pairs(changes or {}) do values[name] = value or nil end
    values.HOME = values.HOME or tmp.dir("home")
    local list = {}
    for name, value in pairs(values) do list[#list + 1] = name .. "=" .. value end
    return list
end

-- What the undefined-behaviour sanitizer said; the address sanitizer writes its reports itself.
local function keep_report(stderr)
    local path = os.getenv("SPEC_REPORTS")
    if not path or not stderr:find(": runtime error: ", 1, true) then return end
    local file = assert(io.open(path, "a"))
    file:write(stderr, "\n")
    file:close()
end

---@class spec.Process
---@field pid integer
---@field workspace string
---@field stdout_path string
---@field stderr_path string
---@field code integer? set when it has ended
---@field signal integer? set when it has ended by a signal
local Process = {}
Process.__index = Process

--- Turns the loop until `done()` holds; false when it does not within `seconds`.
local function turn_until(done, seconds)
    local timer, late = uv.new_timer(), false
    timer:start(math.floor(seconds * 1000), 0, function() late = true end)
    while not done() and not late do uv.run("once") end
    timer:close()
    uv.run("nowait")
    return done()
end

--- Waits until `done()`, looked at every `poll_ms` (5), holds; false when that takes longer than anything that does not hang.
function program.wait_until(done, poll_ms)
    local deadline = uv.hrtime() + PATIENCE_S * 1e9
    while not done() do
        if uv.hrtime() > deadline then return false end
        uv.sleep(poll_ms or 5)
        uv.run("nowait")
    end
    return true
end

--- Is a process of that number there, and no zombie?
function program.is_alive(pid)
    local stat = tmp.read(("/proc/%d/stat"):format(tonumber(pid)))
    return stat ~= nil and stat:match("%) (%a)") ~= "Z"
end

function Process:running()
    uv.run("nowait")
    return self.ended == nil
end

--- Waits for the end; returns exit code and signal (0 for none), raises when it does not come.
function Process:wait(seconds)
    if not turn_until(function() return self.ended end, seconds or PATIENCE_S) then
        error(("process %d still runs after %s s\n%s"):format(self.pid, seconds or PATIENCE_S, self:stderr()), 2)
    end
    return self.code, self.signal
end

--- Sends a signal by name ("sigterm", "sigkill", ...) unless it has ended.
function Process:signal_with(name)
    if self:running() then uv.kill(self.pid, name) end
end

function Process:stdout() return tmp.read(self.stdout_path) end
function Process:stderr() return tmp.read(self.stderr_path) end

--- Starts the program and returns at once.
--- opts: args (list), env (changes; false removes), workspace (folder; default a new one), cwd, stdin (bytes; default
--- none), command (list; default the program), wrap (list put before the command, such as {"prlimit", "--nofile=64"}).
---@return spec.Process
function program.spawn(opts)
    opts = opts or {}
    local workspace = opts.workspace or tmp.dir("workspace")
    local folder = tmp.dir("process")
    local self = setmetatable({ workspace = workspace }, Process)
    self.stdout_path, self.stderr_path = folder .. "/stdout", folder .. "/stderr"
    local input = opts.stdin and tmp.write(folder .. "/stdin", opts.stdin) or "/dev/null"
    local files = {
        assert(uv.fs_open(input, "r", 0)),
        assert(uv.fs_open(self.stdout_path, "w", tonumber("600", 8))),
        assert(uv.fs_open(self.stderr_path, "w", tonumber("600", 8))),
    }
    local args = { "--pdeathsig", "KILL", "--" }
    for _, list in ipairs({ opts.wrap or {}, opts.command or { program.path }, opts.args or {} }) do
        table.move(list, 1, #list, #args + 1, args)
    end
    local handle, pid
    handle, pid = uv.spawn("/usr/bin/setpriv", {
        args = args,
        env = environment(opts.env, workspace),
        cwd = opts.cwd or folder,
        stdio = files,
    }, function(code, signal)
        self.code, self.signal, self.ended = code, signal, true
        keep_report(self:stderr())
        handle:close()
    end)
    for _, fd in ipairs(files) do uv.fs_close(fd) end
    self.pid = assert(handle and pid, "cannot start " .. program.path)
    return self
end

--- Runs the program to its end. Options as for spawn, and `seconds`.
--- Returns {code=, signal=, stdout=, stderr=, workspace=}.
function program.run(opts)
    local process = program.spawn(opts)
    local code, signal = process:wait(opts and opts.seconds)
    if opts and opts.args and opts.args[1] == "stdio" then conversation.check_lines(opts.stdin or "", process:stdout()) end
    return {
        code = code,
        signal = signal,
        stdout = process:stdout(),
        stderr = process:stderr(),
        workspace = process.workspace,
    }
end

--- Runs Lua source inside the program (`sandstorm-mcp run`) and returns what it returned, decoded from JSON by an
--- independent reader; raises with the program's error output when it fails. Arguments of the source: opts.args.
function program.lua(source, opts)
    opts = opts or {}
    local args = { "run", tmp.file("chunk.lua", source) }
    table.move(opts.args or {}, 1, #(opts.args or {}), 3, args)
    local all = { args = args }
    for name, value in pairs(opts) do all[name] = all[name] or value end
    local result = program.run(all)
    if result.code ~= 0 or result.signal ~= 0 then
        error(("exit code %d, signal %d\n%s"):format(result.code, result.signal, result.stderr), 2)
    end
    if result.stdout == "" then return nil, result end
    return cjson.decode(result.stdout), result
end

return program
