--- Stand-ins for the modules that C provides, so that specs of lib/ run in plain Lua. json and text are the real ones
--- (build/spec). Each spec replaces what it needs: `local host = fake_host.install(); host.fs.read = function … end`.
local fake_crypto = require("spec.support.fake_crypto")
local fake_grants = require("spec.support.fake_grants")
local fake_shared = require("spec.support.fake_shared")

local fake_host = {}

local OWN = {
    "audit", "clock", "crypto", "db", "fetch", "fiber", "fs", "git", "grants", "host", "inbox", "log", "metrics", "process",
    "shared", "stdio", "stream", "turns",
}

local function logger(lines, name)
    local object = {}
    for _, level in ipairs({ "trace", "debug", "info", "warning", "error" }) do
        object[level] = function(message, fields)
            lines[#lines + 1] = { level = level, logger = name, message = message, fields = fields or {} }
        end
    end
    object.enabled = function() return true end
    return object
end

-- What belongs to the loop: memory that a spec can look into, and what was sent in `sent`, spawned in `spawned`.
local function add_loop(fakes)
    fakes.crypto, fakes.grants = fake_crypto.new(), fake_grants.new()
    fakes.fetch = {}
    fakes.db = { open = function() return {} end }
    fakes.shared, fakes.memory = fake_shared.new(function() return fakes.now end)
    fakes.sent, fakes.spawned, fakes.stopped = {}, {}, {}
    fakes.fiber = {
        tag = function(name) fakes.tag = name end,
        stop = function(name, reason)
            fakes.stopped[#fakes.stopped + 1] = { name, reason }
            return 1
        end,
        at_once = function(work, ...)
            fakes.at_once = (fakes.at_once or 0) + 1
            local results = table.pack(work(...))
            fakes.tag_at_once = fakes.tag
            return table.unpack(results, 1, results.n)
        end,
        spawn = function(handler, limits) fakes.spawned[#fakes.spawned + 1] = { handler = handler, limits = limits } end,
        quit = function(reason) error({ quit = reason }, 0) end,
        time_left = function() return nil end,
    }
    fakes.inbox = {
        deliver = function(key, message)
            fakes.sent[#fakes.sent + 1] = { key, message }
            return true
        end,
    }
    fakes.stream = {
        publish = function(topic, text)
            fakes.sent[#fakes.sent + 1] = { topic, text }
            return 1
        end,
        send_one = function(topic, text)
            fakes.sent[#fakes.sent + 1] = { topic, text }
            return true
        end,
        end_topic = function(topic, text)
            fakes.sent[#fakes.sent + 1] = { topic, text, ended = true }
            return 1
        end,
        owner = function() return nil end,
    }
    fakes.turns = {
        take = function() return { leave = function() end } end,
    }
    fakes.stdio = {
        write = function(text) fakes.sent[#fakes.sent + 1] = { "stdout", text } end,
        listen = function() return true end,
    }
end

-- What is kept of calls: lines in `audited`, figures in `figures`, traces in `traced`.
local function add_records(fakes)
    fakes.audited, fakes.figures, fakes.traced = {}, {}, {}
    fakes.audit = {
        enabled = function() return true end,
        error = function() return nil end,
        write = function(fields) fakes.audited[#fakes.audited + 1] = fields end,
        write_bounded = function(fields) fakes.audited[#fakes.audited + 1] = fields end,
    }
    local function figure(kind)
        return function(...) fakes.figures[#fakes.figures + 1] = { kind, ... } end
    end
    fakes.metrics = { add = figure("add"), observe = figure("observe"), set = figure("set"), clear = figure("clear") }
    fakes.metrics.series = function(name, labels)
        return {
            add = function(_, amount) fakes.metrics.add(name, labels, amount) end,
            observe = function(_, value) fakes.metrics.observe(name, labels, value) end,
        }
    end
    fakes.metrics.text = function() return "text" end
    fakes.fiber.trace = function(value) fakes.traced[#fakes.traced + 1] = value end
    fakes.fiber.count = function() return 0 end
end

local function make()
    local fakes = { lines = {}, settings = { body_limit = 1000000, max_instances = 5 }, now = 0 }
    fakes.log = logger(fakes.lines, "sandstorm_mcp")
    fakes.log.logger = function(name) return logger(fakes.lines, name) end
    fakes.clock = {
        monotonic_ms = function() return fakes.now end,
        now_ms = function() return fakes.now + (fakes.clock_is_ahead or 0) end,
        sleep = function(ms) fakes.now = fakes.now + ms end,
        iso = function() return "2026-11-30T09:00:00Z" end,
    }
    fakes.host = {
        generation = function() return 1 end,
        scripts_id = function() return "0123456789abcdef" end,
        random_id = function() return "0123456789abcdef" end,
        setting = function(name) return fakes.settings[name] end,
        which = function(names) return names end,
        info = function() return {} end,
    }
    fakes.fs = {
        root = function() return "/w" end,
        resolve = function(path)
            if path:find("%.%.") then return nil, ('Path "%s" is outside the allowed directory (/w)'):format(path), "EOUTSIDE" end
            if path == "" then return "/w" end
            return path:sub(1, 1) == "/" and path or "/w/" .. path
        end,
    }
    fakes.process = {}
    fakes.git = {}
    add_loop(fakes)
    add_records(fakes)
    return fakes
end

local function forget_library()
    for name in pairs(package.loaded) do
        local ours = name:find("^mcp%.") or name:find("^schema") or package.searchpath(name, "lib/?.lua")
        if ours then package.loaded[name] = nil end
    end
end

--- A request as the host gives it to a route. `headers` has names in lower case; `body` is bytes or a table. What the
--- handler asked for is in `ends_with_client`, `slow` and `on_stop`.
---@return table
function fake_host.request(headers, body)
    local json = require("json")
    local text = type(body) == "string" and body or json.encode(body)
    local asked = {}
    local methods = { method = "POST", size = #text }
    function methods.header(_, name) return (headers or {})[name:lower()] end
    function methods.body() return text end
    function methods.json() return json.decode(text) end
    function methods.stop_on_disconnect(_, stop) asked.ends_with_client = stop end
    function methods.stream_when_slow(_, after_ms, every_ms, slow) asked.slow = { after_ms, every_ms, slow } end
    function methods.stream(_, options)
        asked.stream_options, asked.sent = options, {}
        local stream = {}
        function stream.send(_, message)
            asked.sent[#asked.sent + 1] = message
            return true
        end
        function stream.prime() asked.sent[#asked.sent + 1] = "prime" end
        function stream.detach() asked.sent[#asked.sent + 1] = "detach" end
        return stream
    end
    function methods.on_stop(_, answer) asked.on_stop = answer end
    return setmetatable(asked, { __index = methods })
end

--- Puts fresh stand-ins in place and forgets every module of lib/, so that it is loaded anew with them.
--- Beside the modules there are `lines` (what was logged), `settings` and `now` (milliseconds; who sleeps moves it on).
---@return table
function fake_host.install()
    forget_library()
    local fakes = make()
    for _, name in ipairs(OWN) do package.loaded[name] = fakes[name] end
    return fakes
end

return fake_host
