--- A server on standard input and output, with the ends of its pipes. Each line that it writes is checked.
local conversation = require("spec.support.conversation")
local json = require("json")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")
local uv = require("luv")

local pipe = {}

local Pipe = {}
Pipe.__index = Pipe

--- Starts it with more variables in its environment. With lines as `input` these are its whole input, in a file, and what
--- it writes is not read before `listen`.
function pipe.open(env, input)
    local self = setmetatable({ lines = {}, parts = {}, stderr = "", asked = conversation.of_pipe() }, Pipe)
    local stdin, stdout, stderr = not input and uv.new_pipe(), uv.new_pipe(), uv.new_pipe()
    local file = input and assert(uv.fs_open(tmp.file("input", table.concat(input, "\n")), "r", 0))
    local workspace = tmp.dir("stdio")
    local variables = { "PATH=/usr/bin:/bin", "HOME=" .. workspace }
    for name, value in pairs(env or {}) do variables[#variables + 1] = name .. "=" .. value end
    for _, name in ipairs({ "ASAN_OPTIONS", "UBSAN_OPTIONS" }) do
        if os.getenv(name) then variables[#variables + 1] = name .. "=" .. os.getenv(name) end
    end
    self.handle, self.pid = uv.spawn("/usr/bin/setpriv", {
        args = {
            "--pdeathsig", "KILL", "--", program.path, "stdio", "--tools", program.root .. "/spec/fixtures/tools/protocol.lua",
        },
        env = variables, cwd = workspace, stdio = { stdin or file, stdout, stderr },
    }, function(code, signal) self.code, self.signal = code, signal end)
    assert(self.handle, self.pid)
    self.stdin, self.stdout, self.pipes = stdin, stdout, { stdout, stderr, stdin or nil }
    stderr:read_start(function(_, text) self.stderr = self.stderr .. (text or "") end)
    if not input then return self:listen() end
    uv.fs_close(file)
    for _, line in ipairs(input) do self.asked:ask(line) end
    return self
end

-- Takes the whole lines out of what came so far.
local function hear(self)
    local text = table.concat(self.parts)
    local lines, left = text:match("^(.*\n)(.*)$")
    self.parts = { left }
    for line in lines:gmatch("([^\n]*)\n") do
        self.lines[#self.lines + 1] = line
        local ok, complaint = pcall(self.asked.hear, self.asked, line)
        self.complaint = self.complaint or (not ok and complaint) -- raised where the spec waits
    end
end

--- Begins to read what the server writes.
function Pipe:listen()
    self.stdout:read_start(function(_, text)
        if not text then
            self.closed = true
            return
        end
        self.parts[#self.parts + 1] = text
        if text:find("\n", 1, true) then hear(self) end
    end)
    return self
end

--- Sends a message, or a line as it is.
function Pipe:send(message)
    local line = type(message) == "string" and message or json.encode(message)
    self.asked:ask(line)
    self.stdin:write(line .. "\n")
end

function Pipe:wait(done, what)
    local over = program.wait_until(function() return self.complaint or done() end, 2)
    if self.complaint then error(self.complaint, 0) end
    if not over then
        error(("no %s\n%s\n%s"):format(what, table.concat(self.lines, "\n"), self.stderr), 2)
    end
end

--- The first message that `fits` and was not taken yet.
function Pipe:take(fits)
    local found
    self:wait(function()
        for position, line in ipairs(self.lines) do
            local message = assert(json.decode(line), line)
            if fits(message) then
                table.remove(self.lines, position)
                found = message
                return true
            end
        end
        return false
    end, "such message")
    return found
end

--- The answer to a request.
function Pipe:answer(id)
    return self:take(function(message) return message.method == nil and message.id == id end)
end

--- The first notification of that method that was not taken yet.
function Pipe:notification(method)
    return self:take(function(message) return message.method == method end)
end

--- Ends the input and waits for the end of the server.
function Pipe:finish()
    self.stdin:shutdown()
    self:wait(function() return self.code ~= nil and self.closed end, "end")
    self:close()
    return self.code
end

--- Ends the server, if it has not ended, and lets everything go. A second call does nothing.
function Pipe:close()
    if self.done then return end
    self.done = true
    if not self.code then uv.kill(self.pid, "sigkill") end
    self:wait(function() return self.code ~= nil end, "end")
    for _, one in ipairs(self.pipes) do one:close() end
    self.handle:close()
    uv.run("nowait")
end

return pipe
