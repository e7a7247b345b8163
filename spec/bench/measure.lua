--- Measures tools/call of a trivial tool against the bare loop, idle memory and the time to the first answer.
local uv = require("luv")
local http = require("spec.support.http")
local oauth = require("spec.support.oauth")
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

local LIST = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}'

local function check_answer(port, token)
    local connection = http.connect("127.0.0.1", port)
    local headers = { Authorization = "Bearer " .. token, ["Content-Type"] = "application/json" }
    local response = connection:request({ method = "POST", path = "/mcp", body = BODY, headers = headers })
    connection:close()
    assert(response.body:find('"text":"hello"', 1, true), response.body)
end

--- Processor time that a process has used, in microseconds.
local function cpu_us(pid)
    local fields = tmp.read("/proc/" .. pid .. "/stat"):match("%) (.*)")
    local user, system = fields:match(("%S+ "):rep(11) .. "(%d+) (%d+)")
    return (user + system) * 10000
end

--- What one load gives: requests a second, the 99th percentile as wrk prints it, and processor time a request, which
--- is worth more than the rate where other work disturbs.
local function load(process, port, connections, token, body)
    if not body then check_answer(port, token) end
    local before = cpu_us(process.pid)
    local command = ("BENCH_BODY='%s' BENCH_TOKEN=%s %s wrk -t1 -c%d -d%ds --latency -s spec/bench/post.lua %s")
        :format(body or BODY, token, two_cores and "taskset -c 1" or "", connections, SECONDS,
            ("http://127.0.0.1:%d/mcp"):format(port))
    local output = tmp.shell(command)
    local bad = output:match("Non%-2xx[^\n]*") or output:match("Socket errors:[^\n]*")
    if bad then error(bad) end
    local requests = tonumber(output:match("(%d+) requests in"))
    return {
        rate = tonumber(output:match("Requests/sec:%s*([%d.]+)")),
        p99 = output:match("99%%%s+(%S+)"),
        cpu_us = (cpu_us(process.pid) - before) / requests,
    }
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

local function load_bare(connections)
    local bare, port = start_bare()
    program.wait_until(function() return server.accepts("127.0.0.1", port) end)
    local figures = load(bare, port, connections, "none")
    bare:signal_with("sigterm")
    bare:wait()
    return figures
end

local function load_server(connections)
    local s = start_server()
    local figures = load(s.process, s.port, connections, s.token)
    s:stop()
    return figures
end

local function throughput()
    print("tools/call   ------------ bare ------------   ----------- server -----------   -- server/bare --")
    print("connections     req/s       p99  cpu us/req      req/s       p99  cpu us/req     req/s  1/cpu")
    for _, connections in ipairs(CONNECTIONS) do
        local bare, ours = load_bare(connections), load_server(connections)
        print(("%11d %9.0f %9s %11.1f %10.0f %9s %11.1f %9.2f %6.2f"):format(connections, bare.rate, bare.p99,
            bare.cpu_us, ours.rate, ours.p99, ours.cpu_us, ours.rate / bare.rate, bare.cpu_us / ours.cpu_us))
    end
end

-- The whole list of the shipped tools, which is encoded once, beside a trivial call.
local function lists()
    local s = server.start({ wrap = on_core("0", QUIET) })
    local bytes = #s:request({ method = "POST", path = "/mcp", body = LIST }).body
    local list, call = load(s.process, s.port, 64, s.token, LIST), load_server(64)
    s:stop()
    print(("tools/list, shipped tools, %d bytes: %.0f req/s, %.1f us/req; trivial call: %.0f req/s, %.1f us/req"):format(bytes,
        list.rate, list.cpu_us, call.rate, call.cpu_us))
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

--- Milliseconds in which 99 of 100 sign-in requests are answered: one after the other, on one connection.
local function sign_in_p99(s)
    local app, took = oauth.new(s), {}
    local tokens, id = app:sign_in()
    for number = 1, SECONDS * 40 do
        local began = uv.hrtime()
        if number % 3 == 0 then
            app:get("/.well-known/oauth-authorization-server")
        elseif number % 3 == 1 then
            app:register()
        else
            tokens = app:refresh(id, tokens.refresh_token).json
        end
        took[number] = (uv.hrtime() - began) / 1e6
    end
    table.sort(took)
    return took[math.ceil(#took * 0.99)]
end

-- What a client meets that signs in while others work: metadata, registration and refreshing beside a call.
local function sign_in()
    local s = oauth.start({ tools = "spec/bench/busy.lua", env = { SANDSTORM_SCRIPT_CPU_MS = "600000" } })
    local idle = sign_in_p99(s)
    for _, name in ipairs({ "wait", "compute" }) do
        local busy = s:connect()
        local body = BODY:gsub('"echo"', '"' .. name .. '"')
        busy:send(("POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n" ..
            "Content-Length: %d\r\n\r\n%s"):format(s.token, #body, body))
        local beside = sign_in_p99(s)
        print(("sign-in requests, p99: %.1f ms idle, %.1f ms beside a call of `%s` (%.1f times)"):format(idle, beside, name,
            beside / idle))
        busy:close()
    end
    s:kill()
end

throughput()
lists()
sign_in()
footprint()
