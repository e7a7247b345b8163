local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("a list of messages", function()
    local batch, server

    before_each(function()
        fake_host.install()
        batch = require("mcp.batch")
        local registry = require("mcp.registry").new()
        registry:add({ name = "echo", description = "d", input = { type = "object" }, handler = function() return "said" end })
        registry:seal()
        server = { registry = registry, info = { name = "sandstorm", version = "2.0.0" } }
    end)

    local function transport(revision)
        return {
            bytes = 0, on_long = function() end,
            header = function(_, name) return name == "mcp-protocol-version" and revision or nil end,
        }
    end

    local function handle(messages, revision)
        local status, body = batch.handle(server, json.array(messages), transport(revision))
        return status, body and json.decode(body)
    end

    local function ping(id) return { jsonrpc = "2.0", id = id, method = "ping" } end

    it("J08 is taken in one revision, and from those who say none", function()
        assert.is_true(batch.is_taken(transport("2025-03-26")))
        assert.is_true(batch.is_taken(transport(nil)))
        for _, revision in ipairs({ "2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28", "x" }) do
            assert.is_false(batch.is_taken(transport(revision)))
        end
    end)

    it("J08 is answered in one list and in its own revision, without notifications", function()
        local call = { jsonrpc = "2.0", id = "c", method = "tools/call", params = { name = "echo" } }
        local status, answers = handle({ ping(1), { jsonrpc = "2.0", method = "notifications/x" }, call, 5 })
        assert.equal(200, status)
        assert.equal(3, #answers)
        assert.same({ 1, "c", json.null }, { answers[1].id, answers[2].id, answers[3].id })
        assert.equal("said", answers[2].result.content[1].text)
        assert.equal(-32600, answers[3].error.code)
        assert.same({ 202 }, { handle({ { jsonrpc = "2.0", method = "notifications/x" } }) })
        assert.same({ 202 }, { handle({ { jsonrpc = "2.0", method = "notifications/x", params = json.array({}) } }) })
    end)

    it("J08 is refused as a whole when it is empty, too long or says hello", function()
        local many = {}
        for id = 1, 101 do many[id] = ping(id) end
        local hello = { jsonrpc = "2.0", id = 1, method = "initialize", params = {} }
        for _, messages in ipairs({ {}, many, { ping(1), hello } }) do
            local status, answer = handle(messages)
            assert.same({ 400, -32600 }, { status, answer.error.code })
        end
        many[101] = nil
        assert.equal(100, #select(2, handle(many)))
    end)

    it("ends with the message that tells that the session is over", function()
        local legacy = require("mcp.legacy")
        legacy.handle = function(_, _, message)
            if message.id == 2 then return 404, '"over"' end
            return 200, "{}"
        end
        assert.same({ 404, "over" }, { handle({ ping(1), ping(2), ping(3) }) })
    end)

    it("that is stopped half-way is answered with what there is; who comes after that is told", function()
        local stops, line = {}, transport()
        local function ids(text)
            local seen = {}
            for place, answer in ipairs(text and json.decode(text) or {}) do
                seen[place] = tostring(answer.id) .. (answer.error and "-" or "+")
            end
            return table.concat(seen, " ")
        end
        -- What would be answered if the handler were stopped here: by its time, by the client.
        function line.on_long(_, stopped, id, compose)
            local _, failure = stopped("stopped: late")
            stops[#stops + 1] = { failure.message, ids(compose(require("mcp.jsonrpc").error(id, failure))), ids(compose()) }
        end
        local silent = { jsonrpc = "2.0", method = "notifications/x" }
        batch.handle(server, json.array({ ping(1), silent, ping(2), ping(3), 5 }), line)
        local late = "The request was stopped: late"
        assert.same({ late, "1- 2- 3-", "2- 3-" }, stops[1])
        assert.same({ late, "1+ 2- 3-", "1+ 2- 3-" }, stops[2]) -- a notification gets no answer
        assert.same({ late, "1+ 2- 3-", "1+ 3-" }, stops[3])
        assert.same({ late, "1+ 2+ 3-", "1+ 2+" }, stops[4])
        stops = {}
        batch.handle(server, json.array({ silent, silent }), line)
        assert.same({ late, "", "" }, stops[1])
    end)

    it("goes on after a message that fails inside", function()
        server.registry.find = function() error("oops") end
        local call = { jsonrpc = "2.0", id = "c", method = "tools/call", params = { name = "echo" } }
        local _, answers = handle({ call, ping(1) })
        assert.same({ "c", -32603, 1 }, { answers[1].id, answers[1].error.code, answers[2].id })
        assert.is_nil(answers[1].error.message:find("oops", 1, true))
    end)
end)
