--- The handshake revisions over HTTP: sessions, their streams, questions, cancelling, lists of messages.
local json = require("json")
local mcp = require("spec.support.mcp")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local TOOLS = "spec/fixtures/tools/protocol.lua"
local REVISIONS = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25" }
local ASKABLE = { elicitation = {}, sampling = {}, roots = {} }

describe("a session", function()
    local s

    setup(function() s = server.start({ tools = TOOLS }) end)
    teardown(function() s:stop() end)

    local function fate(name) return mcp.bare(s):text("fate", { name = name }) end
    local function wait_fate(name, wanted)
        assert(program.wait_until(function() return fate(name) == wanted end), fate(name))
    end

    for _, revision in ipairs(REVISIONS) do
        it("of " .. revision .. " is served in its own form", function()
            local client = mcp.session(s, revision)
            for _, method in ipairs({ "tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping" }) do
                client:result(method)
            end
            assert.equal(revision >= "2025-03-26", client.hello.capabilities.completions ~= nil)
            assert.is_nil(client.hello.capabilities.extensions)
            local result = client:call("contents")
            local kinds = {}
            for position, item in ipairs(result.content) do kinds[position] = item.type end
            assert.equal(revision >= "2025-03-26" and "audio" or "text", kinds[2])
            assert.equal(revision >= "2025-06-18" and "resource_link" or "text", kinds[4])
            assert.equal(revision >= "2025-06-18", result.structuredContent ~= nil)
            assert.equal(revision >= "2025-06-18", result.content[1]._meta ~= nil)
            assert.is_nil(client:call("list_structured").structuredContent)
            local messages = client:result("prompts/get", { name = "greet", arguments = { name = "Ann" } }).messages
            assert.equal(revision >= "2025-03-26" and "audio" or "text", messages[2].content.type)
            for _, uri in ipairs({ "test://text", "test://blob", "test://two", "test://item/a%20b" }) do
                client:result("resources/read", { uri = uri })
            end
            assert.equal(204, client:finish())
        end)
    end

    it("M17 has an id that cannot be guessed, cut or changed", function()
        local client, seen = mcp.session(s, "2025-11-25"), {}
        local id = client.session
        for _ = 1, 50 do
            local other = mcp.session(s, "2025-11-25").session
            assert.is_nil(seen[other])
            seen[other] = true
            assert.matches("^[%w_.-]+$", other)
        end
        for _, wrong in ipairs({ "", id:sub(1, -2), id:upper(), id .. "x", "x" .. id, id:gsub("%.", "..") }) do
            client.session = wrong
            local failure, status = client:failure("ping")
            assert.equal(404, status)
            assert.equal(-32001, failure.code)
        end
        client.session = id
        assert.same({}, client:result("ping"))
        local health = s:request({ path = "/health" }).body
        assert.is_nil(health:find(id:sub(1, 20), 1, true))
    end)

    it("M17 is not taken from two headers", function()
        local client = mcp.session(s, "2025-11-25")
        local response = s:request({
            method = "POST", path = "/mcp", body = '{"jsonrpc":"2.0","id":1,"method":"ping"}',
            headers = { ["Mcp-Session-Id"] = client.session, ["mcp-session-id"] = client.session },
        })
        assert.equal(404, response.status)
    end)

    it("M09 ends with DELETE, together with what it runs and what it listens to", function()
        local client = mcp.session(s, "2025-11-25")
        local stream, call = client:listen(), client:open("tools/call", { name = "sleep", arguments = { name = "deleted" } })
        wait_fate("deleted", "began -")
        assert.equal(204, client:finish())
        wait_fate("deleted", "began closed")
        assert.is_nil(stream:next())
        assert.is_nil(call:next())
        assert.equal(404, select(2, client:failure("ping")))
        assert.equal(404, client:finish())
        local _, exchange = client:request("initialize",
            { protocolVersion = "2025-11-25", capabilities = {}, clientInfo = { name = "x", version = "1" } })
        assert.equal(200, exchange.status) -- M02: a stale id does not stop a new beginning
        assert.not_equal(client.session, exchange.headers["mcp-session-id"])
    end)

    it("M09 costs nothing while it does nothing; the streams of many end with them", function()
        local other, clients = server.start({ tools = TOOLS }), {}
        local descriptors = other:descriptors()
        for _ = 1, 100 do mcp.session(other, "2025-11-25") end -- clients that never say goodbye
        for number = 1, 150 do
            clients[number] = mcp.session(other, "2025-11-25")
            clients[number].stream = clients[number]:listen()
        end
        assert.is_true(other:descriptors() > 150)
        clients[150]:call("switch")
        for _, client in ipairs(clients) do
            assert.matches("list_changed$", client.stream:next().method)
            assert.equal(204, client:finish())
            while client.stream:next() do end -- to its end
            client.stream:close()
            assert.equal(404, select(2, client:failure("ping")))
        end
        assert.is_true(program.wait_until(function() return other:descriptors() <= descriptors + 5 end))
        other:stop()
    end)

    it("M02 begins once", function()
        local client = mcp.session(s, "2025-11-25")
        local failure, status = client:failure("initialize",
            { protocolVersion = "2025-11-25", capabilities = {}, clientInfo = { name = "x", version = "1" } })
        assert.equal(400, status)
        assert.equal(-32600, failure.code)
        assert.same({}, client:result("ping"))
    end)

    it("goes on after a restart of the server", function()
        local options = { tools = TOOLS, env = { SANDSTORM_STATE_DIR = tmp.dir("state") } }
        local first = server.start(options)
        local client = mcp.session(first, "2025-06-18", ASKABLE)
        first:stop()
        local second = server.start(options)
        client.server = second
        assert.equal("x", client:text("echo", { text = "x" }))
        second:stop()
    end)

    it("is not listened to, nor ended, in a revision that never was", function()
        local client = mcp.session(s, "2025-11-25")
        client.header = "1999-01-01"
        local exchange = client:listen()
        assert.same({ 400, -32022 }, { exchange.status, exchange:next().error.code })
        assert.equal(400, client:finish())
        client.header = "2025-06-18" -- another that is served
        assert.same({}, client:result("ping"))
        assert.equal(204, client:finish())
    end)

    it("is no session for somebody with another secret", function()
        local other = server.start({ tools = TOOLS, token = "another-token-0123456789" })
        local client = mcp.session(s, "2025-11-25")
        client.server = other
        assert.equal(404, select(2, client:failure("ping")))
        other:stop()
    end)

    it("is not needed: a bare request is answered as JSON, and cannot ask", function()
        for _, revision in ipairs({ false, "2024-11-05", "2025-06-18" }) do
            local client = mcp.bare(s, revision or nil)
            local _, exchange = client:request("tools/call", { name = "log" })
            assert.is_false(exchange.is_stream)
            assert.is_true(client:call("ask").isError)
        end
        assert.equal(405, mcp.bare(s):listen().status)
        assert.equal(400, mcp.bare(s, "2025-11-25"):listen().status)
        assert.equal(405, mcp.bare(s):finish())
        assert.same({}, mcp.bare(s):result("logging/setLevel", { level = "debug" }))
        assert.same({}, mcp.bare(s):result("resources/subscribe", { uri = "test://text" }))
    end)

    it("M03 gives every client its own answers, whatever ids they use", function()
        local clients = { mcp.session(s, "2025-11-25"), mcp.session(s, "2025-06-18"), mcp.bare(s), mcp.bare(s) }
        for round = 1, 10 do
            local calls = {}
            for position, client in ipairs(clients) do
                client.last_id = 6
                local arguments = { text = position .. " of " .. round, ms = (position * 7 + round) % 5 }
                calls[position] = client:open("tools/call", { name = "echo", arguments = arguments })
            end
            for position, call in ipairs(calls) do
                local answer = call:answer()
                assert.equal(7, answer.id)
                assert.equal(position .. " of " .. round, answer.result.content[1].text)
                call:close()
            end
        end
    end)

    describe("asks its client", function()
        for _, revision in ipairs({ "2025-06-18", "2025-11-25" }) do
            it("with a form in " .. revision, function()
                local client = mcp.session(s, revision, ASKABLE)
                local call = client:open("tools/call", { name = "ask", arguments = { name = revision } })
                local question = call:next()
                assert.equal("elicitation/create", question.method)
                assert.equal(revision >= "2025-11-25" or nil, call.primed)
                assert.equal(202, client:reply(question.id, { action = "accept", content = { name = "Ann" } }))
                assert.equal("accept Ann run 1", call:answer().result.content[1].text)
                assert.equal(202, client:reply(question.id, { action = "decline" })) -- late: nobody waits any more
            end)
        end

        it("and takes no for an answer", function()
            local client = mcp.session(s, "2025-11-25", ASKABLE)
            local call = client:open("tools/call", { name = "ask", arguments = { name = "no" } })
            client:reply(call:next().id, { action = "decline" })
            assert.equal("decline - run 1", call:answer().result.content[1].text)
        end)

        it("for its roots, in the oldest revision too", function()
            local client = mcp.session(s, "2024-11-05", ASKABLE)
            local call = client:open("tools/call", { name = "ask_roots" })
            local question = call:next()
            assert.equal("roots/list", question.method)
            client:reply(question.id, { roots = { { uri = "file:///a" }, { uri = "file:///b" } } })
            assert.equal("file:///a file:///b", call:answer().result.content[1].text)
        end)

        it("to open an address where it can", function()
            local client = mcp.session(s, "2025-11-25", { elicitation = { url = {} } })
            local call = client:open("tools/call", { name = "ask_open" })
            local question = call:next()
            assert.equal("url", question.params.mode)
            assert.is_string(question.params.elicitationId)
            client:reply(question.id, { action = "accept" })
            assert.equal("accept", call:answer().result.content[1].text)
            assert.is_true(client:call("ask").isError) -- it has no forms
        end)

        it("to choose, in the form that its revision has", function()
            for _, revision in ipairs({ "2025-06-18", "2025-11-25" }) do
                local client = mcp.session(s, revision, ASKABLE)
                local call = client:open("tools/call", { name = "ask_choice" })
                local question = call:next()
                local colour = question.params.requestedSchema.properties.colour
                assert.equal(revision >= "2025-11-25", colour.oneOf ~= nil)
                assert.same(revision < "2025-11-25" and { "r", "g" } or nil, colour.enum)
                assert.same(revision < "2025-11-25" and { "Red", "Green" } or nil, colour.enumNames)
                client:reply(question.id, { action = "accept", content = { colour = "g" } })
                assert.equal("g", call:answer().result.content[1].text)
            end
            local client = mcp.session(s, "2025-11-25", ASKABLE)
            local call = client:open("tools/call", { name = "ask_choices" })
            client:reply(call:next().id, { action = "accept", content = { colours = json.array({ "r", "g" }) } })
            assert.equal("r g", call:answer().result.content[1].text)
            assert.is_true(mcp.session(s, "2025-06-18", ASKABLE):call("ask_choices").isError) -- it has no such form
        end)

        it("only for what it can, and tells the agent otherwise", function()
            for _, revision in ipairs(REVISIONS) do
                local client = mcp.session(s, revision, revision >= "2025-06-18" and {} or ASKABLE)
                local result = client:call("ask")
                assert.is_true(result.isError)
                assert.equal("This needs a client that can be asked for elicitation", result.content[1].text)
            end
        end)

        it("M03 and takes the answer from nobody else", function()
            local client, other = mcp.session(s, "2025-11-25", ASKABLE), mcp.session(s, "2025-11-25", ASKABLE)
            local call = client:open("tools/call", { name = "ask", arguments = { name = "other" } })
            local question = call:next()
            assert.equal(202, other:reply(question.id, { action = "accept", content = { name = "Eve" } }))
            assert.equal(202, mcp.bare(s):reply(question.id, { action = "accept", content = { name = "Eve" } }))
            client:reply(question.id, { action = "accept", content = { name = "Ann" } })
            assert.equal("accept Ann run 1", call:answer().result.content[1].text)
        end)

        it("and tells the agent of an answer that fits nothing, or an error", function()
            local client = mcp.session(s, "2025-11-25", ASKABLE)
            local incomplete = { action = "accept", content = { name = 5 } }
            for _, answer in ipairs({ { action = "maybe" }, { action = "accept" }, incomplete }) do
                local call = client:open("tools/call", { name = "ask" })
                client:reply(call:next().id, answer)
                assert.is_true(call:answer().result.isError)
            end
            local call = client:open("tools/call", { name = "ask" })
            client:post({ jsonrpc = "2.0", id = call:next().id, error = { code = -1, message = "no user" } }):close()
            assert.equal("The client refused: no user", call:answer().result.content[1].text)
        end)
    end)

    it("is told of progress that grows, and of nothing without a token", function()
        local client = mcp.session(s, "2025-11-25")
        for _, token in ipairs({ "abc", 7 }) do
            local call = client:open("tools/call", { name = "progress", _meta = { progressToken = token } })
            call:answer()
            local steps = {}
            for position, message in ipairs(call.before) do
                assert.equal(token, message.params.progressToken)
                steps[position] = message.params.progress
            end
            assert.same({ 0, 5, 10 }, steps)
            assert.equal("step 10", call.before[3].params.message)
        end
        for _, none in ipairs({ 1.5, true, json.null, json.object({}) }) do
            local _, silent = client:request("tools/call", { name = "progress", _meta = { progressToken = none } })
            assert.is_false(silent.is_stream)
        end
        local _, silent = client:request("tools/call", { name = "progress" })
        assert.is_false(silent.is_stream)
        local old = mcp.session(s, "2024-11-05"):open("tools/call", { name = "progress", _meta = { progressToken = 1 } })
        assert.is_nil(old:next().params.message)
    end)

    it("gets log messages from the level that it set", function()
        local client, levels = mcp.session(s, "2025-06-18"), {}
        local function hear()
            levels = {}
            local _, exchange = client:request("tools/call", { name = "log" })
            for position, message in ipairs(exchange.before) do levels[position] = message.params.level end
            return exchange.before
        end
        assert.same({ n = 1, message = "about info" }, hear()[1].params.data)
        assert.same({ "info", "warning", "error" }, levels)
        assert.same({}, client:result("logging/setLevel", { level = "error" }))
        hear()
        assert.same({ "error" }, levels)
        client:result("logging/setLevel", { level = "debug" })
        assert.equal(4, #hear())
        assert.equal(-32602, client:failure("logging/setLevel", { level = "loud" }).code)
    end)

    it("cancels a call by its typed id, which is then not answered", function()
        local client = mcp.session(s, "2025-11-25")
        local call = client:open("tools/call", { name = "sleep", arguments = { name = "cancelled" } })
        wait_fate("cancelled", "began -")
        client:notify("notifications/cancelled", { requestId = tostring(client.last_id) })
        mcp.session(s, "2025-11-25"):notify("notifications/cancelled", { requestId = client.last_id })
        assert.equal("began -", fate("cancelled"))
        client:notify("notifications/cancelled", { requestId = client.last_id })
        assert.is_nil(call:answer())
        wait_fate("cancelled", "began closed")
    end)

    it("is not cancelled by a lost connection", function()
        local client = mcp.session(s, "2025-11-25")
        local call = client:open("tools/call", {
            name = "sleep", arguments = { name = "lost", loud = true }, _meta = { progressToken = 1 },
        })
        call:next()
        call.connection:reset()
        assert.same({}, client:result("ping"))
        assert.equal("began -", fate("lost"))
        client:notify("notifications/cancelled", { requestId = client.last_id - 1 })
        wait_fate("lost", "began closed")
    end)

    describe("has a stream", function()
        it("that hears what changes, once, and what it subscribed to", function()
            local client, other = mcp.session(s, "2025-11-25"), mcp.session(s, "2025-06-18")
            local first, stream, others = client:listen(), client:listen(), other:listen()
            assert.equal("text/event-stream", stream.headers["content-type"])
            client:result("resources/subscribe", { uri = "test://text" })
            client:call("switch")
            local methods = {}
            for position = 1, 3 do methods[position] = stream:next().method end
            table.sort(methods)
            assert.same({
                "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/tools/list_changed",
            }, methods)
            for _ = 1, 3 do others:next() end
            client:call("touch", { name = "test://other" })
            client:call("touch", { name = "test://text" })
            local message = stream:next()
            assert.same({ "notifications/resources/updated", "test://text" }, { message.method, message.params.uri })
            client:result("resources/unsubscribe", { uri = "test://text" })
            client:call("touch", { name = "test://text" })
            other:result("resources/subscribe", { uri = "test://text" })
            client:call("touch", { name = "test://text" })
            assert.equal("notifications/resources/updated", others:next().method)
            client:call("switch")
            assert.matches("list_changed", stream:next().method)
            assert.is_nil(others.primed)
            assert.is_true(stream.primed)
            client:finish()
            assert.is_nil(first:next()) -- it got nothing: a session hears each message once
        end)

        it("that is resumed after an event, by its session alone", function()
            local client, other = mcp.session(s, "2025-11-25"), mcp.session(s, "2025-11-25")
            local stream = client:listen()
            client:result("resources/subscribe", { uri = "test://text" })
            client:call("touch", { name = "test://text" })
            stream:next()
            local seen = stream.event_id
            stream:close()
            client:call("touch", { name = "test://text" })
            assert.matches("list_changed$", other:listen(seen):next().method) -- a stream of its own, which says what it must
            assert.equal(400, client:listen("nonsense").status)
            assert.equal("notifications/resources/updated", client:listen(seen):next().method)
        end)

        it("that begins anew after a restart of the server, and says that lists may have changed", function()
            local options = { tools = TOOLS, env = { SANDSTORM_STATE_DIR = tmp.dir("state") } }
            local first = server.start(options)
            local client = mcp.session(first, "2025-11-25")
            local stream, methods = client:listen(), {}
            client:call("switch")
            stream:next()
            local call = client:open("tools/call", { name = "log" })
            call:next()
            first:stop()
            local second = server.start(options)
            client.server = second
            local again = client:listen(stream.event_id)
            for position = 1, 3 do methods[position] = again:next().method end
            table.sort(methods)
            assert.same({
                "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/tools/list_changed",
            }, methods)
            assert.is_true(again.primed)
            assert.not_equal(stream.event_id:match("^(.*)%."), again.event_id:match("^(.*)%."))
            client:result("resources/subscribe", { uri = "test://text" })
            client:call("touch", { name = "test://text" })
            assert.equal("notifications/resources/updated", again:next().method)
            assert.equal(400, client:listen(call.event_id).status) -- an answer cannot begin anew
            second:stop()
        end)

        it("that is resumed where a call lost its connection", function()
            local client = mcp.session(s, "2025-11-25", ASKABLE)
            local call = client:open("tools/call", { name = "ask", arguments = { name = "resumed" } })
            local question = call:next()
            local seen = call.event_id
            call.connection:reset()
            client:reply(question.id, { action = "accept", content = { name = "Ann" } })
            local again = client:listen(seen)
            assert.equal("accept Ann run 1", again:answer().result.content[1].text)
        end)
    end)

    it("reads pages until there are no more, and no others", function()
        local client, names, cursor = mcp.session(s, "2025-06-18"), {}, nil
        repeat
            local page = client:result("tools/list", { cursor = cursor })
            for _, tool in ipairs(page.tools) do names[#names + 1] = tool.name end
            assert.is_true(#page.tools <= 100)
            cursor = page.nextCursor
        until not cursor
        assert.equal("many_120", names[#names])
        assert.equal("echo", names[1])
        for _, wrong in ipairs({ "", "x", "bWFueV8wMDE" }) do
            assert.equal(-32602, client:failure("tools/list", { cursor = wrong }).code)
        end
    end)

    it("M13 gets errors of the protocol where they belong", function()
        local client = mcp.session(s, "2025-11-25")
        local failure = client:failure("tools/call", { name = "refuse" })
        assert.same({ code = -32000, message = "not today", data = { why = "spec" } }, failure)
        for uri, code in pairs({ ["test://nope"] = -32002, ["test://item/gone"] = -32002, ["test://broken"] = -32603,
            ["test://wrong"] = -32603 }) do
            local wrong = client:failure("resources/read", { uri = uri })
            assert.equal(code, wrong.code)
            assert.is_nil(wrong.message:find("oops", 1, true))
            if code == -32002 then assert.equal(uri, wrong.data.uri) end
        end
        for _, params in ipairs({ { name = "nope" }, { name = "greet" }, { name = "greet", arguments = { name = 5 } }, {} }) do
            assert.equal(-32602, client:failure("prompts/get", params).code)
        end
        assert.equal(-32603, client:failure("prompts/get", { name = "wrong" }).code)
        assert.equal(-32602, client:failure("resources/read", {}).code)
    end)

    it("completes arguments of prompts and templates", function()
        local client = mcp.session(s, "2025-11-25")
        local function complete(ref, name, value, context)
            local params = { ref = ref, argument = { name = name, value = value }, context = context }
            return client:result("completion/complete", params)
        end
        local template = { type = "ref/resource", uri = "test://item/{id}" }
        local result = complete(template, "id", "a", { arguments = { kind = "k" } }).completion
        assert.same({ 100, 150, true, "a1k" }, { #result.values, result.total, result.hasMore, result.values[1] })
        assert.same({}, complete({ type = "ref/prompt", name = "greet" }, "name", "").completion.values)
        for _, params in ipairs({
            {}, { ref = template }, { ref = { type = "x" }, argument = { name = "id", value = "" } },
            { ref = template, argument = { name = "nope", value = "" } },
            { ref = { type = "ref/prompt", name = "nope" }, argument = { name = "x", value = "" } },
        }) do
            assert.equal(-32602, client:failure("completion/complete", params).code)
        end
    end)
end)

describe("a list of messages", function()
    local s

    setup(function() s = server.start({ tools = TOOLS }) end)
    teardown(function() s:stop() end)

    local function request(id, method, params) return { jsonrpc = "2.0", id = id, method = method, params = params } end
    local initialized = { jsonrpc = "2.0", method = "notifications/initialized" }

    it("J08 is answered in 2025-03-26: one list, without notifications", function()
        local client = mcp.session(s, "2025-03-26")
        local echo = { name = "echo", arguments = { text = "x" } }
        local exchange = client:post(json.array({
            request(1, "ping"), initialized, request("1", "tools/call", echo), request(2, "nope"), json.array({}),
        }))
        local answers = exchange:next()
        assert.equal(200, exchange.status)
        assert.equal(4, #answers)
        assert.same({ 1, "1", 2 }, { answers[1].id, answers[2].id, answers[3].id })
        assert.equal("x", answers[2].result.content[1].text)
        assert.equal(-32601, answers[3].error.code)
        assert.equal(-32600, answers[4].error.code)
        local silent = client:post(json.array({ initialized, initialized }))
        assert.equal(202, silent.status)
        assert.is_nil(silent:next())
    end)

    it("J08 is answered in a stream where one of it has something to say before", function()
        for _, client in ipairs({ mcp.session(s, "2025-03-26"), mcp.bare(s) }) do
            local exchange = client:post(json.array({
                request(1, "tools/call", { name = "progress", _meta = { progressToken = "p" } }),
                request(2, "tools/call", { name = "echo", arguments = { text = "x" } }), request(3, "ping"),
            }))
            for _, step in ipairs({ 0, 5, 10 }) do assert.equal(step, exchange:next().params.progress) end
            local answers = exchange:next()
            assert.same({ 1, 2, 3 }, { answers[1].id, answers[2].id, answers[3].id })
            assert.equal("x", answers[2].result.content[1].text)
            assert.is_nil(exchange:next())
        end
    end)

    it("J08 is answered though one of it is cancelled, which alone gets no answer", function()
        local client = mcp.session(s, "2025-03-26")
        local sleep = { name = "sleep", arguments = { name = "in a list", loud = true }, _meta = { progressToken = "p" } }
        local exchange = client:post(json.array({
            request(1, "ping"), request(2, "tools/call", sleep), request(3, "ping"), initialized,
        }))
        exchange:next()
        client:notify("notifications/cancelled", { requestId = 2 })
        local answers = exchange:next()
        assert.same({ 1, 3 }, { answers[1].id, answers[2].id })
        assert.same({}, answers[1].result)
        assert.equal(-32603, answers[2].error.code)
        assert.is_nil(exchange:next())
    end)

    it("J08 is refused when it is empty, too long, or begins a session", function()
        local client = mcp.bare(s)
        local hello = request(1, "initialize",
            { protocolVersion = "2025-03-26", capabilities = {}, clientInfo = { name = "x", version = "1" } })
        local many = json.array({})
        for id = 1, 101 do many[id] = request(id, "ping") end
        for _, list in ipairs({ json.array({}), json.array({ request(2, "ping"), hello }), many }) do
            local exchange = client:post(list)
            assert.equal(400, exchange.status)
            assert.equal(-32600, exchange:next().error.code)
        end
    end)

    it("J08 is refused in every other revision", function()
        for _, revision in ipairs({ "2024-11-05", "2025-06-18", "2025-11-25" }) do
            local exchange = mcp.session(s, revision):post(json.array({ request(1, "ping") }))
            assert.equal(400, exchange.status)
            assert.equal(-32600, exchange:next().error.code)
        end
    end)
end)
