local program = require("spec.support.program")

local function run(source) return (program.lua('local metrics = require("metrics")\n' .. source)) end

describe("metrics", function()
    it("adds, sets, forgets, and writes each series once", function()
        local text = run([[
            metrics.add("sandstorm_tool_calls_total", { tool = "a", outcome = "ok" })
            metrics.add("sandstorm_tool_calls_total", { tool = "a", outcome = "ok" }, 2.5)
            metrics.set("sandstorm_sessions", { status = "gone" }, 1)
            metrics.clear("sandstorm_sessions")
            metrics.set("sandstorm_sessions", { status = "ready" }, 7)
            metrics.set("sandstorm_sessions", { status = "ready" }, 6)
            return metrics.text()
        ]])
        assert.matches('\n# TYPE sandstorm_tool_calls_total counter\nsandstorm_tool_calls_total{tool="a",outcome="ok"} 3%.5\n',
            text)
        assert.matches('\nsandstorm_sessions{status="ready"} 6\n', text)
        assert.not_matches("gone", text)
    end)

    it("puts values into the buckets that they belong to", function()
        local text = run([[
            for _, seconds in ipairs({ 0.001, 0.0011, 2, 1000 }) do metrics.observe("sandstorm_loop_lag_seconds", nil,
                seconds) end
            return metrics.text()
        ]])
        for border, count in pairs({ ["0.001"] = 1, ["0.005"] = 2, ["1"] = 2, ["5"] = 3, ["300"] = 3, ["+Inf"] = 4 }) do
            local line = ('\nsandstorm_loop_lag_seconds_bucket{le="%s"} %d\n'):format(border, count)
            assert.is_truthy(text:find(line, 1, true), line)
        end
        assert.matches("\nsandstorm_loop_lag_seconds_count 4\n", text)
    end)

    it("gives a series at hand", function()
        local text = run([[
            local calls = metrics.series("sandstorm_tool_calls_total", { tool = "a", outcome = "ok" })
            local took = metrics.series("sandstorm_tool_call_duration_seconds", { tool = "a" })
            calls:add()
            metrics.add("sandstorm_tool_calls_total", { tool = "a", outcome = "ok" }, 2)
            calls:add(0.5)
            took:observe(0.2)
            return metrics.text()
        ]])
        assert.matches('\nsandstorm_tool_calls_total{tool="a",outcome="ok"} 3%.5\n', text)
        assert.matches('\nsandstorm_tool_call_duration_seconds_sum{tool="a"} 0%.2', text)
        assert.matches('\nsandstorm_tool_call_duration_seconds_count{tool="a"} 1\n', text)
    end)

    it("counts what goes to a series that found no room", function()
        local text = run([[
            for i = 1, 1000 do metrics.add("sandstorm_tool_calls_total", { tool = tostring(i), outcome = "ok" }) end
            local calls = metrics.series("sandstorm_tool_calls_total", { tool = "late", outcome = "ok" })
            calls:add()
            calls:add()
            return metrics.text()
        ]])
        assert.not_matches("late", text)
        assert.matches("\nsandstorm_metrics_dropped_total 2\n", text)
    end)

    it("escapes values of labels", function()
        local text = run([[
            metrics.add("sandstorm_tool_calls_total", { tool = 'a"b\\c\nd', outcome = "ü" })
            return metrics.text()
        ]])
        assert.is_truthy(text:find([[{tool="a\"b\\c\nd",outcome="ü"} 1]], 1, true))
    end)

    it("has room for a bounded number of series and counts what found none", function()
        local text = run([[
            for i = 1, 1100 do metrics.add("sandstorm_tool_calls_total", { tool = tostring(i), outcome = "ok" }) end
            return metrics.text()
        ]])
        assert.equal(1000, select(2, text:gsub("\nsandstorm_tool_calls_total{", "")))
        assert.matches("\nsandstorm_metrics_dropped_total 100\n", text)
    end)

    it("raises for wrong names, labels, types and amounts", function()
        local said = run([[
            local said = {}
            for i, call in ipairs({
                function() metrics.add("sandstorm_tool_call_total", {}) end,
                function() metrics.add("sandstorm_tool_calls_total", { tool = "a" }) end,
                function() metrics.add("sandstorm_tool_calls_total", { tool = "a", outcome = "b", who = "c" }) end,
                function() metrics.add("sandstorm_loop_lag_seconds", nil) end,
                function() metrics.observe("sandstorm_sessions_created_total", nil, 1) end,
                function() metrics.add("sandstorm_sessions_created_total", nil, -1) end,
                function() metrics.set("sandstorm_sessions_created_total", nil, 1) end,
                function() return metrics.series("sandstorm_sessions", { status = "ready" }) end,
                function() metrics.series("sandstorm_loop_lag_seconds"):add(1) end,
                function() metrics.series("sandstorm_sessions_created_total"):observe(1) end,
                function() metrics.series("sandstorm_sessions_created_total"):add(-1) end,
                function() metrics.series("sandstorm_sessions_created_total").add(io, 1) end,
            }) do said[i] = select(2, pcall(call)) end
            return said
        ]])
        assert.matches('there is no "sandstorm_tool_call_total"; the nearest is "sandstorm_tool_calls_total"', said[1])
        assert.matches("label outcome of sandstorm_tool_calls_total: expected a string, got nil", said[2])
        assert.matches('sandstorm_tool_calls_total has no label "who"', said[3])
        assert.matches("metrics.add: sandstorm_loop_lag_seconds is a histogram", said[4])
        assert.matches("metrics.observe: sandstorm_sessions_created_total is no histogram", said[5])
        assert.matches("expected an amount from 0", said[6])
        assert.matches("metrics.set: sandstorm_sessions_created_total is no gauge", said[7])
        assert.matches("metrics.series: sandstorm_sessions is a gauge", said[8])
        assert.matches("metrics: add: the series is a histogram's", said[9])
        assert.matches("metrics: observe: the series is no histogram's", said[10])
        assert.matches("metrics: add: expected an amount from 0", said[11])
        assert.matches("sandstorm.metric expected", said[12])
    end)
end)
