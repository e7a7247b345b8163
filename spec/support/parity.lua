--- Replays the recorded cases of the server that this one replaces (spec/fixtures/parity) against a real server.
---
--- A case is a line of JSON: shell lines that prepare the workspace, a call, what it answered, what to look at
--- afterwards, and a verdict. `keep`: the same answer is due. `library`: the same outcome, the wording is free.
--- `defect` and `right-only`: something better is due, and the spec says what; see parity.replay.
---
--- The recording was made by a user without rights, so as root the server and the shell lines run as one.
local assert = require("luassert")
local busted = require("busted")
local http = require("spec.support.http")
local json = require("json")
local needs = require("spec.support.needs")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local uv = require("luv")

local parity = {}

local USER = 12345 -- no account has this number
local AS_USER = { "/usr/bin/setpriv", "--reuid=" .. USER, "--regid=" .. USER, "--clear-groups", "--pdeathsig", "KILL", "--" }
local FOLDERS = { workspace = "WORKSPACE", state = "STATE", remotes = "REMOTES", home = "HOME", bin = "BIN", run = "RUN" }
local EMPTIED = { "workspace", "remotes", "bin", "home" }
local WHO, ADDRESS, WHEN = "Parity Tester", "parity@example.com", "2026-11-30T12:00:00+00:00"
local GIT_CONFIG = ("[user]\n\tname = %s\n\temail = %s\n[init]\n\tdefaultBranch = main\n"):format(WHO, ADDRESS)

local function fixture(name) return assert(tmp.read(program.root .. "/spec/fixtures/parity/" .. name)) end

--- The cases of a tool.
function parity.cases(tool)
    local cases = {}
    for line in fixture(tool .. ".jsonl"):gmatch("[^\n]+") do cases[#cases + 1] = assert(json.decode(line)) end
    return cases
end

-- ---- the world that the cases were recorded in ------------------------------------------------------------

---@class spec.World the folders, and the servers that work in them
local World = {}
World.__index = World

local quote = tmp.quote

local function own(path)
    if needs.is_root then tmp.shell(("chown -R %d:%d %s"):format(USER, USER, quote(path))) end
end

-- Where the user without rights can read them, wherever the checkout lies.
local function copy_program(world)
    local copy = world.root .. "/program"
    tmp.shell(("mkdir %s; cp -r %s %s %s"):format(quote(copy), quote(program.path), "lib tools.lua", quote(copy)))
    world.program, world.library = copy .. "/" .. program.path:match("[^/]+$"), copy .. "/lib"
    world.tools = copy .. "/tools.lua"
end

local function new_world()
    local root = tmp.dir("parity")
    tmp.shell(("chmod 711 %s"):format(quote(root:match("^(.*)/"))))
    local self = setmetatable({ root = root, servers = {} }, World)
    for folder, name in pairs(FOLDERS) do
        self[name] = root .. "/" .. folder
        tmp.shell("mkdir " .. quote(self[name]))
    end
    copy_program(self)
    own(root)
    return self
end

function World:environment()
    return {
        PATH = self.BIN .. ":/usr/bin:/bin", HOME = self.HOME, LANG = "C.UTF-8", LC_ALL = "C.UTF-8", TZ = "UTC",
        GIT_CONFIG_NOSYSTEM = "1", GIT_TERMINAL_PROMPT = "0",
        GIT_AUTHOR_NAME = WHO, GIT_AUTHOR_EMAIL = ADDRESS, GIT_AUTHOR_DATE = WHEN,
        GIT_COMMITTER_NAME = WHO, GIT_COMMITTER_EMAIL = ADDRESS, GIT_COMMITTER_DATE = WHEN,
    }
end

-- Runs shell lines as the server's user; returns stdout, then stderr.
function World:shell(lines)
    local words = { "cd " .. quote(self.WORKSPACE) .. " && exec env -i" }
    for name, value in pairs(self:environment()) do words[#words + 1] = quote(name .. "=" .. value) end
    for _, name in pairs(FOLDERS) do words[#words + 1] = quote(name .. "=" .. self[name]) end
    if needs.is_root then table.move(AS_USER, 1, #AS_USER, #words + 1, words) end
    words[#words + 1] = "/bin/bash -c " .. quote("umask 022; " .. lines) .. " </dev/null"
    local errors = self.root .. "/stderr"
    local pipe = assert(io.popen(table.concat(words, " ") .. " 2>" .. quote(errors)))
    local output = pipe:read("a")
    local ok = pipe:close()
    return output .. (tmp.read(errors) or ""), ok
end

function World:reset(setup)
    local folders = {}
    for position, folder in ipairs(EMPTIED) do folders[position] = quote(self.root .. "/" .. folder) end
    local all = table.concat(folders, " ")
    tmp.shell(("chmod -R u+rwx %s; find %s -mindepth 1 -delete"):format(all, all))
    own(tmp.write(self.HOME .. "/.gitconfig", GIT_CONFIG))
    if #setup == 0 then return end
    local output, ok = self:shell("set -e\n" .. table.concat(setup, "\n"))
    if not ok then error("setup failed: " .. output) end
end

--- The server for these settings; started once.
---@param changes? table<string, string> environment
---@param tools? string name of a tools file in the world
function World:server(changes, tools)
    local key = (tools or "") .. (changes and json.encode(changes, { sort = true }) or "")
    if self.servers[key] then return self.servers[key] end
    local env = self:environment()
    env.SANDSTORM_STATE_DIR, env.SANDSTORM_LIBRARY, env.MAX_INSTANCES = self.STATE, self.library, "5"
    for name, value in pairs(changes or {}) do env[name] = self:fill(value) end
    self.servers[key] = server.start({
        env = env, workspace = self.WORKSPACE, cwd = self.RUN, tools = tools or self.tools,
        wrap = needs.is_root and AS_USER or nil, command = { self.program },
    })
    return self.servers[key]
end

--- Makes a tools file out of the shipped one, as an operator would: exact texts replaced by others. Afterwards its
--- path is world[name].
function World:make_tools(name, changes)
    local text = tmp.read(self.tools)
    for old, new in pairs(changes) do
        local from, to = text:find(old, 1, true)
        text = text:sub(1, assert(from, old) - 1) .. new .. text:sub(to + 1)
    end
    self[name] = tmp.write(("%s/program/%s.lua"):format(self.root, name), text)
end

function World:stop()
    for _, s in pairs(self.servers) do s:stop() end
end

-- ---- placeholders ------------------------------------------------------------------------------------------

--- Text with the placeholders replaced by what they stand for.
function World:fill(text)
    for _, name in pairs(FOLDERS) do text = text:gsub("<" .. name .. ">", (self[name]:gsub("%%", "%%%%"))) end
    return (text:gsub("<PID>", self.pid or "<PID>"))
end

-- The way back, for texts that are compared by their digest.
function World:blank(text)
    for _, name in pairs(FOLDERS) do
        text = text:gsub((self[name]:gsub("%p", "%%%0")), "<" .. name .. ">")
    end
    return text
end

-- A recorded argument as JSON text.
function World:argument(value)
    if type(value) ~= "table" then
        local text = type(value) == "string" and self:fill(value)
        if text and value == "<PID>" then return text end
        return json.encode(text or value)
    end
    if value["$repeat"] then return json.encode(value["$repeat"][1]:rep(value["$repeat"][2])) end
    if value["$raw_string"] then return '"' .. value["$raw_string"] .. '"' end
    return json.encode(value)
end

function World:arguments(arguments)
    local members = {}
    for name, value in pairs(arguments) do members[#members + 1] = ('"%s":%s'):format(name, self:argument(value)) end
    return "{" .. table.concat(members, ",") .. "}"
end

-- ---- normalising ------------------------------------------------------------------------------------------

local rules = assert(json.decode(fixture("normalise.json")))
local NAMED = {}

NAMED["sort-lines"] = function(text)
    local lines = {}
    for line in text:gmatch("[^\n]+") do lines[#lines + 1] = line end
    table.sort(lines)
    return table.concat(lines, "\n") .. "\n"
end

NAMED["count-lines"] = function(text) return ("<LINES %d>"):format(select(2, text:gsub("\n", "\n"))) end

local function apply(rule, text)
    if type(rule) == "string" then return NAMED[rule](text) end
    text = "\n" .. text
    for _, pair in ipairs(rule) do text = text:gsub(pair[1], pair[2]) end
    return text:sub(2)
end

--- The text with what depends on the machine made equal.
function parity.normalise(text, names)
    for _, name in ipairs(names or {}) do text = apply(rules[name].lua, text) end
    return text
end

-- ---- calling and comparing --------------------------------------------------------------------------------

---@class spec.Answer
---@field status integer
---@field error table? JSON-RPC error
---@field result table? CallToolResult
---@field text string? of the first content item, normalised
---@field notes string? of the second

local function post(s, tool, arguments)
    local params = ('{"name":"%s"%s}'):format(tool, arguments and ',"arguments":' .. arguments or "")
    return s:request({
        method = "POST", path = "/mcp", headers = { Accept = "application/json, text/event-stream" },
        body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' .. params .. "}",
    })
end

-- A slow answer comes as a stream whose last event is the message.
local function body_of(response)
    if not (response.headers["content-type"] or ""):find("^text/event%-stream") then return response.body end
    local events = http.events(response.body)
    return events[#events].data
end

---@return spec.Answer
function World:call(s, tool, arguments, normalise)
    local given = arguments ~= nil and arguments ~= json.null and self:arguments(arguments) or nil
    local response = post(s, tool, given)
    local message = assert(json.decode(body_of(response)), response.body)
    local content = message.result and message.result.content or {}
    return {
        status = response.status, error = message.error, result = message.result,
        text = content[1] and parity.normalise(content[1].text, normalise),
        notes = content[2] and content[2].text,
    }
end

function World:calls_before(s, case)
    for _, call in ipairs(case.calls_before or {}) do
        local answer = self:call(s, call.tool, call.arguments)
        for _, pattern in pairs(call.save or {}) do
            self.pid = answer.text:match((pattern:gsub("\\d", "%%d")))
        end
        if call.sleep then uv.sleep(math.floor(call.sleep * 1000)) end
    end
end

local function sha256(text) return (tmp.shell("sha256sum < " .. quote(tmp.file("text", text))):match("^%x+")) end

function World:expect_text(expected, answer, case)
    if type(expected) == "string" then
        assert.equal(self:fill(expected), answer.text, case.id)
        return
    end
    local text, digest = self:blank(answer.text), expected["$digest"]
    assert.equal(digest.bytes, #text, case.id)
    assert.equal(digest.sha256, sha256(text), case.id)
end

local function expect_error_flag(expected, answer, case)
    local what = answer.error and json.encode(answer.error) or answer.text
    assert.equal(expected, answer.result and answer.result.isError, case.id .. ": " .. tostring(what))
end

-- The recorded message has the arguments' names on lines of their own.
local function expect_argument_named(recorded, answer, case)
    for name in recorded:gmatch("\n(%w+)\n") do
        assert(answer.text:find(name, 1, true), ("%s: does not name %s: %s"):format(case.id, name, answer.text))
    end
    assert(not answer.text:find("\n", 1, true), case.id .. ": more than one line: " .. answer.text)
end

--- The recorded answer is due.
function World:expect_same(answer, case)
    local recorded = case.result
    expect_error_flag(recorded.isError, answer, case)
    self:expect_text(recorded.content[1].text, answer, case)
    local structured = answer.result.structuredContent
    if not recorded.isError and case.tool ~= "terminal_exec" then
        assert.equal(answer.result.content[1].text, structured.result, case.id)
    end
end

--- The recorded outcome is due.
function World:expect_outcome(answer, case)
    expect_error_flag(case.result.isError, answer, case)
    local recorded = case.result.content[1].text
    if case.result.isError then return expect_argument_named(recorded, answer, case) end
    self:expect_text(recorded, answer, case)
end

--- An error with this text.
function parity.error(text)
    return function(world, answer, case)
        expect_error_flag(true, answer, case)
        assert.equal(world:fill(text), answer.text, case.id)
    end
end

--- An error whose text, with placeholders, matches each of these patterns.
function parity.error_like(...)
    local patterns = { ... }
    return function(world, answer, case)
        expect_error_flag(true, answer, case)
        for _, pattern in ipairs(patterns) do assert.matches(pattern, world:blank(answer.text), nil, nil, case.id) end
    end
end

--- A success with this text, and with a note that matches `note` where one is given.
function parity.success(text, note)
    return function(world, answer, case)
        expect_error_flag(false, answer, case)
        world:expect_text(text, answer, case)
        if note then assert.matches(note, answer.notes, nil, nil, case.id) end
    end
end

--- The recorded text and outcome, and a note that matches this pattern.
function parity.same_with_note(note)
    return function(world, answer, case)
        expect_error_flag(case.result.isError, answer, case)
        world:expect_text(case.result.content[1].text, answer, case)
        assert.matches(note, answer.notes, nil, nil, case.id)
    end
end

--- Refused as every path outside of the workspace.
function parity.outside(path)
    return parity.error(('Path "%s" is outside the allowed directory (<WORKSPACE>)'):format(path))
end

-- An output, or a pattern for it that starts with ^.
local function is_output(expected, output)
    return output == expected or (expected:sub(1, 1) == "^" and output:find(expected) ~= nil)
end

local function settles(world, look, expected)
    local output
    local harmless = look.run:gsub("kill %-9 [$<>%w]+", "true")
    program.wait_until(function()
        output = world:shell(world:fill(harmless))
        return is_output(expected, output)
    end, 50) -- what happens after a call
    world:shell(world:fill(look.run))
    return output
end

-- What lives must go on living; what ends or is written may take its time.
function World:expect_after(case, changed)
    for position, look in ipairs(case.after or {}) do
        local expected = changed and changed[position] or look.out
        local output
        if expected:find("alive", 1, true) then
            uv.sleep(math.floor((look.after_s or 0) * 1000))
            output = self:shell(self:fill(look.run))
        else
            output = settles(self, look, self:fill(expected))
        end
        local what = "%s: after: %s\nexpected: %s\ngot: %s"
        assert(is_output(self:fill(expected), output), what:format(case.id, look.run, expected, output))
    end
end

local VERDICTS = { keep = World.expect_same, library = World.expect_outcome }

local function run_case(world, case, better)
    world.pid = nil
    world:reset(case.setup)
    local s = world:server(case.server_env, better.tools and world[better.tools])
    world:calls_before(s, case)
    local answer = world:call(s, case.tool, case.arguments, case.normalise)
    local expect = better.answer or assert(VERDICTS[case.verdict], case.id .. ": the spec must say what is better")
    expect(world, answer, case)
    world:expect_after(case, better.after)
end

--- Declares one test for each recorded case of a tool.
---@param tool string
---@param better table<string, table|function> by the case's name: what to expect where the recorded answer is not due;
--- a function(world, answer, case), or { answer = function, after = {[n] = output}, tools = a tools file of the world }
---@param prepare? fun(world: spec.World)
function parity.replay(tool, better, prepare)
    local world
    busted.setup(function()
        world = new_world()
        if prepare then prepare(world) end
    end)
    busted.teardown(function() world:stop() end)
    local used = {}
    for _, case in ipairs(parity.cases(tool)) do
        local name = case.id:match("/(.*)$")
        local expected = better[name] or {}
        used[name], case.tool = true, tool
        busted.it(("%s (%s)"):format(case.id, case.verdict), function()
            run_case(world, case, type(expected) == "function" and { answer = expected } or expected)
        end)
    end
    for name in pairs(better) do assert(used[name], "no such case: " .. name) end
end

return parity
