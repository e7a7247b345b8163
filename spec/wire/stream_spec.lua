local cjson = require("cjson")
local http = require("spec.support.http")
local program = require("spec.support.program")
local rest = require("spec.support.rest")
local server = require("spec.support.server")

describe("stream", function()
    local s

    setup(function()
        s = server.start({ env = { SANDSTORM_LIBRARY = program.root .. "/spec/fixtures/library" } })
    end)
    teardown(function() s:stop() end)

    local function get(path) return s:request({ method = "GET", path = path }) end
    local function json(path) return cjson.decode(get(path).body) end

    -- Opens a stream and leaves it open; the text so far is read by `heard`.
    local function open(path)
        local connection = s:connect()
        connection:send(("GET %s HTTP/1.1\r\nHost: x\r\n\r\n"):format(path))
        return connection
    end

    -- Reads on until the text holds `wanted`; returns everything from the connection.
    local function heard(connection, wanted)
        connection.text = connection.text or ""
        while not connection.text:find(wanted, 1, true) do
            local part, why, partial = connection.sock:receive(1)
            part = part or partial
            assert(part and part ~= "", ("no %q but %s: %s"):format(wanted, tostring(why), connection.text))
            connection.text = connection.text .. part
        end
        return connection.text
    end

    it("goes on beyond its handler; what is published reaches it with its tag", function()
        local connection = open("/listen?first")
        local head = heard(connection, "id: first.1\ndata: \n\n")
        assert.matches("Content-Type: text/event-stream", head, 1, true)
        assert.matches("X-Kind: listen", head, 1, true)
        assert.matches("X-Accel-Buffering: no", head, 1, true)
        assert.matches("retry: 500\n", head, 1, true)
        assert.same({ 1 }, json("/publish?first"))
        heard(connection, 'event: message\nid: first.2\ndata: <"tag">\ndata: second line\n\n')
        assert.same({ 0 }, json("/publish?nobody"))
        connection:close()
    end)

    it("is resumed after any event, by whoever the script lets", function()
        local connection = open("/listen?kept")
        heard(connection, "kept.1")
        for _ = 1, 3 do json("/publish?kept") end
        heard(connection, "kept.4")
        connection:close()
        json("/publish?kept")
        assert.equal("owner of kept", json("/owner?kept.2")[1])
        assert.equal(cjson.null, json("/owner?other.2")[1])
        local again = open("/resume?kept.3")
        local text = heard(again, "kept.5")
        assert.is_nil(text:find("kept.3", 1, true))
        assert.is_truthy(text:find("kept.4", 1, true))
        json("/publish?kept")
        heard(again, "kept.6")
        again:close()
        for _, unknown in ipairs({ "kept.99", "kept.", "kept", "kept.x", "kept.1x", "gone.1", "" }) do
            assert.equal(409, get("/resume?" .. unknown).status, unknown)
        end
    end)

    describe("that is kept", function()
        local kept

        -- A server of its own: what others remember counts.
        before_each(function()
            kept = server.start({ env = { SANDSTORM_LIBRARY = program.root .. "/spec/fixtures/library" } })
        end)
        after_each(function() kept:stop() end)

        local function ask(path) return kept:request({ method = "GET", path = path }) end

        local function fill(name, count, bytes)
            ask(("/fill?%s.%d.%d"):format(name, count, bytes))
            assert.is_true(program.wait_until(function() return cjson.decode(ask("/filled?" .. name).body)[1] end))
        end

        -- The numbers of the events that a client gets which comes back after the first one, and all of it.
        local function after_first(name)
            local text, numbers = ask("/resume?" .. name .. ".1").body, {}
            for position, event in ipairs(http.events(text)) do
                numbers[position] = tonumber(event.id:match("^" .. name .. "%.(%d+)$"))
            end
            return numbers, text
        end

        -- How many events such a client is told to have missed; what it gets is not read.
        local function lost_of(name)
            local connection = kept:connect()
            connection:send(("GET /resume?%s.1 HTTP/1.1\r\nHost: x\r\n\r\n"):format(name))
            local text = heard(connection, "data: x")
            connection:close()
            return tonumber(text:match(": (%d+) events are lost\n\n") or 0)
        end

        it("remembers its newest events; who comes back later is told how many are lost", function()
            fill("many", 300, 1)
            local numbers, text = after_first("many")
            assert.same({ 256, 46, 301 }, { #numbers, numbers[1], numbers[256] })
            assert.matches(": 44 events are lost\n\n", text, 1, true)
        end)

        it("remembers 4 MiB, or one event that is larger", function()
            fill("large", 8, 1 << 20)
            assert.same({ 7, 8, 9 }, (after_first("large")))
            fill("single", 1, 5 << 20)
            assert.same({ 2 }, (after_first("single")))
        end)

        it("remembers no more than 64 MiB together with all others: who remembers most forgets", function()
            fill("small", 3, 100)
            for number = 1, 25 do fill(("s"):rep(number), 3, 1 << 20) end
            local least, most, all = 3, 0, 0
            for number = 1, 25 do
                local lost = lost_of(("s"):rep(number))
                least, most, all = math.min(least, lost), math.max(most, lost), all + lost
            end
            assert.same({ 75 - 63, 0, 1 }, { all, least, most })
            assert.same({ 2, 3, 4 }, (after_first("small")))
        end)

        it("forgets even its only event where that alone is too much", function()
            fill("huge", 1, 64 << 20)
            local numbers, text = after_first("huge")
            assert.same({}, numbers)
            assert.matches(": 1 events are lost\n\n", text, 1, true)
        end)
    end)

    it("gets a single message only once, on the newest stream that has a client", function()
        local old = open("/listen?old")
        heard(old, "old.1")
        local new = open("/listen?new")
        heard(new, "new.1")
        assert.same({ true }, json("/send_one?news"))
        heard(new, "data: one")
        new:close()
        assert.is_true(program.wait_until(function()
            json("/send_one?news")
            old.sock:settimeout(0.05)
            local _, _, partial = old.sock:receive(4096)
            old.text = old.text .. (partial or "")
            return old.text:find("data: one", 1, true) ~= nil
        end))
        assert.same({ false }, json("/send_one?nobody"))
        old:close()
    end)

    it("ends with a last event for its topic", function()
        local connection = open("/listen?ending")
        heard(connection, "ending.1")
        assert.same({ 1 }, json("/end_topic?ending"))
        heard(connection, 'data: ["tag"]\n\n\r\n0\r\n\r\n')
        connection:close()
    end)

    it("says that it lives while it has nothing to say", function()
        local connection = open("/watch?idle")
        heard(connection, "watching")
        heard(connection, ": working\n\n")
        json("/publish?idle")
        heard(connection, "second line")
        connection:close()
    end)

    it("is over when its client closes and it is not kept", function()
        local before = json("/owner?x")[2]
        local connection = open("/watch?closing")
        heard(connection, "data: watching")
        assert.equal(before + 1, json("/owner?x")[2])
        connection:close()
        assert.is_true(program.wait_until(function() return json("/owner?x")[2] == before end))
    end)

    it("D05 ends with the server, which does not wait for it", function()
        local own = server.start({
            env = { SANDSTORM_LIBRARY = program.root .. "/spec/fixtures/library", SANDSTORM_STOP_MS = "86400000" },
        })
        local connection = own:connect()
        connection:send("GET /listen?last HTTP/1.1\r\nHost: x\r\n\r\n")
        heard(connection, "last.1")
        own:stop()
        heard(connection, "0\r\n\r\n")
    end)

    it("carries progress and the answer of a running handler", function()
        local events = http.events(get("/progress").body)
        local data = {}
        for i, event in ipairs(events) do data[i] = event.data end
        assert.same({ '{"step":1}', '{"step":2}', '{"step":3}', '"done"' }, data)
    end)

    it("keeps the answer for a client that was let go meanwhile", function()
        local first = get("/poll")
        assert.equal("poll.1", http.events(first.body)[1].id)
        local answer
        assert.is_true(program.wait_until(function()
            answer = get("/resume?poll.1")
            return answer.status == 200
        end))
        local events = http.events(answer.body)
        assert.equal('"late"', events[#events].data)
    end)

    it("takes over an answer that is late, and only that", function()
        local late = get("/slow?1200")
        assert.equal("text/event-stream", late.headers["content-type"])
        assert.matches("^: working\n\n", late.body)
        assert.equal('"slow"', http.events(late.body)[1].data)
        local quick = get("/slow?0")
        assert.equal("application/json", quick.headers["content-type"])
        assert.equal('"slow"', quick.body)
    end)

    it("waits for a client that reads slowly, and notices when it goes", function()
        local connection = open("/flood")
        heard(connection, "xxx")
        assert.is_true(rest.comes(s.process.pid)) -- it sends no more
        local sent, state = table.unpack(json("/sent"))
        assert.is_true(tonumber(sent) < 4000, sent) -- what there is for a client that reads
        assert.equal("", state)
        connection:close()
        assert.is_true(program.wait_until(function() return json("/sent")[2] == "over" end))
    end)

    describe("of a client that reads nothing", function()
        local own

        setup(function()
            -- Nothing but what waits ends a connection here.
            local env = { SANDSTORM_LIBRARY = program.root .. "/spec/fixtures/library", SANDSTORM_WRITE_MS = "86400000" }
            own = server.start({ env = env })
        end)
        teardown(function() own:stop() end)

        local function ask(path) return cjson.decode(own:request({ method = "GET", path = path }).body) end

        local function watch(topic)
            local connection = own:connect()
            connection:send(("GET /watch?%s HTTP/1.1\r\nHost: x\r\n\r\n"):format(topic))
            connection:read_head()
            assert.equal("watching", connection:read_event().data)
            return connection
        end

        it("keeps 8 MiB for it", function()
            local lazy = watch("lazy")
            for _ = 1, 8 do assert.same({ 1 }, ask("/publish_large?lazy")) end
            local other = watch("other")
            for _ = 1, 2 do heard(other, ": working") other.text = "" end -- streams were looked after twice
            assert.same({ 1 }, ask("/publish?lazy"))
            for _ = 1, 9 do assert(lazy:read_event()) end
            lazy:close()
            other:close()
        end)

        it("is over when more waits", function()
            local before = ask("/owner?x")[2]
            local lazy = watch("lazy")
            for _ = 1, 40 do ask("/publish_large?lazy") end -- more than sockets and 8 MiB hold
            assert.is_true(program.wait_until(function() return ask("/owner?x")[2] == before end))
            lazy:close()
        end)
    end)

    it("brings a message to the handler that waits for it, once", function()
        local connection = open("/ask?key")
        assert.is_true(program.wait_until(function() return json("/answer?key")[1] end))
        heard(connection, '["key","hello"]')
        connection:close()
        assert.same({ false }, json("/answer?key"))
    end)

    it("stops a handler by name, which answers for itself", function()
        local connection = open("/ask?stopped")
        assert.is_true(program.wait_until(function() return json("/stop?stopped")[1] == 1 end))
        heard(connection, "stopped: asked to")
        connection:close()
    end)

    for name, leave in pairs({ ["closes"] = "close", ["resets"] = "reset", ["stops sending"] = "half_close" }) do
        it("stops a handler whose client " .. name .. ", if it wants that", function()
            local connection = open("/ask?left")
            assert.is_true(program.wait_until(function() return json("/waits?left")[1] end))
            connection[leave](connection)
            assert.is_true(program.wait_until(function() return not json("/waits?left")[1] end))
        end)
    end
end)
