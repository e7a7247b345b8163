--- MCP over HTTP as clients meet it: the messages of the recorded server (its statuses, or the better ones that were
--- decided on), and the field's cases about whole conversations.
local http = require("spec.support.http")
local json = require("json")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local wire = require("spec.support.wire")

local VERSION = "io.modelcontextprotocol/protocolVersion"
local CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

local TOOLS = [==[
local clock = require("clock")
local text = { type = "object", properties = { marker = { type = "string" }, ms = { type = "integer" } } }
tool { name = "echo", description = "Answers late", input = text, handler = function(args)
  if args.ms then clock.sleep(args.ms) end
  return args.marker or ""
end }
tool { name = "raises", description = "Raises", input = { type = "object", properties = { what = { type = "string" } } },
  handler = function(args)
    if args.what == "table" then error({ secret = 1 }) end
    if args.what == "nil" then error(nil) end
    error("boom")
  end }
tool { name = "ends", description = "Line ends", input = { type = "object" }, handler = function()
  return "a\nb\rc\r\nd\u{2028}e\u{2029}f\u{85}g\0h\27[31m\ndata: x\n\n"
end }
tool { name = "cycle", description = "Cannot be JSON", input = { type = "object" }, handler = function()
  local t = {}
  t.t = t
  return { content = "x", structured = t }
end }
]==]

local function ping(id) return ('{"jsonrpc":"2.0","id":%s,"method":"ping"}'):format(id) end

-- name; body; status; error code, or the id of a good answer; headers
local EXCHANGES = {
    { "a number as id", ping(1), 200, { id = 1 } },
    { "a string as id", ping('"abc-ü"'), 200, { id = "abc-ü" } },
    { "an empty string as id", ping('""'), 200, { id = "" } },
    { "a negative id", ping(-5), 200, { id = -5 } },
    { "an id beyond the integers of a double", ping("9007199254740993"), 200, { id = 9007199254740993 } },
    { "an id with a fraction", ping("1.5"), 400, -32600 },
    { "an id of 1.0", ping("1.0"), 400, -32600 },
    { "an id of null", ping("null"), 400, -32600 },
    { "an id of true", ping("true"), 400, -32600 },
    { "an object as id", ping("{}"), 400, -32600 },
    { "params that are an array", '{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}', 400, -32602 },
    { "one name twice", '{"jsonrpc":"2.0","id":3,"id":4,"method":"ping"}', 400, -32700 },
    { "half a message", '{"jsonrpc":"2.0","id":3,', 400, -32700 },
    { "an empty body", "", 400, -32700 },
    { "a number as message", "5", 400, -32600 },
    { "null as message", "null", 400, -32600 },
    { "something after the message", ping(3) .. " x", 400, -32700 },
    { "NaN", '{"jsonrpc":"2.0","id":3,"method":"ping","params":{"n":NaN}}', 400, -32700 },
    { "bytes that are not UTF-8", '{"jsonrpc":"2.0","id":3,"method":"ping","x":"\xff"}', 400, -32700 },
    { "J08 two requests in an array", "[" .. ping(1) .. "," .. ping(2) .. "]", 400, -32600,
        { ["MCP-Protocol-Version"] = "2025-06-18" } },
    { "J08 an empty array", "[]", 400, -32600 },
    { "J05 a million levels", '{"a":' .. ("["):rep(1000000) .. ("]"):rep(1000000) .. "}", 400, -32700 },
    { "a message without version", '{"id":3,"method":"ping"}', 400, -32600 },
    { "a method that is a number", '{"jsonrpc":"2.0","id":3,"method":5}', 400, -32600 },
    { "no method", '{"jsonrpc":"2.0","id":3}', 400, -32600 },
    { "an unknown method", '{"jsonrpc":"2.0","id":3,"method":"foo/bar"}', 200, -32601 },
    { "M05 a notification", '{"jsonrpc":"2.0","method":"notifications/initialized"}', 202 },
    { "M05 an unknown notification", '{"jsonrpc":"2.0","method":"notifications/nope"}', 202 },
    { "M05 a cancellation of nothing", '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}', 202 },
    { "M05 an answer", '{"jsonrpc":"2.0","id":7,"result":{}}', 202 },
    { "M05 an error", '{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"x"}}', 202 },
    { "a media type with charset", ping(1), 200, { id = 1 }, { ["Content-Type"] = "application/json; charset=utf-8" } },
    { "a media type in upper case", ping(1), 200, { id = 1 }, { ["Content-Type"] = "Application/JSON" } },
    { "a media type that begins like it", ping(1), 415, nil, { ["Content-Type"] = "application/json-patch+json" } },
    { "another media type", ping(1), 415, nil, { ["Content-Type"] = "text/plain" } },
    { "no Accept", ping(1), 200, { id = 1 }, { Accept = false } },
    { "any Accept", ping(1), 200, { id = 1 }, { Accept = "*/*" } },
    { "Accept for JSON alone", ping(1), 200, { id = 1 }, { Accept = "application/json" } },
    { "Accept for a stream alone", ping(1), 200, { id = 1 }, { Accept = "text/event-stream" } },
    { "Accept for a page", ping(1), 406, -32600, { Accept = "text/html" } },
    { "each revision of the handshake", ping(1), 200, { id = 1 }, { ["MCP-Protocol-Version"] = "2024-11-05" } },
    { "a revision that never was", ping(1), 400, -32022, { ["MCP-Protocol-Version"] = "1999-01-01" } },
    { "the stateless revision without _meta", ping(1), 400, -32602, { ["MCP-Protocol-Version"] = "2026-07-28" } },
    { "M17 a session that nobody opened", ping(1), 404, -32001, { ["Mcp-Session-Id"] = "abc" } },
}

describe("POST /mcp", function()
    local s

    setup(function() s = server.start({ tools = tmp.file("tools.lua", TOOLS) }) end)
    teardown(function() s:stop() end)

    local function post(body, headers)
        local all = { Accept = "application/json, text/event-stream" }
        for name, value in pairs(headers or {}) do all[name] = value or nil end
        return s:request({ method = "POST", path = "/mcp", body = body, headers = all })
    end

    local function message_of(response)
        local text = response.body
        if response.headers["content-type"] == "text/event-stream" then text = http.events(text)[1].data end
        return json.decode(text)
    end

    local function call(name, arguments, headers)
        local request = { jsonrpc = "2.0", id = 1, method = "tools/call", params = { name = name, arguments = arguments } }
        return message_of(post(json.encode(request), headers))
    end

    for _, exchange in ipairs(EXCHANGES) do
        local name, body, status, expected, headers = table.unpack(exchange, 1, 5)
        it("answers " .. name, function()
            local response = post(body, headers)
            assert.equal(status, response.status)
            if status == 202 then assert.equal("", response.body) end
            if type(expected) == "number" then assert.equal(expected, message_of(response).error.code) end
            if type(expected) == "table" then
                assert.same({ jsonrpc = "2.0", id = expected.id, result = {} }, message_of(response))
            end
        end)
    end

    it("answers at /mcp/ too, and other methods with 405", function()
        local headers = { Accept = "application/json" }
        assert.equal(200, s:request({ method = "POST", path = "/mcp/", body = ping(1), headers = headers }).status)
        for _, method in ipairs({ "GET", "DELETE", "PUT", "PATCH", "HEAD" }) do
            local response = s:request({ method = method, path = "/mcp", headers = headers })
            assert.equal(405, response.status)
            assert.matches("POST", response.headers.allow)
        end
    end)

    it("serves the stateless revision beside the others", function()
        local meta = { [VERSION] = "2026-07-28", [CAPABILITIES] = json.object({}) }
        local function modern(method, params, name)
            params._meta = meta
            local body = json.encode({ jsonrpc = "2.0", id = 1, method = method, params = params })
            return post(body, { ["MCP-Protocol-Version"] = "2026-07-28", ["mcp-METHOD"] = method, ["Mcp-Name"] = name })
        end
        assert.same({ listChanged = true }, message_of(modern("server/discover", {})).result.capabilities.tools)
        assert.equal("echo", message_of(modern("tools/list", {})).result.tools[1].name)
        local params = { name = "echo", arguments = { marker = "x" } }
        local result = message_of(modern("tools/call", params, " =?base64?ZWNobw==?= ")).result
        assert.equal("complete", result.resultType)
        assert.equal("x", result.content[1].text)
        local refused = modern("tools/call", { name = "echo" }, "other")
        assert.equal(400, refused.status)
        assert.equal(-32020, message_of(refused).error.code)
        assert.equal(404, modern("ping", {}).status)
    end)

    it("M13 tells what went wrong, and nothing of the inside", function()
        assert.equal(-32602, call("ecko", {}).error.code)
        for _, what in ipairs({ "string", "table", "nil" }) do
            local result = call("raises", { what = what }).result
            assert.is_true(result.isError)
            local id = result.content[1].text:match("^Internal error in raises; the server's log has it under (%x+)$")
            local line = s:wait_log(function(line) return line.incident == id end)
            assert.equal("raises", line.tool)
            assert.matches("tools.lua:%d+", line.trace)
        end
        assert.matches("Internal error in cycle", call("cycle").result.content[1].text)
        assert.matches("^ms: expected an integer", call("echo", { ms = "soon" }).result.content[1].text)
    end)

    it("M15 keeps every line end inside of the JSON, in both forms of an answer", function()
        local expected = "a\nb\rc\r\nd\u{2028}e\u{2029}f\u{85}g\0h\27[31m\ndata: x\n\n"
        for _, accept in ipairs({ "application/json", "text/event-stream" }) do
            local request = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ends"}}'
            local response = post(request, { Accept = accept })
            assert.equal(expected, message_of(response).result.content[1].text)
            local json_text = response.body:match("{.*}")
            for _, raw in ipairs({ "\n", "\r", "\0", "\27", "\u{2028}", "\u{2029}", "\u{85}" }) do
                assert.is_nil(json_text:find(raw, 1, true))
            end
        end
    end)

    -- Sends a call that answers with its marker after a while.
    local function send_marker(connection, id, number)
        connection:send(http.format({
            method = "POST", path = "/mcp",
            headers = { Authorization = "Bearer " .. s.token, ["Content-Type"] = "application/json" },
            body = json.encode({
                jsonrpc = "2.0", id = id, method = "tools/call",
                params = { name = "echo", arguments = { marker = "m" .. number, ms = (number * 7) % 50 } },
            }),
        }))
    end

    it("M03 gives every client its own answer, although all use the same id", function()
        local open = {}
        for number = 1, 40 do
            open[number] = { connection = s:connect(), id = number % 2 == 0 and 1 or "1" }
            send_marker(open[number].connection, open[number].id, number)
        end
        for number, client in ipairs(open) do
            local answer = json.decode(client.connection:read_response().body)
            assert.equal("m" .. number, answer.result.content[1].text)
            assert.equal(client.id, answer.id)
            client.connection:close()
        end
    end)
end)

describe("the shipped tools", function()
    local s

    setup(function() s = server.start() end)
    teardown(function() s:stop() end)

    it("M08 a command that takes long leaves everything else responsive, and its client an open stream", function()
        local slow = wire.begin(s, "terminal_exec", { command = "until [ -e go ]; do sleep 0.05; done; echo gone" })
        for _ = 1, 20 do
            assert.same({}, s:rpc("ping").result)
            assert.equal("Created directory " .. s.workspace .. "/d", (s:text("file_mkdir", { path = "d" })))
            assert.equal(200, s:request({ path = "/health" }).status)
        end
        assert.equal("text/event-stream", slow:read_head().headers["content-type"]) -- comes while the command still runs
        s:call("file_write", { path = "go", content = "" })
        local answer = json.decode(slow:read_event().data)
        assert.equal(1, answer.id)
        assert.equal("gone\n", answer.result.structuredContent.stdout)
        slow:close()
    end)

    it("F16 every listed name can be read and deleted, whatever its bytes", function()
        s:call("terminal_exec", {
            command = [[mkdir n; cd n; for f in $'a\xff' $'a\xfe' $'two\nlines' -dash "$(printf '%0255d' 0)" $'it\'s\xff' 'ü'; do
                printf '%s' "$f" | od -An -tx1 > "./$f"; done]],
        })
        local listing = s:text("file_list", { path = "n", recursive = true })
        local paths = {}
        for path in listing:gsub("two\nlines", "two\0lines"):gmatch("[^\n]+") do paths[#paths + 1] = path:gsub("%z", "\n") end
        assert.equal(8, #paths)
        table.remove(paths, 1)
        local seen = {}
        for _, path in ipairs(paths) do
            local bytes = s:text("file_read", { path = path })
            assert.is_nil(seen[bytes])
            seen[bytes] = true
            s:call("file_delete", { path = path })
        end
        assert.equal(s.workspace .. "/n\n", (s:text("file_list", { path = "n", recursive = true })))
    end)

    it("F11 ranges of lines read as the whole file does", function()
        s:call("terminal_exec", {
            command = "line=$(printf '€%.0s' {1..500}); for i in {1..3000}; do echo $line$i; done > big.txt",
        })
        local whole = s:text("file_read", { path = "big.txt" })
        local parts, offset = {}, 1
        repeat
            local result = s:call("file_read", { path = "big.txt", offset = offset, limit = 700 })
            parts[#parts + 1] = result.content[1].text
            offset = result.structuredContent.last_line + 1
        until not result.structuredContent.more
        assert.equal(5, #parts)
        assert.equal(whole, table.concat(parts))
    end)

    it("a range of lines is found in a file of millions", function()
        tmp.shell("yes | head -n 15000000 > " .. tmp.quote(s.workspace .. "/long"))
        local result = s:call("file_read", { path = "long", offset = 14999999 })
        assert.equal("y\ny\n", result.content[1].text)
        assert.equal(15000000, result.structuredContent.last_line)
    end)

    it("a directory of a hundred thousand files is listed in part, and says so", function()
        local folder = s.workspace .. "/many"
        tmp.shell(("mkdir %s && cd %s && seq 100000 | xargs touch"):format(tmp.quote(folder), tmp.quote(folder)))
        local result = s:call("file_list", { path = "many" })
        assert.is_false(result.isError)
        assert.equal(10002, result.structuredContent.entries) -- with . and ..
        assert.is_false(result.structuredContent.complete)
    end)

    it("describes each call in the log, without its arguments", function()
        s:call("file_write", { path = "a", content = "private" })
        local line = s:wait_log(function(line) return line.tool == "file_write" end)
        assert.equal("ok", line.outcome)
        assert.equal("legacy", line.era)
        assert.is_number(line.duration_ms)
        assert.is_true(line.bytes_in > 0 and line.bytes_out > 0)
        assert.is_nil(s.process:stdout():find("private", 1, true))
    end)
end)
