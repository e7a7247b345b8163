local cjson = require("cjson")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

--- The log lines of a run of `source`, decoded, and the raw text.
local function lines_of(source, env)
    local result = program.run({ args = { "run", tmp.file("chunk.lua", source) }, env = env })
    assert.equal(0, result.code, result.stderr)
    local lines = {}
    for line in result.stderr:gmatch("[^\n]+") do lines[#lines + 1] = cjson.decode(line) end
    return lines, result.stderr
end

describe("log", function()
    it("writes a JSON object a line with ts, level, logger, msg and the fields after them", function()
        local lines, raw = lines_of([[
            local log = require("log")
            log.info("hello", { b = 2, a = "x", list = { 1, 2 } })
            log.logger("files").warning("é \n\xFF")
        ]], { SANDSTORM_LOG_LEVEL = "info" })
        assert.equal(2, #lines)
        assert.matches('^{"ts":"%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%dZ","level":"INFO","logger":"sandstorm_mcp%.script",' ..
            '"msg":"hello","a":"x","b":2,"list":%[1,2%]}\n', raw)
        assert.equal("sandstorm_mcp.files", lines[2].logger)
        assert.equal("WARNING", lines[2].level)
        assert.equal("é \n\u{FFFD}", lines[2].msg)
        assert.is_truthy(raw:find("é", 1, true), "text beyond ASCII is written as it is")
    end)

    it("waits a moment for a reader that takes nothing, and not for ever", function()
        local folder = tmp.dir("log")
        local chunk = tmp.file("chunk.lua", [[
            local log = require("log")
            for i = 1, 4000 do log.error(("x"):rep(100)) end
            return "over"
        ]])
        tmp.shell(("cd %s && mkfifo reader && exec 3<>reader && timeout 50 %s run %s >result 2>&3; head -n 5 <&3 >lines"):format(
            tmp.quote(folder), tmp.quote(program.path), tmp.quote(chunk)))
        assert.equal('"over"\n', tmp.read(folder .. "/result"))
        for line in tmp.read(folder .. "/lines"):gmatch("[^\n]+") do assert.equal(("x"):rep(100), cjson.decode(line).msg) end
    end)

    local ORDER = { "TRACE", "DEBUG", "INFO", "WARNING", "ERROR" }

    for i, level in ipairs({ "trace", "Debug", "INFO", "Warning", "error", "CRITICAL" }) do
        it("writes from " .. level .. " upwards", function()
            local lines = lines_of([[
                local log, enabled = require("log"), {}
                for _, level in ipairs({ "trace", "debug", "info", "warning", "error" }) do
                    log[level]("x")
                    enabled[#enabled + 1] = log.enabled(level)
                end
                log.logger("a").error("enabled", { enabled = enabled, critical = log.enabled("Critical") })
            ]], { SANDSTORM_LOG_LEVEL = level })
            local seen = {}
            for n, line in ipairs(lines) do seen[n] = line.level end
            local expected = table.move(ORDER, i, #ORDER, 1, {})
            if i <= 5 then
                expected[#expected + 1] = "ERROR"
                local enabled = {}
                for n = 1, 5 do enabled[n] = n >= i end
                assert.same({ enabled, true }, { lines[#lines].enabled, lines[#lines].critical })
            end
            assert.same(expected, seen)
        end)
    end

    it("names function, what is expected and what came", function()
        local result = program.lua([[
            local log = require("log")
            local function try(f, ...) return (select(2, pcall(f, ...))) end
            return {
                try(log.info), try(log.info, 1), try(log.error, "x", 1),
                try(log.info, "x", { msg = 1 }), try(log.warning, "x", { ts = 1 }),
                try(log.info, "x", { a = { 0 / 0 } }), try(log.info, "x", { 1, 2 }), try(log.info, "x", { f = print }),
                try(log.enabled, "warnin"), try(log.enabled), try(log.logger, {}), try(log.logger("q").info, "x", { logger = 1 }),
            }
        ]], { env = { SANDSTORM_LOG_LEVEL = "info" } })
        assert.same({
            "log.info: message: expected a string, got no value",
            "log.info: message: expected a string, got number",
            "log.error: fields: expected a table, got number",
            "log.info: fields: the name msg is taken by the log",
            "log.warning: fields: the name ts is taken by the log",
            "log.info: fields: NaN has no JSON form at value.a[1]",
            "log.info: fields: expected names as keys, got an array",
            "log.info: fields: a function has no JSON form at value.f",
            'log.enabled: expected the name of a level, got "warnin"; did you mean warning?',
            "log.enabled: expected the name of a level, got no value",
            "log.logger: expected a name, got table",
            "log.info: fields: the name logger is taken by the log",
        }, result)
    end)

    it("keeps whole lines, in order, when much is written", function()
        local lines = lines_of([[
            local log = require("log")
            for i = 1, 5000 do log.warning(("x"):rep(i % 97), { i = i }) end
        ]])
        assert.equal(5000, #lines)
        for i, line in ipairs(lines) do assert.equal(i, line.i) end
    end)
end)
