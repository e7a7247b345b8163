--- MCP on standard input and output: both eras on one pipe.
local json = require("json")
local mcp_schema = require("spec.support.mcp_schema")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")
local uv = require("luv")

local META = "io.modelcontextprotocol/"
local MODERN = { [META .. "protocolVersion"] = "2026-07-28", [META .. "clientCapabilities"] = { elicitation = json.object({}) } }

--- A running server with the ends of its pipes.
local Pipe = {}
Pipe.__index = Pipe

local function open(env)
    local self = setmetatable({ lines = {}, text = "", stderr = "" }, Pipe)
    local stdin, stdout, stderr = uv.new_pipe(), uv.new_pipe(), uv.new_pipe()
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
        env = variables, cwd = workspace, stdio = { stdin, stdout, stderr },
    }, function(code, signal) self.code, self.signal = code, signal end)
    assert(self.handle, self.pid)
    self.stdin, self.pipes = stdin, { stdin, stdout, stderr }
    stdout:read_start(function(_, text)
        if not text then
            self.closed = true
            return
        end
        self.text = self.text .. text
        self.text = self.text:gsub("([^\n]*)\n", function(line)
            self.lines[#self.lines + 1] = line
            return ""
        end)
    end)
    stderr:read_start(function(_, text) self.stderr = self.stderr .. (text or "") end)
    return self
end

function Pipe:send(message) self.stdin:write((type(message) == "string" and message or json.encode(message)) .. "\n") end

function Pipe:wait(done, what)
    if not program.wait_until(done, 30, 2) then
        error(("no %s\n%s\n%s"):format(what, table.concat(self.lines, "\n"), self.stderr), 2)
    end
end

--- The first message that `fits` and was not taken yet.
function Pipe:take(fits, revision, method)
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
    mcp_schema.check(found, revision or "2025-11-25", method)
    return found
end

function Pipe:answer(id, revision, method)
    return self:take(function(message) return message.method == nil and message.id == id end, revision, method)
end

function Pipe:notification(method, revision)
    return self:take(function(message) return message.method == method end, revision)
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
    for _, pipe in ipairs(self.pipes) do pipe:close() end
    self.handle:close()
    uv.run("nowait")
end

local function request(id, method, params) return { jsonrpc = "2.0", id = id, method = method, params = params } end

local function modern(id, method, params)
    params = params or {}
    params._meta = MODERN
    return request(id, method, params)
end

local function hello(pipe, revision, capabilities)
    pipe:send(request(0, "initialize", {
        protocolVersion = revision, capabilities = json.object(capabilities or {}), clientInfo = { name = "spec", version = "1" },
    }))
    local answer = pipe:answer(0, revision, "initialize")
    pipe:send({ jsonrpc = "2.0", method = "notifications/initialized" })
    return answer.result
end

describe("sandstorm-mcp stdio", function()
    local pipe

    before_each(function() pipe = open() end)
    after_each(function() pipe:close() end)

    it("needs no token, listens nowhere, writes nothing but messages and ends with its input", function()
        assert.equal("2024-11-05", hello(pipe, "2024-11-05").protocolVersion)
        pipe:send(request(1, "tools/call", { name = "echo", arguments = { text = "héllo\n" } }))
        assert.equal("héllo\n", pipe:answer(1, nil, "tools/call").result.content[1].text)
        for name, target in tmp.shell(("ls -l /proc/%d/fd"):format(pipe.pid)):gmatch(" (%d+) %-> ([^\n]+)") do
            assert.is_true(tonumber(name) <= 2 or not target:find("socket"), target)
        end
        assert.equal(0, pipe:finish())
        assert.same({}, pipe.lines)
        assert.equal("", pipe.text)
    end)

    it("speaks both eras on one pipe", function()
        pipe:send(modern("d", "server/discover"))
        assert.equal("2026-07-28", pipe:answer("d", "2026-07-28", "server/discover").result.supportedVersions[1])
        hello(pipe, "2025-06-18")
        pipe:send(modern(1, "tools/call", { name = "list_structured" }))
        pipe:send(request("1", "tools/call", { name = "list_structured" }))
        assert.same({ 1, 2 }, pipe:answer(1, "2026-07-28", "tools/call").result.structuredContent)
        assert.is_nil(pipe:answer("1", "2025-06-18", "tools/call").result.structuredContent)
        pipe:send(modern(2, "ping"))
        assert.equal(-32601, pipe:answer(2, "2026-07-28").error.code)
        pipe:send(request(3, "ping"))
        assert.same({}, pipe:answer(3, "2025-06-18", "ping").result)
    end)

    it("asks in both eras", function()
        hello(pipe, "2025-11-25", { elicitation = json.object({}) })
        pipe:send(request(1, "tools/call", { name = "ask" }))
        local question = pipe:take(function(message) return message.method == "elicitation/create" end)
        pipe:send({ jsonrpc = "2.0", id = question.id, result = { action = "accept", content = { name = "Ann" } } })
        assert.matches("^accept Ann", pipe:answer(1, nil, "tools/call").result.content[1].text)
        pipe:send(modern(2, "tools/call", { name = "ask" }))
        local asked = pipe:answer(2, "2026-07-28", "tools/call").result
        pipe:send(modern(3, "tools/call", {
            name = "ask", requestState = asked.requestState,
            inputResponses = { name = { action = "accept", content = { name = "Bob" } } },
        }))
        assert.matches("^accept Bob", pipe:answer(3, "2026-07-28", "tools/call").result.content[1].text)
    end)

    it("cancels by message, by the id with its type, without an answer", function()
        hello(pipe, "2025-11-25")
        for position, message in ipairs({
            request(5, "tools/call", { name = "sleep", arguments = { name = "legacy" } }),
            modern("5", "tools/call", { name = "sleep", arguments = { name = "modern" } }),
        }) do
            local name = message.params.arguments.name
            local function fate()
                pipe.last = (pipe.last or 100) + 1
                pipe:send(request(pipe.last, "tools/call", { name = "fate", arguments = { name = name } }))
                return pipe:answer(pipe.last).result.content[1].text
            end
            pipe:send(message)
            assert.equal("began -", fate())
            pipe:send({ jsonrpc = "2.0", method = "notifications/cancelled", params = { requestId = position == 1
                and "5" or 5 } })
            assert.equal("began -", fate())
            pipe:send({ jsonrpc = "2.0", method = "notifications/cancelled", params = { requestId = message.id } })
            assert.is_true(program.wait_until(function() return fate() == "began closed" end))
        end
        assert.same({}, pipe.lines)
    end)

    it("brings what changed: to the session, and to each subscription under its id", function()
        hello(pipe, "2025-11-25")
        for _, id in ipairs({ "a", 7 }) do
            pipe:send(modern(id, "subscriptions/listen", { notifications = { toolsListChanged = true } }))
            pipe:notification("notifications/subscriptions/acknowledged", "2026-07-28")
        end
        pipe:send(request(1, "tools/call", { name = "switch" }))
        local ids = {}
        for _ = 1, 3 do
            local message = pipe:notification("notifications/tools/list_changed")
            ids[#ids + 1] = tostring(message.params and message.params._meta[META .. "subscriptionId"])
        end
        table.sort(ids)
        assert.same({ "7", "a", "nil" }, ids)
        pipe:notification("notifications/prompts/list_changed")
        pipe:answer(1)
        pipe:send({ jsonrpc = "2.0", method = "notifications/cancelled", params = { requestId = 7 } })
        pipe:send(request(2, "tools/call", { name = "switch" }))
        for _ = 1, 2 do pipe:notification("notifications/tools/list_changed") end
        pipe:answer(2)
        assert.equal(0, pipe:finish())
        assert.same({ "notifications/cancelled" }, { pipe:notification("notifications/cancelled", "2026-07-28").method })
        assert.equal("complete", pipe:answer("a", "2026-07-28", "subscriptions/listen").result.resultType)
        for _, line in ipairs(pipe.lines) do assert.is_nil(line:find('"subscriptionId":7', 1, true)) end
    end)

    it("J07 M13 answers what is no message, and goes on", function()
        for _, line in ipairs({ "nonsense", '{"jsonrpc":"2.0"', "[]", "5", '{"jsonrpc":"2.0","id":1}' }) do
            pipe:send(line)
            assert.is_table(pipe:take(function(message) return message.error ~= nil end).error)
        end
        pipe:send("")
        pipe:send("   ")
        pipe:take(function(message) return message.error and message.error.code == -32700 end)
        pipe:send('{"jsonrpc":"2.0","id":9,"method":"ping"}\r')
        assert.same({}, pipe:answer(9, nil, "ping").result)
    end)

    it("takes lists of messages in the one revision that has them", function()
        hello(pipe, "2025-03-26")
        pipe:send(json.array({ request(1, "ping"), request(2, "ping") }))
        local list
        pipe:wait(function()
            list = pipe.lines[1] and json.decode(pipe.lines[1])
            return list ~= nil
        end, "list")
        assert.equal(2, #list)
    end)

    it("gives calls that run at the end of the input a moment, and then their end", function()
        hello(pipe, "2025-11-25")
        pipe:send(request(1, "tools/call", { name = "echo", arguments = { text = "late", ms = 200 } }))
        pipe:send(request(2, "tools/call", { name = "sleep", arguments = { name = "end" } }))
        assert.equal(0, pipe:finish())
        assert.equal("late", pipe:answer(1).result.content[1].text)
        assert.is_true(pipe:answer(2).result.isError)
    end)

    it("reads a file as well, and a last line without an end", function()
        local result = program.run({ args = { "stdio" }, stdin = '{"jsonrpc":"2.0","id":1,"method":"ping"}' })
        assert.equal('{"jsonrpc":"2.0","id":1,"result":{}}\n', result.stdout)
        assert.equal(0, result.code)
        assert.equal("", program.run({ args = { "stdio" } }).stdout)
    end)

    it("refuses a line beyond the limit without keeping it", function()
        pipe:close()
        pipe = open({ SANDSTORM_BODY_LIMIT = "4096" })
        pipe:send(('{"jsonrpc":"2.0","id":1,"method":"ping","x":"%s"}'):format(("x"):rep(100000)))
        assert.equal(-32700, pipe:take(function(message) return message.error ~= nil end).error.code)
        pipe:send(request(2, "ping"))
        assert.same({}, pipe:answer(2, nil, "ping").result)
    end)
end)
