--- Measures tools/call of a trivial tool against the bare loop, idle memory and the time to the first answer.
local uv = require("luv")
local http = require("spec.support.http")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local SECONDS = tonumber(arg[1])
local CONNECTIONS = { 1, 16, 64 }
local STARTS = 15

-- The program on one core, the load on another, where there are two.
local two_cores = #uv.cpu_info() > 1
local function on_core(core, command) return two_cores and { "taskset", "-c", core, table.unpack(command) } or command end

local QUIET = { "sh", "-c", 'exec "$@" >/dev/null', "sh" }

local BODY = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}'

local function check_answer(port, token)
    local connection = http.connect("127.0.0.1", port)
    local headers = { Authorization = "Bearer " .. token, ["Content-Type"] = "application/json" }
    local response = connection:request({ method = "POST", path = "/mcp", body = BODY, headers = headers })
    connection:close()
    assert(response.body:find('"text":"hello"', 1, true), response.body)
end

--- Requests a second and the 99th percentile as wrk prints it.
local function load(port, connections, token)
    check_answer(port, token)
    local command = ("BENCH_BODY='%s' BENCH_TOKEN=%s %s wrk -t1 -c%d -d%ds --latency -s spec/bench/post.lua %s")
        :format(BODY, token, two_cores and "taskset -c 1" or "", connections, SECONDS,
            ("http://127.0.0.1:%d/mcp"):format(port))
    local output = tmp.shell(command)
    local bad = output:match("Non%-2xx[^\n]*") or output:match("Socket errors:[^\n]*")
    if bad then error(bad) end
    return tonumber(output:match("Requests/sec:%s*([%d.]+)")), output:match("99%%%s+(%S+)")
end

local function start_server()
    local wrap = on_core("0", QUIET)
    return server.start({ tools = "spec/bench/tools.lua", wrap = wrap })
end

local function start_bare()
    local port = server.free_port()
    local command = on_core("0", { program.root .. "/build/spec/bench/bench-bare", tostring(port) })
    return program.spawn({ command = command }), port
end

--- Milliseconds from the start of the process to the answer of its first tools/list.
local function first_answer()
    local port = server.free_port()
    local began = uv.hrtime()
    local s = server.start({ tools = "spec/bench/tools.lua", port = port, wrap = QUIET, poll_ms = 0 })
    s:rpc("tools/list")
    local took = (uv.hrtime() - began) / 1e6
    s:stop()
    return took
end

local function median(list)
    table.sort(list)
    return list[(#list + 1) // 2]
end

local function throughput()
    print("connections   bare req/s      p99   server req/s      p99   server/bare")
    for _, connections in ipairs(CONNECTIONS) do
        local bare, port = start_bare()
        program.wait_until(function() return server.accepts("127.0.0.1", port) end)
        local bare_rate, bare_p99 = load(port, connections, "none")
        bare:signal_with("sigterm")
        bare:wait()

        local s = start_server()
        local rate, p99 = load(s.port, connections, s.token)
        s:stop()
        print(("%11d %12.0f %8s %14.0f %8s %13.2f")
            :format(connections, bare_rate, bare_p99, rate, p99, rate / bare_rate))
    end
end

local function footprint()
    local s = server.start({ wrap = QUIET })
    s:rpc("tools/list")
    print(("idle memory, shipped tools: %.1f MB resident"):format(s:status("VmRSS") / 1024))
    s:stop()
    local starts = {}
    for i = 1, STARTS do starts[i] = first_answer() end
    print(("start to first answer: %.1f ms (median of %d)"):format(median(starts), STARTS))
end

throughput()
footprint()
