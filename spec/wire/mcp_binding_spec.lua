--- What belongs to one client's grant is nobody else's: request states, sessions, their streams, tasks. And a request state
--- is good for its request, for a while.
local json = require("json")
local mcp = require("spec.support.mcp")
local oauth = require("spec.support.oauth")
local program = require("spec.support.program")
local server = require("spec.support.server")

local TOOLS = "spec/fixtures/tools/protocol.lua"
local TASKS = "io.modelcontextprotocol/tasks"
local ASKABLE = { elicitation = {}, extensions = { [TASKS] = {} } }
local ANN = { name = { action = "accept", content = { name = "Ann" } } }
local MINUTE_MS = 60000

describe("what belongs to a client", function()
    local s, app, ann, eve

    setup(function()
        s = oauth.start({ tools = TOOLS })
        app = oauth.new(s)
        ann, eve = app:sign_in().access_token, app:sign_in().access_token
    end)
    teardown(function() s:stop() end)

    -- Everybody else: another grant, and the owner with the server's own secret.
    local function others(make)
        local list = {}
        for _, token in ipairs({ eve, s.token }) do list[#list + 1] = make(token) end
        return list
    end
    local function modern(token) return mcp.modern(s, ASKABLE, token) end

    it("a request state is used by its grant alone", function()
        local params = { name = "ask", arguments = { name = "bound" }, inputResponses = ANN }
        params.requestState = modern(ann):call("ask", { name = "bound" }).requestState
        for _, other in ipairs(others(modern)) do
            local failure, status = other:failure("tools/call", params)
            assert.same({ 200, -32602 }, { status, failure.code })
        end
        assert.equal("accept Ann run 1", modern(ann):result("tools/call", params).content[1].text)
    end)

    it("a request state is used for its request alone", function()
        local client = modern(ann)
        local state = client:call("ask", { name = "one" }).requestState
        local function code(name, arguments, method)
            local params = { name = name, arguments = arguments, inputResponses = ANN, requestState = state }
            if method == "resources/read" then params = { uri = name, inputResponses = ANN, requestState = state } end
            local answer = client:request(method or "tools/call", params)
            return answer.error and answer.error.code
        end
        assert.equal(-32602, code("ask", { name = "two" }))
        assert.equal(-32602, code("ask", {}))
        assert.equal(-32602, code("ask"))
        assert.equal(-32602, code("ask", { name = "one", more = 1 }))
        assert.equal(-32602, code("ask_once", { name = "one" }))
        assert.equal(-32602, code("ask_guarded", { name = "one" }))
        assert.equal(-32602, code("test://ask", nil, "resources/read"))
        assert.is_nil(code("ask", { name = "one" }))
    end)

    -- The state as if it ended at another time.
    local function ending(state, at_ms)
        return app:mint([[
            local seal = require("mcp.seal")
            local content = seal.open("request state", args[1])
            content.t = math.tointeger(args[2])
            return seal.close("request state", content)
        ]], 0, state, tostring(at_ms))
    end

    it("a request state is used until it ends", function()
        local client = modern(ann)
        local state = client:call("ask", { name = "timely" }).requestState
        local now_ms = os.time() * 1000
        local function code(given)
            local params = { name = "ask", arguments = { name = "timely" }, inputResponses = ANN, requestState = given }
            local answer = client:request("tools/call", params)
            return answer.error and answer.error.code
        end
        assert.is_nil(code(ending(state, now_ms + MINUTE_MS)))
        assert.equal(-32602, code(ending(state, now_ms - MINUTE_MS)))
        assert.is_nil(code(state))
    end)

    it("a request state is sealed with a key that changes by the day; that of the day before counts", function()
        local client = modern(ann)
        local asked = client:call("ask", { name = "days" }).requestState
        local day = tonumber(asked:match("^(%d+)%."))
        local function code(given)
            local params = { name = "ask", arguments = { name = "days" }, inputResponses = ANN, requestState = given }
            local answer = client:request("tools/call", params)
            return answer.error and answer.error.code
        end
        local function sealed_at(days)
            return app:mint([[
                local seal = require("mcp.seal")
                local content = seal.open("request state", args[1])
                now = now + tonumber(args[2]) * 86400000
                return seal.close("request state", content)
            ]], 0, asked, tostring(days))
        end
        local yesterday = sealed_at(-1)
        assert.equal(day - 1, tonumber(yesterday:match("^(%d+)%.")))
        assert.is_nil(code(yesterday))
        assert.equal(-32602, code(sealed_at(-2)))
        assert.equal(-32602, code(sealed_at(2)))
        assert.equal(-32602, code((yesterday:gsub("^%d+", tostring(day))))) -- the day is part of the key
        assert.is_nil(code(asked))
    end)

    it("nothing is readable in a request state", function()
        local state = modern(ann):call("ask", { name = "hidden words" }).requestState
        assert.is_nil(oauth.decode(state):find("hidden", 1, true))
    end)

    it("a session is used, listened to and ended by its grant alone", function()
        local client = mcp.session(s, "2025-11-25", {}, "ann", ann)
        for _, other in ipairs(others(function(token)
            local made = mcp.session(s, "2025-11-25", {}, "other", token)
            made.session = client.session
            return made
        end)) do
            assert.equal(404, select(2, other:failure("ping")))
            assert.equal(404, other:listen().status)
            assert.equal(404, other:finish())
            assert.equal(404, other:notify("notifications/cancelled", { requestId = 1 }))
        end
        assert.same({}, client:result("ping"))
    end)

    it("a stream is resumed by the session of its grant alone", function()
        local client = mcp.session(s, "2025-11-25", {}, "ann", ann)
        local stream = client:listen()
        client:result("resources/subscribe", { uri = "test://text" })
        client:call("touch", { name = "test://text" })
        stream:next()
        local seen = stream.event_id
        stream:close()
        client:call("touch", { name = "test://text" })
        for _, other in ipairs(others(function(token) return mcp.session(s, "2025-11-25", {}, "other", token) end)) do
            local anew = other:listen(seen) -- as after a restart, with nothing of what the other one's had
            assert.equal(200, anew.status)
            for _ = 1, 3 do assert.matches("list_changed$", anew:next().method) end
            anew:close()
            other.session = client.session
            assert.equal(404, other:listen(seen).status)
        end
        assert.equal("notifications/resources/updated", client:listen(seen):next().method)
    end)

    it("a question in a session is answered by its grant alone", function()
        local client = mcp.session(s, "2025-11-25", { elicitation = {} }, "ann", ann)
        local call = client:open("tools/call", { name = "ask", arguments = { name = "grants" } })
        local question = call:next()
        local other = mcp.session(s, "2025-11-25", {}, "eve", eve)
        other.session = client.session
        assert.equal(404, other:reply(question.id, { action = "accept", content = { name = "Eve" } }))
        client:reply(question.id, ANN.name)
        assert.equal("accept Ann run 1", call:answer().result.content[1].text)
    end)

    it("a task is seen, answered, cancelled and followed by its grant alone", function()
        local client = modern(ann)
        local id = client:call("job", { ask = true }).taskId
        local function status() return client:result("tasks/get", { taskId = id }).status end
        assert.is_true(program.wait_until(function() return status() == "input_required" end))
        for _, other in ipairs(others(modern)) do
            for method, params in pairs({
                ["tasks/get"] = {}, ["tasks/cancel"] = {}, ["tasks/update"] = { inputResponses = ANN },
            }) do
                params.taskId = id
                local failure, code = other:failure(method, params)
                assert.same({ 200, -32602 }, { code, failure.code })
            end
            local stream = other:open("subscriptions/listen", { notifications = { taskIds = json.array({ id }) } })
            assert.same({}, stream:next().params.notifications.taskIds)
            stream:close()
        end
        assert.equal("input_required", status())
        client:result("tasks/update", { taskId = id, inputResponses = ANN })
        assert.is_true(program.wait_until(function() return status() == "completed" end))
    end)

    it("ends with the secret of the server: neither sessions nor states of another one count", function()
        local state_dir = s.workspace .. "/.sandstorm-mcp"
        local client, asking = mcp.session(s, "2025-11-25"), mcp.modern(s, ASKABLE)
        local state = asking:call("ask", { name = "secret" }).requestState
        local other = server.start({
            tools = TOOLS, token = "rotated-token-0123456789", env = { SANDSTORM_STATE_DIR = state_dir },
        })
        client.server, asking.server = other, other
        assert.equal(404, select(2, client:failure("ping")))
        assert.equal(-32602, asking:failure("tools/call",
            { name = "ask", arguments = { name = "secret" }, inputResponses = ANN, requestState = state }).code)
        other:stop()
    end)
end)
