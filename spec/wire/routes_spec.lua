--- What a library's app may ask the host for: paths with parameters, and work that is done again and again.
local cjson = require("cjson")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

--- A library whose app.load returns what the Lua source says; returns its folder.
local function library(source) return (tmp.file("app.lua", source):match("^(.*)/")) end

local PARAMETERS = [[
local json = require("json")
local function echo(name)
    return function(request) return 200, json.encode({ route = name, parameters = json.object(request.parameters) }) end
end
local function route(path, auth) return { path = path, methods = { "GET" }, auth = auth or "none", origin = "any",
    handle = echo(path) } end
return { load = function()
    return { routes = {
        route("/a/{x}"), route("/a/fixed"), route("/a/{x}/b/{long_name}"), route("/{top}"), route("/file-{n}.txt"),
        route("/own/{id}/x", "session"), route("/private", "bearer"),
    }, call = function() end, describe = function() return "" end }
end }
]]

describe("a route with parameters", function()
    local s

    setup(function() s = server.start({ env = { SANDSTORM_LIBRARY = library(PARAMETERS) } }) end)
    teardown(function() s:stop() end)

    local function get(path, headers)
        local response = s:request({ path = path, headers = headers })
        return response.status, response.status == 200 and cjson.decode(response.body) or nil
    end

    for path, expected in pairs({
        ["/a/1"] = { "/a/{x}", { x = "1" } },
        ["/a/1/b/2"] = { "/a/{x}/b/{long_name}", { x = "1", long_name = "2" } },
        ["/a/%20%C3%BC"] = { "/a/{x}", { x = " ü" } },
        ["/a/x?y=/z"] = { "/a/{x}", { x = "x" } },
        ["/a/{x}"] = { "/a/{x}", { x = "{x}" } },
        ["/file-7.txt"] = { "/file-{n}.txt", nil },
        ["/a/fixed"] = { "/a/fixed", {} },
        ["/top"] = { "/{top}", { top = "top" } },
    }) do
        it("is found for " .. path, function()
            local status, answer = get(path)
            assert.equal(200, status)
            if expected[2] then assert.same({ expected[1], expected[2] }, { answer.route, answer.parameters }) end
        end)
    end

    it("is not found for an empty segment, one more or one less", function()
        for _, path in ipairs({ "/", "/a/", "/a//b/2", "/a/1/", "/a/1/b", "/a/1/b/2/3", "//" }) do
            assert.equal(404, (get(path)), path)
        end
    end)

    it("guards what begins like it", function()
        local none = { Authorization = false }
        assert.equal(200, (get("/own/1/x")))
        for _, path in ipairs({ "/own/1/x", "/own/1/y", "/own/", "/own/1/x/y" }) do assert.equal(401, (get(path, none)), path) end
        assert.equal(401, (get("/private/x", none)))
        assert.equal(404, (get("/private/x")))
    end)
end)

describe("a route with an unknown auth", function()
    it("is an error that says what there is", function()
        local result = program.run({ args = { "check" }, env = { SANDSTORM_LIBRARY = library([[
            return { load = function() return { routes = { { path = "/", methods = { "GET" }, auth = "sesion", origin = "any",
                handle = print } } } end }]]) } })
        assert.equal(1, result.code)
        assert.matches("route field 'auth': expected none, bearer, session or metrics, got sesion", result.stdout
            .. result.stderr)
    end)
end)

local TICKS = [[
local clock, fiber, fs, log, shared = require("clock"), require("fiber"), require("fs"), require("log"), require("shared")
return { load = function()
    return { routes = {}, call = function() end, describe = function() return "" end, ticks = {
        { every_ms = 100, run = function()
            local running = shared.add("running", 1, 60000)
            log.info("beat", { running = running, generation = require("host").generation() })
            clock.sleep(700)
            shared.add("running", -1, 60000)
        end },
        { every_ms = 100, run = function() error("broken tick") end },
        { every_ms = 3600000, run = function() clock.sleep(3600000) end },
    } }
end }
]]

describe("a tick", function()
    it("runs at once and again after it ended, never twice at a time, whatever others do", function()
        local s = server.start({ env = { SANDSTORM_LIBRARY = library(TICKS), SANDSTORM_CALL_DEADLINE_MS = "86400000" } })
        local function beats()
            local count = 0
            for _, line in ipairs(s:log()) do
                if line.msg == "beat" then
                    count = count + 1
                    assert.equal(1, line.running)
                end
            end
            return count
        end
        assert(program.wait_until(function() return beats() >= 3 end, 50))
        s:wait_log(function(line) return line.level == "ERROR" and line.msg:find("app.lua:%d+: broken tick") end)
        s:stop() -- although one of them sleeps for an hour
        for _, line in ipairs(s:log()) do
            assert.is_true(line.level ~= "ERROR" or line.msg:find("broken tick") ~= nil, line.msg)
        end
    end)

    it("is one of the generation that serves", function()
        local folder = library(TICKS)
        local s = server.start({ env = { SANDSTORM_LIBRARY = folder } })
        s:wait_log(function(line) return line.generation == 1 end)
        s.process:signal_with("sighup")
        s:wait_log(function(line) return line.generation == 2 end)
        s:stop()
    end)

    for what, ticks in pairs({
        ["ticks: table expected"] = "5",
        ["tick 1: every_ms: expected 100 to 86400000, got 1"] = "{ { every_ms = 1, run = print } }",
        ["tick 2: run: expected a function, got nil"] = "{ { every_ms = 100, run = print }, { every_ms = 100 } }",
    }) do
        it("that is wrong is an error when the scripts are loaded: " .. ticks, function()
            local source = "return { load = function() return { routes = {}, ticks = %s } end }"
            local result = program.run({ args = { "check" }, env = { SANDSTORM_LIBRARY = library(source:format(ticks)) } })
            assert.equal(1, result.code)
            assert.matches(what:gsub("^ticks: ", ""), result.stdout .. result.stderr, 1, true)
        end)
    end
end)
