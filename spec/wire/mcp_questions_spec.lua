--- Handlers that ask in unusual ways, and clients that do not answer: the same script for clients of both eras.
local json = require("json")
local mcp = require("spec.support.mcp")
local server = require("spec.support.server")

local TOOLS = "spec/fixtures/tools/protocol.lua"
local ASKABLE = { elicitation = {} }

local function answer(name) return { action = "accept", content = { name = name } } end

describe("a handler that asks", function()
    local s

    setup(function() s = server.start({ tools = TOOLS }) end)
    teardown(function() s:stop() end)

    -- Calls as a client of a session that answers every question; returns the result and how many there were.
    local function in_session(name)
        local client = mcp.session(s, "2025-11-25", ASKABLE)
        local call, count = client:open("tools/call", { name = name }), 0
        for message in function() return call:next() end do
            if not message.method then return message.result, count end
            if message.id then
                count = count + 1
                client:reply(message.id, answer("Ann"))
            end
        end
    end

    -- The same as a stateless client, which calls again and again.
    local function in_rounds(name)
        local client, more, count = mcp.modern(s, ASKABLE), {}, 0
        while true do
            local result = client:call(name, nil, more)
            if result.resultType ~= "input_required" then return result, count end
            more = { inputResponses = {}, requestState = result.requestState }
            for key in pairs(result.inputRequests) do
                count = count + 1
                more.inputResponses[key] = answer("Ann")
            end
        end
    end

    for era, call in pairs({ ["a session"] = in_session, ["rounds"] = in_rounds }) do
        it("in " .. era .. ": several things at once, and then the result", function()
            local result, count = call("ask_two")
            assert.same({ "Ann Ann", 2 }, { result.content[1].text, count })
        end)

        it("in " .. era .. ": says nothing of itself in the question", function()
            local client = call == in_session and mcp.session(s, "2025-11-25", ASKABLE) or mcp.modern(s, ASKABLE)
            local open = client:open("tools/call", { name = "ask" })
            local message = open:next()
            local params = (message.result and message.result.inputRequests.name or message).params
            assert.is_nil(params.mode) -- forms of all revisions are written without it
            open:close()
        end)
    end

    it("in rounds: is asked again for what is missing, and no more", function()
        local client = mcp.modern(s, ASKABLE)
        local first = client:call("ask_two")
        assert.is_table(first.inputRequests.one and first.inputRequests.two)
        local second = client:call("ask_two", nil, {
            inputResponses = { two = answer("Bob") }, requestState = first.requestState,
        })
        assert.is_nil(second.inputRequests.two)
        assert.is_table(second.inputRequests.one)
        assert.not_equal(first.requestState, second.requestState)
        local function finish(with)
            local more = { inputResponses = { one = answer("Ann") }, requestState = with.requestState }
            return client:call("ask_two", nil, more)
        end
        assert.equal("Ann Bob", finish(second).content[1].text)
        assert.is_table(finish(first).inputRequests.two) -- the first state does not have it
    end)

    it("in rounds: comes to an end though it asks without end", function()
        local result, count = in_rounds("ask_forever")
        assert.same({ true, "The client was asked too often in one call", 16 },
            { result.isError, result.content[1].text, count })
    end)

    it("where nothing can wait gets an internal error that the log explains", function()
        local name, why = "ask_in_metamethod", "cannot wait inside a function that C calls back"
        local client = mcp.session(s, "2025-11-25", ASKABLE)
        local call = client:open("tools/call", { name = name })
        local question, withdrawn = call:next(), call:next()
        assert.same({ "notifications/cancelled", question.id }, { withdrawn.method, withdrawn.params.requestId })
        assert.matches("^Internal error in " .. name, call:answer().result.content[1].text)
        s:wait_log(function(line) return line.tool == name and (line.error or ""):find(why, 1, true) end)
        assert.is_true(in_rounds(name).isError == false) -- there, nothing waits
    end)

    for _, name in ipairs({ "ask_in_sort", "ask_in_coroutine" }) do
        it("waits wherever Lua code is called by Lua code (" .. name .. ")", function()
            assert.equal("Ann", in_session(name).content[1].text)
            assert.equal("Ann", in_rounds(name).content[1].text)
        end)
    end

    it("in a session: withdraws its question when its call is cancelled", function()
        local client = mcp.session(s, "2025-11-25", ASKABLE)
        local call = client:open("tools/call", { name = "ask" })
        local question = call:next()
        client:notify("notifications/cancelled", { requestId = client.last_id })
        local withdrawn = call:next()
        assert.same({ "notifications/cancelled", question.id }, { withdrawn.method, withdrawn.params.requestId })
        assert.is_nil(call:next())
    end)

    it("after it has said something is refused where the client cannot be asked, on the stream that has begun", function()
        local client = mcp.modern(s)
        local _, exchange = client:request("tools/call", { name = "ask_after_progress", _meta = { progressToken = 1 } })
        assert.equal(200, exchange.status)
        assert.equal("notifications/progress", exchange.before[1].method)
        local failure, status = client:failure("tools/call", { name = "ask_after_progress" })
        assert.same({ 400, -32021 }, { status, failure.code })
    end)
end)

describe("a client that does not answer", function()
    it("is told that nobody waits any more, and the agent too", function()
        local s = server.start({ tools = TOOLS, env = { SANDSTORM_CALL_DEADLINE_MS = "2500" } })
        local client = mcp.session(s, "2025-11-25", ASKABLE)
        local call = client:open("tools/call", { name = "ask_two" })
        local asked = { [call:next().id] = true, [call:next().id] = true }
        for _ = 1, 2 do
            local message = call:next()
            assert.equal("notifications/cancelled", message.method)
            assert.is_true(asked[message.params.requestId])
            asked[message.params.requestId] = nil
        end
        local result = call:answer().result
        assert.same({ true, "The client did not answer in time" }, { result.isError, result.content[1].text })
        s:stop()
    end)

    it("is let go where it knows how to come back, and finds the answer there", function()
        local s = server.start({ tools = TOOLS })
        local client = mcp.session(s, "2025-11-25")
        local call = client:open("tools/call", { name = "come_back" })
        assert.is_nil(call:answer())
        assert.is_true(call.primed)
        assert.is_true(tonumber(call.retry) > 0)
        assert.equal("back", client:listen(call.event_id):answer().result.content[1].text)
        for _, other in ipairs({ mcp.session(s, "2025-06-18"), mcp.modern(s), mcp.bare(s) }) do
            local answered, exchange = other:request("tools/call", { name = "come_back" })
            assert.equal("back", answered.result.content[1].text)
            assert.is_nil(exchange.primed)
        end
        s:stop()
    end)
end)

describe("a stateless request that is wrong in many ways", function()
    it("is refused for the first of them, in the order that clients rely on", function()
        local s = server.start({ tools = TOOLS })
        local meta = {}
        local message = {
            jsonrpc = "2.0", id = 1, method = "nope", params = { name = "nope", arguments = { region = "eu" }, _meta = meta },
        }
        local headers = { Origin = "https://evil.example", Authorization = false, ["Content-Type"] = "text/plain" }
        local body = "nonsense"
        local function refusal()
            local all = { Accept = "application/json", ["MCP-Protocol-Version"] = "2026-07-28" }
            for name, value in pairs(headers) do all[name] = value end
            local response = s:request({ method = "POST", path = "/mcp", body = body or json.encode(message), headers = all })
            local answer_of = json.decode(response.body)
            return { response.status, type(answer_of.error) == "table" and answer_of.error.code or nil }
        end
        assert.same({ 403, -32600 }, refusal())
        headers.Origin = nil
        assert.same({ 401 }, refusal())
        headers.Authorization = nil
        assert.same({ 415 }, refusal())
        headers["Content-Type"] = nil
        assert.same({ 400, -32700 }, refusal())
        body = "[]"
        assert.same({ 400, -32600 }, refusal())
        body = nil
        assert.same({ 400, -32602 }, refusal())
        meta["io.modelcontextprotocol/protocolVersion"] = "v999.0.0"
        assert.same({ 400, -32602 }, refusal())
        meta["io.modelcontextprotocol/clientCapabilities"] = json.object({})
        assert.same({ 400, -32020 }, refusal())
        headers["MCP-Protocol-Version"] = "v999.0.0"
        assert.same({ 400, -32022 }, refusal())
        headers["MCP-Protocol-Version"], meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28", "2026-07-28"
        assert.same({ 400, -32020 }, refusal())
        headers["Mcp-Method"] = "nope"
        assert.same({ 404, -32601 }, refusal())
        headers["Mcp-Method"], message.method = "tools/call", "tools/call"
        assert.same({ 400, -32020 }, refusal())
        headers["Mcp-Name"] = "nope"
        assert.same({ 200, -32602 }, refusal())
        headers["Mcp-Name"], message.params.name = "job_required", "job_required"
        assert.same({ 400, -32021 }, refusal())
        headers["Mcp-Name"], message.params.name = "region", "region"
        assert.same({ 400, -32020 }, refusal())
        headers["Mcp-Param-Region"], message.params.requestState = "eu", "x"
        assert.same({ 200, -32602 }, refusal())
        message.params.requestState = nil
        assert.same({ 200 }, refusal())
        s:stop()
    end)
end)
