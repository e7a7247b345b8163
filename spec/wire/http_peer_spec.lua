-- Clients that go away, or stop reading, at every moment.
local cjson = require("cjson")
local program = require("spec.support.program")
local rest = require("spec.support.rest")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local wire = require("spec.support.wire")

describe("H09 a client", function()
    local s, descriptors
    setup(function()
        s = server.start()
        s:call("terminal_exec", { command = "head -c 8000000 /dev/zero | tr '\\0' x > big" })
        assert.same({}, s:rpc("ping").result)
        descriptors = s:descriptors()
    end)
    teardown(function() s:stop() end)

    -- Nothing of the clients is left and others are served.
    local function assert_recovered()
        assert.is_true(program.wait_until(function() return s:descriptors() <= descriptors end), "descriptors are left")
        assert.same({}, s:rpc("ping").result)
    end

    local function wait_for(name)
        assert.is_true(program.wait_until(function() return tmp.read(s.workspace .. "/" .. name) ~= nil end))
    end

    local function file_read()
        return (wire.exec(s, ""):gsub('"name":"terminal_exec"', '"name":"file_read"')
            :gsub('{"command":""}', '{"path":"big"}'):gsub("Content%-Length: %d+", function(length)
                return "Content-Length: " .. tonumber(length:match("%d+")) - #"terminal_exec" - #'{"command":""}'
                    + #"file_read" + #'{"path":"big"}'
            end))
    end

    it("that resets before the reply, 1000 times", function()
        for _ = 1, 10 do
            local clients = {}
            for i = 1, 100 do
                clients[i] = s:connect()
                clients[i]:send(wire.exec(s, i % 10 == 0 and "sleep 0.2" or "true"))
            end
            for _, client in ipairs(clients) do client:reset() end
        end
        assert_recovered()
    end)

    it("that closes before the reply", function()
        for i = 1, 200 do
            local client = s:connect()
            client:send(wire.exec(s, i % 10 == 0 and "sleep 0.2" or "true"))
            client:close()
        end
        assert_recovered()
    end)

    it("that goes in the middle of a request", function()
        local request = wire.exec(s, "true")
        for length = 1, #request - 1, 3 do
            local client = s:connect()
            client:send(request:sub(1, length))
            if length % 2 == 0 then client:reset() else client:close() end
        end
        assert_recovered()
    end)

    it("that goes in the middle of a long reply", function()
        for i = 1, 20 do
            local client = s:connect()
            client:send(file_read())
            assert.equal(200, client:read_head().status)
            if i % 2 == 0 then client:reset() else client:close() end
        end
        assert_recovered()
    end)

    it("that reads a long reply slowly gets all of it", function()
        local client = s:connect()
        client:send(file_read())
        local head = client:read_head()
        assert.is_true(rest.comes(s.process.pid)) -- it has sent what fits and waits
        local body = client:read(tonumber(head.headers["content-length"]))
        assert.truthy(body:find(("x"):rep(8000000), 1, true))
        client:close()
    end)

    it("that only ends its sending side gets its reply", function()
        local response = wire.answer(s, wire.exec(s, "sleep 0.3; echo late"), { half_close = true })
        assert.truthy(response.body:find("late", 1, true))
    end)

    it("that only ends its sending side gets all replies to what it sent before", function()
        local requests = wire.exec(s, "sleep 0.2; echo 1st") .. wire.exec(s, "echo 2nd") .. wire.exec(s, "sleep 0.1; echo 3rd")
        local responses = wire.answers(s, requests, { half_close = true })
        assert.equal(3, #responses)
        for i, word in ipairs({ "1st", "2nd", "3rd" }) do assert.truthy(responses[i].body:find(word, 1, true)) end
    end)

    it("that ends its sending side in the middle of a request is told", function()
        assert.equal(400, wire.answer(s, "GET /health HT", { half_close = true }).status)
        local request = wire.exec(s, "true")
        assert.equal(400, wire.answer(s, request:sub(1, -2), { half_close = true }).status)
    end)

    it("that resets does not end the call, as long as the protocol says so", function()
        local client = s:connect()
        client:send(wire.exec(s, "touch begun; sleep 0.5; touch ended"))
        wait_for("begun")
        client:reset()
        wait_for("ended")
        assert_recovered()
    end)

    local function calls_of(tool)
        local count = 0
        for _, line in ipairs(s:log()) do
            if line.tool == tool then count = count + 1 end
        end
        return count
    end

    it("that asks again and again and never reads is not read any more, and gets no more answers made", function()
        local before = calls_of("file_read")
        local client = s:connect()
        client:patience(1)
        local request, sent, why = file_read(), 0, nil
        while sent < 64 * 1024 * 1024 and not why do
            local ok
            ok, why = client:send(request:rep(500))
            if ok then sent = sent + #request * 500 end
        end
        assert.equal("timeout", why)
        assert.same({}, s:rpc("ping").result)
        assert.is_true(calls_of("file_read") - before <= 2)
        client:reset()
        assert_recovered()
    end)
end)

describe("a client among others", function()
    local s
    setup(function() s = server.start({ env = { SANDSTORM_LIBRARY = program.root .. "/spec/fixtures/library" } }) end)
    teardown(function() s:stop() end)

    local function get(path) return ("GET %s HTTP/1.1\r\nHost: x\r\n\r\n"):format(path) end
    local function json(path, headers) return cjson.decode(s:request({ method = "GET", path = path, headers = headers }).body) end

    -- A connection that the server knows already.
    local function known()
        local connection = s:connect()
        connection:send(get("/held"))
        assert(connection:read_response("GET"))
        return connection
    end

    -- What the clients send meanwhile comes to the server in one turn of its loop.
    local function at_one_time(send)
        s.process:signal_with("sigstop")
        send()
        s.process:signal_with("sigcont")
    end

    it("waits for 32 requests of another one that sends more at once, and no longer", function()
        local greedy, modest = known(), known()
        at_one_time(function()
            greedy:send(get("/arrive?"):rep(500))
            modest:send(get("/arrive?modest"))
        end)
        assert(modest:read_response("GET"))
        for _ = 1, 500 do assert(greedy:read_response("GET")) end
        assert.is_true(json("/arrived?modest")[1] <= 33)
        greedy:close()
        modest:close()
    end)

    it("that resets together with its request leaves no connection behind, though its handler goes on", function()
        local before = s:descriptors()
        local connection = known()
        at_one_time(function()
            connection:send(get("/hold"))
            connection:reset()
        end)
        assert.is_true(program.wait_until(function() return json("/held")[1] end))
        assert.is_true(program.wait_until(function() return s:descriptors() <= before end))
    end)

    it("has the address that the nearest proxy saw, however long the list before it", function()
        local function client(...)
            local request = "GET /client HTTP/1.1\r\nHost: x\r\n"
            for _, value in ipairs({ ... }) do request = request .. "X-Forwarded-For: " .. value .. "\r\n" end
            return cjson.decode(wire.answer(s, request .. "Connection: close\r\n\r\n").body)[1]
        end
        local strangers = ("192.0.2.1, "):rep(300)
        assert.equal("203.0.113.9", client("203.0.113.9"))
        assert.equal("203.0.113.9", client(strangers .. "203.0.113.9"))
        assert.equal("203.0.113.9", client(strangers .. "192.0.2.1", "203.0.113.9"))
        assert.equal("203.0.113.9", client(("192.0.2.1, "):rep(150) .. "192.0.2.1", ("192.0.2.2, "):rep(50) .. "203.0.113.9"))
        assert.equal("203.0.113.9", client("192.0.2.1, 203.0.113.9, 127.0.0.1", "::1"))
        for length = 0, 16 do -- wherever it is cut, half an address is none
            local list = "203.0.113.99" .. (" "):rep(length) .. (",127.0.0.1"):rep(203)
            local address = client(list)
            assert.is_true(address == "203.0.113.99" or address == "127.0.0.1", address)
        end
    end)
end)
