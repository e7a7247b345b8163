local exposition = require("spec.support.exposition")
local server = require("spec.support.server")
local sessions = require("spec.support.sessions")

describe("the reader of these specs", function()
    for why, text in pairs({
        ["sample without TYPE"] = "# HELP a_total x\na_total 1\n", ["a counter ends"] = "# HELP a x\n# TYPE a counter\na 1\n",
        ["sample twice"] = '# HELP a x\n# TYPE a gauge\na{b="1"} 1\na{b="1"} 2\n',
            ["escape"] = '# HELP a x\n# TYPE a gauge\na{b="\\x"} 1\n',
        ["no number"] = "# HELP a x\n# TYPE a gauge\na x1\n", ["TYPE twice"] = "# TYPE a gauge\n# TYPE a gauge\na 1\n",
        ["totals"] = '# HELP h x\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n',
        ["buckets"] = '# HELP h x\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
        ["one piece"] = "# HELP a x\n# TYPE a gauge\na 1\n# HELP b x\n# TYPE b gauge\nb 1\na 2\n",
            ["does not end"] = "# HELP a x",
    }) do
        it("refuses: " .. why, function()
            local ok, message = pcall(exposition.read, text)
            assert.is_false(ok)
            assert.matches(why, message, 1, true)
        end)
    end
end)

describe("GET /metrics", function()
    local s

    setup(function() s = server.start() end)
    teardown(function() s:stop() end)

    local function scrape()
        local response = s:request({ path = "/metrics" })
        assert.equal(200, response.status)
        assert.equal("text/plain; version=0.0.4; charset=utf-8", response.headers["content-type"])
        return exposition.read(response.body)
    end

    local function value(families, name, labels) return exposition.value(families, name, labels) or 0 end

    it("asks for the token of /mcp", function()
        assert.equal(401, s:request({ path = "/metrics", headers = { Authorization = false } }).status)
        assert.equal(401, s:request({ path = "/metrics", headers = { Authorization = "Bearer x" } }).status)
        assert.equal(405, s:request({ method = "POST", path = "/metrics" }).status)
    end)

    it("can be read by a strict reader, before and after everything happened", function()
        scrape()
        s:call("terminal_exec", { command = "exit 1" })
        s:call("file_read", { path = "nothing" })
        scrape()
    end)

    it("counts calls by tool and outcome, with their time and bytes", function()
        local labels = { tool = "terminal_exec", outcome = "ok" }
        local before = scrape()
        s:call("terminal_exec", { command = "sleep 0.02" })
        s:call("terminal_exec", { command = "true" })
        s:rpc("tools/call", { name = "no_such_tool_at_all", arguments = {} })
        s:call("terminal_exec", { command = 5 })
        local after = scrape()
        assert.equal(2, value(after, "sandstorm_tool_calls_total", labels) - value(before, "sandstorm_tool_calls_total", labels))
        labels.outcome = "refused"
        assert.equal(1, value(after, "sandstorm_tool_calls_total", labels) - value(before, "sandstorm_tool_calls_total", labels))
        local samples = {}
        for _, sample in ipairs(after.sandstorm_tool_call_duration_seconds.samples) do
            if sample.labels.tool == "terminal_exec" then samples[sample.name .. (sample.labels.le or "")] = sample.value end
        end
        assert.is_true(samples["sandstorm_tool_call_duration_seconds_sum"] >= 0.02)
        assert.is_true(value(after, "sandstorm_tool_bytes_total", { tool = "terminal_exec", direction = "out" }) > 100)
        for _, sample in ipairs(after.sandstorm_tool_calls_total.samples) do
            assert.not_equal("no_such_tool_at_all", sample.labels.tool)
        end
    end)

    it("counts responses, decisions about bearers, sessions, children and jobs", function()
        local before = scrape()
        s:request({ path = "/mcp", headers = { Authorization = false } })
        s:request({ path = "/mcp", headers = { Authorization = "Bearer wrong" } })
        s:request({ path = "/mcp", headers = { Authorization = "Basic x" } })
        sessions.ask(s, "POST", "/session/create", { type = "t" }, { Authorization = "Bearer wrong" })
        local id = sessions.create(s)
        sessions.exec(s, id, "exit 3")
        local pid = s:call("terminal_exec_background", { command = "sleep 300" }).structuredContent.pid
        local after = scrape()
        local function grew(name, labels) return value(after, name, labels) - value(before, name, labels) end
        for outcome, count in pairs({ missing = 1, refused = 1, malformed = 1 }) do
            assert.equal(count, grew("sandstorm_auth_total", { area = "mcp", outcome = outcome }), outcome)
        end
        assert.equal(1, grew("sandstorm_auth_total", { area = "session", outcome = "refused" }))
        assert.equal(4, grew("sandstorm_http_responses_total", { status = "401" }))
        assert.equal(1, grew("sandstorm_http_responses_total", { status = "201" }))
        assert.equal(1, value(after, "sandstorm_sessions", { status = "ready" }))
        assert.equal(1, grew("sandstorm_sessions_created_total"))
        assert.equal(1, grew("sandstorm_session_commands_total", { outcome = "error" }))
        assert.same({ 1, 1 }, { value(after, "sandstorm_processes"), value(after, "sandstorm_background_jobs") })
        s:call("terminal_kill", { pid = pid })
        sessions.ask(s, "DELETE", "/session/" .. id)
        after = scrape()
        assert.equal(1, grew("sandstorm_sessions_cleaned_total", { by = "request" }))
        assert.is_nil(exposition.value(after, "sandstorm_sessions", { status = "ready" }))
    end)

    it("tells of the loop, the scripts and the process", function()
        local families = scrape()
        for _, name in ipairs({ "sandstorm_fibers", "sandstorm_lua_memory_bytes", "process_resident_memory_bytes",
            "sandstorm_http_connections" }) do
            assert.is_true(value(families, name) > 0, name)
        end
        assert.equal(1, value(families, "sandstorm_script_generation"))
        assert.equal(0, value(families, "sandstorm_script_failed"))
        assert.is_truthy(families.sandstorm_streams)
        assert.is_true(os.time() - value(families, "process_start_time_seconds") < 600)
    end)
end)
