--- MCP on standard input and output: both eras on one pipe.
local json = require("json")
local pipes = require("spec.support.pipe")
local program = require("spec.support.program")
local rest = require("spec.support.rest")
local socket = require("socket")
local tmp = require("spec.support.tmp")

local META = "io.modelcontextprotocol/"
local MODERN = { [META .. "protocolVersion"] = "2026-07-28", [META .. "clientCapabilities"] = { elicitation = json.object({}) } }

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
    local answer = pipe:answer(0)
    pipe:send({ jsonrpc = "2.0", method = "notifications/initialized" })
    return answer.result
end

-- The inodes of the sockets that wait for connections, of any process in its network: state 0A of proc_net_tcp.txt.
local function listening_sockets(pid)
    local found = {}
    for line in tmp.shell(("cat /proc/%d/net/tcp /proc/%d/net/tcp6"):format(pid, pid)):gmatch("[^\n]+") do
        local state, inode = line:match("^%s*%d+: %x+:%x+ %x+:%x+ (%x%x) .-:.-:.- %x+%s+%d+%s+%d+%s+(%d+)")
        if state == "0A" then found[inode] = true end
    end
    return found
end

describe("sandstorm-mcp stdio", function()
    local pipe

    before_each(function() pipe = pipes.open() end)
    after_each(function() pipe:close() end)

    it("needs no token, listens nowhere, writes nothing but messages and ends with its input", function()
        assert.equal("2024-11-05", hello(pipe, "2024-11-05").protocolVersion)
        pipe:send(request(1, "tools/call", { name = "echo", arguments = { text = "héllo\n" } }))
        assert.equal("héllo\n", pipe:answer(1).result.content[1].text)
        local ours = assert(socket.bind("127.0.0.1", 0))
        local listening = listening_sockets(pipe.pid)
        ours:close()
        assert.is_not_nil(next(listening))
        for inode in tmp.shell(("ls -l /proc/%d/fd"):format(pipe.pid)):gmatch("socket:%[(%d+)%]") do
            assert.is_nil(listening[inode])
        end
        assert.equal(0, pipe:finish())
        assert.same({}, pipe.lines)
        assert.equal("", table.concat(pipe.parts))
    end)

    it("speaks both eras on one pipe", function()
        pipe:send(modern("d", "server/discover"))
        assert.equal("2026-07-28", pipe:answer("d").result.supportedVersions[1])
        hello(pipe, "2025-06-18")
        pipe:send(modern(1, "tools/call", { name = "list_structured" }))
        pipe:send(request("1", "tools/call", { name = "list_structured" }))
        assert.same({ 1, 2 }, pipe:answer(1).result.structuredContent)
        assert.is_nil(pipe:answer("1").result.structuredContent)
        pipe:send(modern(2, "ping"))
        assert.equal(-32601, pipe:answer(2).error.code)
        pipe:send(request(3, "ping"))
        assert.same({}, pipe:answer(3).result)
    end)

    it("asks in both eras", function()
        hello(pipe, "2025-11-25", { elicitation = json.object({}) })
        pipe:send(request(1, "tools/call", { name = "ask" }))
        local question = pipe:take(function(message) return message.method == "elicitation/create" end)
        pipe:send({ jsonrpc = "2.0", id = question.id, result = { action = "accept", content = { name = "Ann" } } })
        assert.matches("^accept Ann", pipe:answer(1).result.content[1].text)
        pipe:send(modern(2, "tools/call", { name = "ask" }))
        local asked = pipe:answer(2).result
        pipe:send(modern(3, "tools/call", {
            name = "ask", requestState = asked.requestState,
            inputResponses = { name = { action = "accept", content = { name = "Bob" } } },
        }))
        assert.matches("^accept Bob", pipe:answer(3).result.content[1].text)
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
            local other = position == 1 and "5" or 5
            pipe:send({ jsonrpc = "2.0", method = "notifications/cancelled", params = { requestId = other } })
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
            pipe:notification("notifications/subscriptions/acknowledged")
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
        assert.same({ "notifications/cancelled" }, { pipe:notification("notifications/cancelled").method })
        assert.equal("complete", pipe:answer("a").result.resultType)
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
        assert.same({}, pipe:answer(9).result)
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

    it("answers for every handler that is stopped, whatever it was for", function()
        pipe:close()
        pipe = pipes.open({ SANDSTORM_SCRIPT_CPU_MS = os.getenv("SANDSTORM_SCRIPT_CPU_MS") and "1000" or "200" })
        hello(pipe, "2025-11-25")
        pipe:send(request(1, "completion/complete", {
            ref = { type = "ref/resource", uri = "test://endless/{id}" }, argument = { name = "id", value = "" },
        }))
        pipe:send(request(2, "resources/read", { uri = "test://endless/1" }))
        for id = 1, 2 do
            local failure = pipe:answer(id).error
            assert.equal(-32603, failure.code)
            assert.matches("was stopped: it computed for more than", failure.message)
        end
        pipe:send(request(3, "ping"))
        assert.same({}, pipe:answer(3).result)
    end)

    it("ends subscriptions in good order although its input ended with them", function()
        local asked = modern("a", "subscriptions/listen", { notifications = { toolsListChanged = true } })
        local result = program.run({ args = { "stdio" }, stdin = json.encode(asked) })
        local methods = {}
        for line in result.stdout:gmatch("[^\n]+") do
            local message = json.decode(line)
            methods[#methods + 1] = message.method or message.result.resultType
        end
        assert.same({ "notifications/subscriptions/acknowledged", "notifications/cancelled", "complete" }, methods)
    end)

    it("answers no notification, however wrong it is", function()
        pipe:send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}')
        pipe:send('{"jsonrpc":"1.0","method":"notifications/x"}')
        pipe:send(request(1, "ping"))
        assert.same({}, pipe:answer(1).result)
        assert.same({}, pipe.lines)
    end)

    it("leaves no id out of an error but in the revisions that want that", function()
        pipe:send("nonsense")
        assert.equal(json.null, pipe:take(function(message) return message.error ~= nil end).id)
        hello(pipe, "2025-11-25")
        pipe:send("nonsense")
        assert.is_nil(pipe:take(function(message) return message.error ~= nil end).id)
    end)

    it("reads a file as well, and a last line without an end", function()
        local result = program.run({ args = { "stdio" }, stdin = '{"jsonrpc":"2.0","id":1,"method":"ping"}' })
        assert.equal('{"jsonrpc":"2.0","id":1,"result":{}}\n', result.stdout)
        assert.equal(0, result.code)
        assert.equal("", program.run({ args = { "stdio" } }).stdout)
    end)

    it("refuses a line beyond the limit without keeping it", function()
        pipe:close()
        pipe = pipes.open({ SANDSTORM_BODY_LIMIT = "4096" })
        pipe:send(('{"jsonrpc":"2.0","id":1,"method":"ping","x":"%s"}'):format(("x"):rep(100000)))
        local failure = pipe:take(function(message) return message.error ~= nil end).error
        assert.same({ -32700, "Parse error: the line is longer than 4096 bytes" }, { failure.code, failure.message })
        pipe:send(request(2, "ping"))
        assert.same({}, pipe:answer(2).result)
    end)

    describe("whose output is not read", function()
        local function echoes(count)
            local lines = {}
            for id = 1, count do
                local arguments = { text = ("x"):rep(1 << 20) }
                lines[id] = json.encode(request(id, "tools/call", { name = "echo", arguments = arguments }))
            end
            return lines
        end

        before_each(function() pipe:close() end)

        it("reads no more until it is, and loses nothing", function()
            pipe = pipes.open(nil, echoes(40)) -- their answers have 80 MiB: more than it would keep
            assert.is_true(rest.comes(pipe.pid))
            pipe:listen()
            for id = 1, 40 do assert.is_table(pipe:answer(id).result) end
            pipe:wait(function() return pipe.code ~= nil end, "end")
            assert.same({ 0, 0 }, { pipe.code, pipe.signal })
        end)

        it("ends all the same after its input, and says what was left", function()
            pipe = pipes.open(nil, echoes(3))
            pipe:wait(function() return pipe.code ~= nil end, "end")
            assert.same({ 0, 0 }, { pipe.code, pipe.signal })
            assert.matches("%d+ bytes of standard output were not taken", pipe.stderr)
        end)
    end)
end)
