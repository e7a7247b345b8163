--- The stateless revision over HTTP: questions and their state, cancelling, subscriptions, caching, headers.
local json = require("json")
local mcp = require("spec.support.mcp")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local TOOLS = "spec/fixtures/tools/protocol.lua"
local META = "io.modelcontextprotocol/"
local ASKABLE = { elicitation = {}, sampling = {}, roots = {} }

describe("a stateless client", function()
    local s, client

    setup(function() s = server.start({ tools = TOOLS }) end)
    teardown(function() s:stop() end)
    before_each(function() client = mcp.modern(s, ASKABLE) end)

    local function fate(name) return mcp.bare(s):text("fate", { name = name }) end
    local function wait_fate(name, wanted)
        assert(program.wait_until(function() return fate(name) == wanted end), fate(name))
    end

    it("is served in the form of its revision", function()
        local discovered = client:result("server/discover")
        assert.same({ [META .. "tasks"] = {} }, discovered.capabilities.extensions)
        for _, method in ipairs({ "tools/list", "resources/list", "resources/templates/list", "prompts/list" }) do
            local result = client:result(method)
            assert.same({ "private", 0 }, { result.cacheScope, result.ttlMs })
            assert.equal("sandstorm", result._meta[META .. "serverInfo"].name)
        end
        assert.same({ 1, 2 }, client:call("list_structured").structuredContent)
        assert.equal(5000, client:result("resources/read", { uri = "test://text" }).ttlMs)
        client:result("prompts/get", { name = "greet", arguments = { name = "Ann" } })
        client:result("completion/complete", {
            ref = { type = "ref/resource", uri = "test://item/{id}" }, argument = { name = "id", value = "a" },
        })
        assert.equal("audio", client:call("contents").content[2].type)
    end)

    it("has no session, whatever it sends", function()
        local _, exchange = client:request("tools/call", { name = "echo", arguments = { text = "x" } }, {
            ["Mcp-Session-Id"] = "nonsense", ["Last-Event-ID"] = "nonsense.1",
        })
        assert.equal(200, exchange.status)
        assert.is_nil(exchange.headers["mcp-session-id"])
        assert.equal(405, client:listen().status)
        assert.equal(405, client:finish())
    end)

    it("M13 gets the errors of its revision", function()
        local failure, status = client:failure("resources/read", { uri = "test://nope" })
        assert.same({ 200, -32602, "test://nope" }, { status, failure.code, failure.data.uri })
        failure, status = client:failure("tools/call", { name = "nope" })
        assert.same({ 200, -32602 }, { status, failure.code })
        failure, status = client:failure("tools/list", { cursor = "nope" })
        assert.same({ 200, -32602 }, { status, failure.code })
        assert.equal(-32000, client:failure("tools/call", { name = "refuse" }).code)
        failure, status = client:failure("resources/subscribe", { uri = "test://text" })
        assert.same({ 404, -32601 }, { status, failure.code })
        local list = client:post(json.array({ { jsonrpc = "2.0", id = 1, method = "server/discover" } }))
        assert.equal(400, list.status)
        assert.equal(-32600, list:next().error.code)
    end)

    it("repeats names that are no plain text in base64", function()
        local encoded = { ["Mcp-Name"] = "=?base64?dGVzdDovL2l0ZW0vw6Q=?=" }
        local _, exchange = client:request("resources/read", { uri = "test://item/ä" }, encoded)
        assert.equal(200, exchange.status)
        local failure, status = client:failure("resources/read", { uri = "test://text" }, { ["Mcp-Name"] = "test://other" })
        assert.same({ 400, -32020 }, { status, failure.code })
        failure, status = client:failure("tools/call", { name = "region", arguments = { region = "eu" } })
        assert.same({ 400, -32020 }, { status, failure.code })
        failure, status = client:failure("tools/call", { name = "region" }, { ["Mcp-Param-Region"] = "eu" })
        assert.same({ 400, -32020 }, { status, failure.code })
        failure, status = client:failure("resources/read", { uri = "test://item/ä" }, { ["Mcp-Name"] = "test://item/ä" })
        assert.same({ 400, -32020 }, { status, failure.code })
        failure, status = client:failure("resources/read", { uri = "test://text" }, { ["mcp-name"] = "test://text" })
        assert.same({ 400, -32020 }, { status, failure.code }) -- one in each case: it is there twice
    end)

    describe("is asked", function()
        local function ask(name, more, with)
            local params = { name = "ask", arguments = { name = name } }
            for field, value in pairs(more or {}) do params[field] = value end
            return (with or client):request("tools/call", params)
        end

        local ANSWER = { name = { action = "accept", content = { name = "Ann" } } }

        it("by a result, and answers with the next request; once runs once", function()
            local first = ask("twice").result
            assert.equal("input_required", first.resultType)
            assert.equal("elicitation/create", first.inputRequests.name.method)
            assert.is_nil(first.ttlMs)
            local second = ask("twice", { inputResponses = ANSWER, requestState = first.requestState }).result
            assert.equal("accept Ann run 1", second.content[1].text)
        end)

        it("and may answer at once, without any state", function()
            assert.equal("accept Ann run 1", ask("at once", { inputResponses = ANSWER }).result.content[1].text)
        end)

        it("again when an answer is missing or does not fit, and refused when it is none", function()
            for _, answers in ipairs({ {}, { other = ANSWER.name }, { name = { action = "accept", content = { name = 5 } } } }) do
                assert.equal("input_required", ask("again", { inputResponses = json.object(answers) }).result.resultType)
            end
            for _, answers in ipairs({ json.null, "x", json.array({}), { name = 5 }, { name = { action = "maybe" } } }) do
                assert.equal(-32602, ask("again", { inputResponses = answers }).error.code)
            end
        end)

        it("in a state that is good for this request of this caller, and for nothing else", function()
            local state = ask("bound").result.requestState
            local function code(name, given, with)
                local answer = ask(name, { inputResponses = ANSWER, requestState = given }, with)
                return answer.error and answer.error.code
            end
            for _, given in ipairs({ state .. "A", state:sub(2), state:sub(1, -2), "", "x", 5, json.null, state .. "=" }) do
                assert.equal(-32602, code("bound", given))
            end
            assert.equal(-32602, code("other", state))
            local other = server.start({ tools = TOOLS, token = "another-token-0123456789" })
            assert.equal(-32602, code("bound", state, mcp.modern(other, ASKABLE)))
            other:stop()
            assert.is_nil(code("bound", state))
        end)

        it("in a state that outlives the server", function()
            local options = { tools = TOOLS, env = { SANDSTORM_STATE_DIR = tmp.dir("state") } }
            local first = server.start(options)
            local state = ask("restart", {}, mcp.modern(first, ASKABLE)).result.requestState
            first:stop()
            local second = server.start(options)
            local answer = ask("restart", { inputResponses = ANSWER, requestState = state }, mcp.modern(second, ASKABLE))
            assert.equal("accept Ann run 1", answer.result.content[1].text)
            second:stop()
        end)

        it("in a state that counts once where the tool wants that", function()
            local state = client:call("ask_once").requestState
            local params = { name = "ask_once", inputResponses = ANSWER, requestState = state }
            local function again() return client:request("tools/call", params) end
            assert.equal("accept", again().result.content[1].text)
            assert.equal(-32602, again().error.code)
            local free = ask("free").result.requestState
            for _ = 1, 2 do
                assert.is_table(ask("free", { inputResponses = ANSWER, requestState = free }).result.content)
            end
        end)

        it("though what it keeps meanwhile is large", function()
            local first = client:call("large_memo")
            assert.is_true(#first.requestState < 1000)
            assert.equal("40000", client:text("large_memo", nil, { inputResponses = ANSWER, requestState = first.requestState }))
        end)

        it("whatever the script catches", function()
            assert.equal("input_required", client:call("ask_guarded").resultType)
            assert.equal("asked", client:text("ask_guarded", nil, { inputResponses = ANSWER }))
        end)

        it("and told when a script asks one question twice", function()
            local same = { same = ANSWER.name }
            local result = client:call("ask_twice", nil, { inputResponses = same })
            assert.is_true(result.isError)
            s:wait_log(function(line) return (line.error or ""):find("was asked already", 1, true) end)
        end)

        it("by resources too", function()
            local first = client:result("resources/read", { uri = "test://ask" })
            assert.equal("input_required", first.resultType)
            local second = client:result("resources/read",
                { uri = "test://ask", inputResponses = ANSWER, requestState = first.requestState })
            assert.equal("Ann", second.contents[1].text)
        end)

        it("only for what it can", function()
            local failure, status = client.failure(mcp.modern(s), "tools/call", { name = "ask" })
            assert.same({ 400, -32021 }, { status, failure.code })
            assert.same({ elicitation = {} }, failure.data.requiredCapabilities)
            failure = client.failure(mcp.modern(s, { elicitation = {} }), "tools/call", { name = "ask_open" })
            assert.same({ elicitation = { url = {} } }, failure.data.requiredCapabilities)
        end)

        it("anew after an edit of the script, which may ask something else", function()
            local path = tmp.dir("edited") .. "/tools.lua"
            local function write(question)
                tmp.write(path, ([[tool { name = "q", description = "q", input = { type = "object" }, handler = function(_, ctx)
                    local schema = { type = "object", properties = { ok = { type = "boolean" } }, required = { "ok" } }
                    return ctx:elicit("q", %q, schema).action .. %q
                end }]]):format(question, question))
            end
            write("Old?")
            local other = server.start({ tools = path })
            local asked = mcp.modern(other, ASKABLE)
            local state = asked:call("q").requestState
            local answers = { q = { action = "accept", content = { ok = true } } }
            write("New?")
            other:wait_log(function(line) return line.msg == "generation 2 serves now" end)
            assert.equal("input_required", asked:call("q", nil, { requestState = state }).resultType)
            assert.equal("acceptNew?", asked:text("q", nil, { requestState = state, inputResponses = answers }))
            other:stop()
        end)
    end)

    it("cancels by closing the connection", function()
        local call = client:open("tools/call", { name = "sleep", arguments = { name = "closed" } })
        wait_fate("closed", "began -")
        call.connection:reset()
        wait_fate("closed", "began closed")
        client:notify("notifications/cancelled", { requestId = client.last_id }) -- over HTTP that says nothing
    end)

    it("hears log messages that it asked for, and progress", function()
        local _, silent = client:request("tools/call", { name = "log" })
        assert.is_false(silent.is_stream)
        local _, loud = client:request("tools/call", { name = "log", _meta = { [META .. "logLevel"] = "warning" } })
        assert.equal(2, #loud.before)
        assert.equal("no", loud.headers["x-accel-buffering"])
        assert.is_nil(loud.event_id)
        local _, progress = client:request("tools/call", { name = "progress", _meta = { progressToken = "t" } })
        assert.equal(3, #progress.before)
        assert.equal(-32602, client:failure("tools/call", { name = "log", _meta = { [META .. "logLevel"] = "loud" } }).code)
    end)

    describe("listens", function()
        local function listen(filter, with)
            local exchange = (with or client):open("subscriptions/listen", { notifications = json.object(filter) })
            local ack = exchange:next()
            assert.equal("notifications/subscriptions/acknowledged", ack.method)
            assert.equal((with or client).last_id, ack.params._meta[META .. "subscriptionId"])
            return exchange, ack.params.notifications
        end

        it("to what it asked for, and is told what that is", function()
            local wanted = { toolsListChanged = true, resourceSubscriptions = json.array({ "test://text" }), x = 1 }
            local exchange, honoured = listen(wanted)
            assert.same({ toolsListChanged = true, resourceSubscriptions = { "test://text" } }, honoured)
            local id = client.last_id
            client:call("switch")
            client:call("touch", { name = "test://other" })
            client:call("touch", { name = "test://text" })
            local first, second = exchange:next(), exchange:next()
            assert.equal("notifications/tools/list_changed", first.method)
            assert.same({ "notifications/resources/updated", "test://text" }, { second.method, second.params.uri })
            for _, message in ipairs({ first, second }) do assert.equal(id, message.params._meta[META .. "subscriptionId"]) end
            client:call("switch")
            exchange:close()
        end)

        it("with an id of any kind, several times", function()
            local streams = {}
            for position, id in ipairs({ 1732900000000123, "text\"\\\1", 0 }) do
                client.last_id = nil
                local message = { jsonrpc = "2.0", id = id, method = "subscriptions/listen", params = {
                    notifications = { promptsListChanged = true },
                    _meta = { [META .. "protocolVersion"] = mcp.MODERN, [META .. "clientCapabilities"] = json.object({}) },
                } }
                streams[position] = client:post(message)
                assert.equal(id, streams[position]:next().params._meta[META .. "subscriptionId"])
            end
            client:call("switch")
            for position, id in ipairs({ 1732900000000123, "text\"\\\1", 0 }) do
                assert.equal(id, streams[position]:next().params._meta[META .. "subscriptionId"])
            end
            client:call("switch")
        end)

        it("until the server stops, in good order", function()
            local other = server.start({ tools = TOOLS })
            local listener = mcp.modern(other)
            local exchange = listen({ toolsListChanged = true }, listener)
            other.process:signal_with("sigterm")
            local cancelled, ended = exchange:next(), exchange:next()
            assert.same({ "notifications/cancelled", 1 }, { cancelled.method, cancelled.params.requestId })
            assert.same({ 1, "complete" }, { ended.id, ended.result.resultType })
            assert.equal(1, ended.result._meta[META .. "subscriptionId"])
            assert.is_nil(exchange:next())
            other:stop()
        end)

        it("and hears of an edit of the scripts, if lists changed by it", function()
            local path = tmp.dir("edited") .. "/tools.lua"
            local function write(name, text)
                tmp.write(path, ([[
                    tool { name = %q, description = "d", input = { type = "object" }, handler = function() return %q end }
                    prompt { name = "p", description = "d", handler = function() return %q end }]]):format(name, text, text))
            end
            write("one", "a")
            local other = server.start({ tools = path })
            local listener, session = mcp.modern(other), mcp.session(other, "2025-11-25")
            local exchange, stream = listen({ toolsListChanged = true, promptsListChanged = true }, listener), session:listen()
            write("one", "b")
            other:wait_log(function(line) return line.msg == "generation 2 serves now" end)
            write("two", "b")
            other:wait_log(function(line) return line.msg == "generation 3 serves now" end)
            assert.equal("notifications/tools/list_changed", exchange:next().method)
            assert.equal("notifications/tools/list_changed", stream:next().method)
            other.process:signal_with("sigterm")
            assert.equal("notifications/cancelled", exchange:next().method) -- nothing else came before
            other:stop()
        end)

        it("to nothing that is no filter", function()
            assert.equal(-32602, client:failure("subscriptions/listen", {}).code)
            assert.equal(-32602, client:failure("subscriptions/listen", { notifications = json.array({}) }).code)
            assert.same({}, select(2, listen({ toolsListChanged = false, resourceSubscriptions = "x" })))
        end)
    end)
end)
