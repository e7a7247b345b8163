--- Every message that a server sends in any spec is checked where it is read (spec.support.tap, spec.support.pipe). Here a
--- server of this spec's own says what is wrong, and the check has to say so.
local conversation = require("spec.support.conversation")
local http = require("spec.support.http")
local json = require("json")
local socket = require("socket")
local tap = require("spec.support.tap")

local VERSION = "io.modelcontextprotocol/protocolVersion"

local function request(headers, body, method)
    local all = { ["Content-Type"] = "application/json" }
    for name, value in pairs(headers or {}) do all[name] = value end
    if type(body) == "table" then body = json.encode(body) end
    return http.format({ method = method or "POST", path = "/mcp", headers = all, body = body })
end

local function response(headers, body, status)
    local lines = { ("HTTP/1.1 %d X"):format(status or 200) }
    for name, value in pairs(headers) do lines[#lines + 1] = name .. ": " .. value end
    if not headers["Transfer-Encoding"] then lines[#lines + 1] = "Content-Length: " .. #body end
    return table.concat(lines, "\r\n") .. "\r\n\r\n" .. body
end

local JSON, STREAM = { ["Content-Type"] = "application/json" }, { ["Content-Type"] = "text/event-stream" }

local function asks(method, revision)
    local params = revision and { _meta = { [VERSION] = revision } } or nil
    return { jsonrpc = "2.0", id = 1, method = method, params = params }
end

local function answers(result, id) return json.encode({ jsonrpc = "2.0", id = id or 1, result = result }) end

-- What the tap says of an exchange.
local function complaint(asked, answered)
    local one = tap.new()
    one.sent(asked)
    local ok, why = pcall(one.came, answered)
    return not ok and tostring(why) or nil
end

local TOOL = { name = "x", inputSchema = { type = "object" } }
local LIST = { tools = json.array({ TOOL }) }
local MODERN_LIST = { tools = json.array({ TOOL }), resultType = "complete", ttlMs = 0, cacheScope = "private" }
local BAD_LIST = { tools = json.array({ { name = "x" } }) }
local NULL_ID = json.encode({ jsonrpc = "2.0", id = json.null, error = { code = -32700, message = "x" } })

local function event(text, id) return (id and "id: " .. id .. "\n" or "") .. "data: " .. text .. "\n\n" end

describe("the check of what a server sends", function()
    it("lets right answers pass, in each way in which they come", function()
        assert.is_nil(complaint(request({}, asks("tools/list")), response(JSON, answers(LIST))))
        assert.is_nil(complaint(request({}, asks("tools/list", "2026-07-28")), response(JSON, answers(MODERN_LIST))))
        assert.is_nil(complaint(request({}, asks("tools/list")), response(STREAM, event(answers(LIST)))))
        local chunk = event(answers(LIST))
        local chunked = { ["Content-Type"] = "text/event-stream", ["Transfer-Encoding"] = "chunked" }
        local body = ("%x\r\n%s\r\n0\r\n\r\n"):format(#chunk, chunk)
        assert.is_nil(complaint(request({}, asks("tools/list")), response(chunked, body)))
        assert.is_nil(complaint(request({}, { jsonrpc = "2.0", method = "notifications/initialized" }), response({}, "", 202)))
        assert.is_nil(complaint(request({}, "nonsense"), response(JSON, NULL_ID, 400)))
    end)

    -- name, request, response, what the complaint says
    local WRONG = {
        { "a list that breaks its schema", request({}, asks("tools/list")), response(JSON, answers(BAD_LIST)),
            "ListToolsResult" },
        { "the same in a stream", request({}, asks("tools/list")), response(STREAM, event(answers(BAD_LIST))),
            "ListToolsResult of 2025%-11%-25" },
        { "what the stateless revision wants and is not there", request({}, asks("tools/list", "2026-07-28")),
            response(JSON, answers(LIST)), "of 2026%-07%-28" },
        { "the stateless revision by its header", request({ ["MCP-Protocol-Version"] = "2026-07-28" }, asks("tools/list")),
            response(JSON, answers(LIST)), "of 2026%-07%-28" },
        { "what an older revision does not have", request({ ["MCP-Protocol-Version"] = "2025-06-18" }, asks("tools/list")),
            response(JSON, answers(MODERN_LIST)), "resultType" },
        { "an id of null where the revision leaves it out", request({ ["MCP-Protocol-Version"] = "2025-11-25" }, "x"),
            response(JSON, NULL_ID, 400), "JSONRPCMessage of 2025%-11%-25" },
        { "an answer to nobody", request({}, asks("ping")), response(JSON, answers(json.object({}), 2)), "not asked" },
        { "an answer to ping with something in it", request({}, asks("ping")), response(JSON, answers({ x = 1 })), "empty" },
        { "a body to a notification", request({}, { jsonrpc = "2.0", method = "notifications/x" }),
            response(JSON, "null", 202), "202" },
        { "no JSON", request({}, asks("ping")), response(JSON, "nonsense"), "no JSON" },
        { "half an error", request({}, asks("ping")), response(JSON, '{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}'), "is no" },
        { "a notification that is none of a server's", request({}, asks("ping")),
            response(STREAM, event('{"jsonrpc":"2.0","method":"notifications/initialized"}')), "do not send" },
        { "a request of a server in the stateless revision", request({}, asks("ping", "2026-07-28")),
            response(STREAM, event('{"jsonrpc":"2.0","id":1,"method":"roots/list"}')), "is a request" },
        { "an event without data for those who would read it", request({ ["MCP-Protocol-Version"] = "2025-06-18" }, asks("ping")),
            response(STREAM, event("", "1")), "without data" },
        { "an event of two lines of data", request({}, asks("ping")), response(STREAM, "data: {\ndata: }\n\n"), "several lines" },
        { "a capability error without its data", request({}, asks("tools/call", "2026-07-28")),
            response(JSON, '{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"x"}}', 400), "MissingRequired" },
    }
    for _, case in ipairs(WRONG) do
        it("complains of " .. case[1], function()
            local said = assert(complaint(case[2], case[3]), "no complaint")
            assert.matches(case[4], said)
        end)
    end

    it("knows the revision of a session from its beginning, on every later connection", function()
        local hello = { protocolVersion = "2025-03-26", capabilities = {}, serverInfo = { name = "x", version = "1" } }
        local headers = { ["Content-Type"] = "application/json", ["Mcp-Session-Id"] = "spec-session" }
        assert.is_nil(complaint(request({}, asks("initialize")), response(headers, answers(hello))))
        local later = request({ ["Mcp-Session-Id"] = "spec-session" }, asks("tools/list"))
        assert.matches("of 2025%-03%-26", complaint(later, response(JSON, answers(BAD_LIST))))
        local listening = request({ ["Mcp-Session-Id"] = "spec-session" }, nil, "GET")
        assert.matches("of 2025%-03%-26", complaint(listening, response(STREAM, event(answers(BAD_LIST)))))
    end)

    it("sees the answers of a connection one after the other, however they are cut", function()
        local two = request({}, asks("ping")) .. request({}, asks("tools/list"))
        local all = response(JSON, answers(json.object({}))) .. response(JSON, answers(BAD_LIST))
        local one, said = tap.new(), nil
        for byte in two:gmatch(".") do one.sent(byte) end
        for byte in all:gmatch(".") do
            local ok, why = pcall(one.came, byte)
            said = said or (not ok and why)
        end
        assert.matches("ListToolsResult", said)
    end)

    it("is there on every connection, without a word of the spec", function()
        local listener = assert(socket.bind("127.0.0.1", 0))
        local connection = http.connect("127.0.0.1", select(2, listener:getsockname()))
        connection:send(request({}, asks("tools/list")))
        local peer = assert(listener:accept())
        peer:send(response(JSON, answers(BAD_LIST)))
        local ok, why = pcall(connection.read_response, connection)
        assert.is_false(ok)
        assert.matches("ListToolsResult", why)
        connection:close()
        peer:close()
        listener:close()
    end)

    it("is there for what comes on a pipe", function()
        local question = json.encode(asks("tools/list")) .. "\n"
        assert.has_error(function() conversation.check_lines(question, answers(BAD_LIST) .. "\n") end)
        assert.has_error(function() conversation.check_lines(question, "a line of a log\n") end)
        conversation.check_lines(question, answers(LIST) .. "\n")
    end)
end)
