local server = require("spec.support.server")

-- A call with so many arguments.
local function call_with(count)
    local members = {}
    for i = 1, count do members[i] = ('"k%d":"%s"'):format(i, ("x"):rep(60)) end
    return ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a",%s}}}')
        :format(table.concat(members, ","))
end

describe("memory of the server", function()
    local s

    before_each(function()
        s = server.start({ tools = "spec/bench/tools.lua", env = { SANDSTORM_LOG_LEVEL = "debug" } })
    end)

    after_each(function() s:stop() end)

    it("refuses a body with more values than a call can need", function()
        local response = s:post(call_with(100000))
        assert.equal(400, response.status)
        assert.matches("^Parse error: line 1 column %d+: more than 100000 values$", response.json.error.message)
    end)

    it("is given back when a call that needed much of it is over", function()
        assert.equal(200, s:post(call_with(90000)).status)
        local line = s:wait_log(function(line) return line.logger == "sandstorm_mcp.vm" end)
        local peak, after = line.msg:match("^scripts needed (%d+) bytes, now (%d+)$")
        assert.is_true(tonumber(peak) > 10 * 2 ^ 20, line.msg)
        assert.is_true(tonumber(after) < 8 * 2 ^ 20, line.msg)
    end)
end)
