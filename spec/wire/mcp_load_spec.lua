--- What clients leave behind: sessions that nobody ends, streams that nobody listens to any more.
local http = require("spec.support.http")
local json = require("json")
local mcp = require("spec.support.mcp")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local STREAMS_MAX = 4096 -- of one server

-- A sanitizer keeps what is freed for a while; here memory is what is in use.
local SHORT_MEMORY = (os.getenv("ASAN_OPTIONS") or "") .. ":quarantine_size_mb=1"

describe("M09 clients that never say goodbye", function()
    local s
    after_each(function() s:stop() end)

    it("cost nothing: 20,000 sessions without DELETE leave memory and descriptors as they were", function()
        s = server.start({ env = { ASAN_OPTIONS = SHORT_MEMORY } })
        local hello = http.format({
            method = "POST", path = "/mcp",
            headers = {
                Authorization = "Bearer " .. s.token, Accept = "application/json, text/event-stream",
                ["Content-Type"] = "application/json",
            },
            body = json.encode({ jsonrpc = "2.0", id = 1, method = "initialize", params = {
                protocolVersion = "2025-11-25", capabilities = { roots = {} }, clientInfo = { name = "spec", version = "1" },
            } }),
        })
        local connection = s:connect()
        local function begin(count)
            local id
            for _ = 1, count // 100 do
                connection:send(hello:rep(100))
                for _ = 1, 100 do id = assert(connection:read_response("POST")).headers["mcp-session-id"] end
            end
            return id
        end
        begin(2000) -- what the first requests leave behind is no session's
        local memory, descriptors = s:status("VmRSS"), s:descriptors()
        local id = begin(20000)
        local more = (s:status("VmRSS") - memory) * 1024
        assert.equal(descriptors, s:descriptors())
        assert.is_true(more < 20000 * #id, ("%d bytes for %d sessions, whose ids alone are %d each"):format(more, 20000, #id))
        connection:close()
    end)

    it("take the place of those who left: every stream but the last can be open, and closed ones make room", function()
        s = server.start({ env = { SANDSTORM_MAX_CONNECTIONS = "6000" }, wrap = { "prlimit", "--nofile=8192:", "--" } })
        tmp.shell("prlimit --pid $PPID --nofile=8192:")
        local client, before = mcp.session(s, "2025-11-25"), s:descriptors()
        for _ = 1, 2 do
            local open = {}
            for i = 1, STREAMS_MAX do
                open[i] = client:listen()
                assert.equal(200, open[i].status)
            end
            local refused = client:listen()
            assert.same({ 503, "There are too many streams" }, { refused.status, refused:next().error.message })
            assert.same({}, client:result("ping"))
            -- A reset is seen at once; one that was only closed, when the next sign of life goes out to it.
            for i, stream in ipairs(open) do stream.connection[i > 1 and "reset" or "close"](stream.connection) end
            refused:close()
            assert(program.wait_until(function() return s:descriptors() <= before end), "descriptors stay")
        end
        assert.equal(204, client:finish())
        assert.equal(404, client:listen().status)
    end)
end)
