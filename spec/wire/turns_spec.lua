--- Whatever a handler computes, others are answered meanwhile. The handlers here never end by themselves and may
--- compute for a day: an answer on another connection shows that the loop has its turns.
local cjson = require("cjson")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local DAY_MS = "86400000"

local HANDLERS = {
    find = '("a"):rep(30000):find((".-"):rep(20) .. "b")',
    match = '(("a"):rep(30000)):match(("a*"):rep(20) .. "b")',
    gmatch = 'for _ in ("a"):rep(30000):gmatch((".-"):rep(20) .. "b") do end',
    gsub = '("a"):rep(30000):gsub((".-"):rep(20) .. "b", "")',
    gsub_of_short_matches = '("a"):rep(30 << 20):gsub("()a", "%1")',
    recursion = "local function deep() return deep() + 1 end while true do pcall(deep) end",
    gsub_callback = '("a"):gsub("a", forever)',
    coroutine = "coroutine.wrap(forever)()",
    coroutine_in_coroutine = [[
        local inner = function() local co = coroutine.create(forever) coroutine.resume(co) end
        coroutine.wrap(function() pcall(inner) end)()]],
    pattern_in_coroutine = [[coroutine.wrap(function() ("a"):rep(30000):find((".-"):rep(20) .. "b") end)()]],
    comparison = "table.sort({ 3, 2, 1 }, forever)",
    metamethod = "return setmetatable({}, { __index = forever }).x",
    arithmetic = "return -setmetatable({}, { __unm = forever })",
    closing = "local x <close> = setmetatable({}, { __close = forever })",
    closing_after_error = [[
        pcall(function()
            local x <close> = setmetatable({}, { __close = forever })
            error("e")
        end)]],
    iterator = "for _ in forever do end",
    pairs = "pairs(setmetatable({}, { __pairs = forever }))",
    xpcall = "xpcall(forever, print)",
    load = "load(forever)",
    move = "table.move({}, 1, 1 << 60, 2)",
    insert = "table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, true)",
    remove = "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)",
    collect = "while true do collectgarbage() end",
}

local names = {}
for name in pairs(HANDLERS) do names[#names + 1] = name end
table.sort(names)

local function tools()
    local text = { "local function forever() while true do end end\n" }
    for _, name in ipairs(names) do
        text[#text + 1] = ([[
tool { name = %q, description = "Never ends", input = { type = "object" }, handler = function() print("begun %s"); %s end }
]]):format(name, name, HANDLERS[name])
    end
    return tmp.file("tools.lua", table.concat(text))
end

local function start(cpu_ms, deadline_ms)
    local env = { SANDSTORM_SCRIPT_CPU_MS = cpu_ms, SANDSTORM_CALL_DEADLINE_MS = deadline_ms }
    return server.start({ tools = tools(), env = env })
end

local function send_call(s, name)
    local connection = s:connect({ seconds = 60 })
    local body = cjson.encode({ jsonrpc = "2.0", id = 1, method = "tools/call", params = { name = name } })
    connection:send(require("spec.support.http").format({
        method = "POST", path = "/mcp", body = body, host = ("%s:%d"):format(s.host, s.port),
        headers = {
            Authorization = "Bearer " .. s.token, ["Content-Type"] = "application/json",
            Accept = "application/json, text/event-stream",
        },
    }))
    return connection
end

local function begun(s, name)
    s:wait_log(function(line) return line.msg == "begun " .. name end)
end

describe("turns of the loop", function()
    it("others are answered while handlers compute in every way", function()
        local s <close> = setmetatable({}, { __close = function(own) own.server:kill() end })
        s.server = start(DAY_MS, DAY_MS)
        local connections = {}
        for i, name in ipairs(names) do
            connections[i] = send_call(s.server, name)
            begun(s.server, name)
            assert.same({}, s.server:rpc("ping").result, name)
        end
        for _, line in ipairs(s.server:log()) do
            assert.is_false(line.logger == "sandstorm_mcp.call" and line.tool ~= nil, cjson.encode(line))
        end
        for _, connection in ipairs(connections) do connection:close() end
    end)

    it("each is one failed call at its limit, and the server goes on", function()
        local s = start("100", DAY_MS)
        for _, name in ipairs(names) do
            local text, failed = s:text(name)
            assert.is_true(failed, name)
            assert.matches("stopped: it computed for more than 100 ms", text, 1, true)
        end
        assert.same({}, s:rpc("ping").result)
        s:stop()
    end)

    it("each ends at the deadline of the call", function()
        local s = start(DAY_MS, "1000")
        local connections = {}
        for i, name in ipairs(names) do connections[i] = send_call(s, name) end
        for i, name in ipairs(names) do
            local response = assert(connections[i]:read_response("POST"), name)
            assert.matches("stopped: the call took longer than its deadline", response.body, 1, true)
            connections[i]:close()
        end
        s:stop()
    end)
end)
