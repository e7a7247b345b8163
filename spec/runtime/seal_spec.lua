--- No handler changes what a later call sees, as far as the state can know (runtime/lua_seal.c).
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

-- Each tries to change something that outlives the call; all of them raise.
local CHANGES = {
    ["a new global"] = "leaked = 1",
    ["a global function"] = "print = nil",
    ["a global table"] = "string = {}",
    ["a field of _G"] = "_G.leaked = 1",
    ["rawset of a global"] = 'rawset(_G, "leaked", 1)',
    ["rawset of the environment"] = 'rawset(_ENV, "leaked", 1)',
    ["a metatable for the globals"] = "setmetatable(_G, {})",
    ["a function of the standard library"] = "string.format = print",
    ["a new function of the standard library"] = "table.leaked = print",
    ["rawset in the standard library"] = 'rawset(string, "format", print)',
    ["table.insert into the standard library"] = "table.insert(math, 1)",
    ["table.move into the standard library"] = "table.move({ 1 }, 1, 1, 1, math)",
    ["a metatable for the standard library"] = "setmetatable(string, {})",
    ["the metatable of strings"] = 'getmetatable("").__index = print',
    ["a function of a module of the host"] = 'require("json").encode = print',
    ["a module that the script has in a local"] = "local j = json j.encode = print",
    ["a module of the host in a local of the file"] = "text.x = 1",
    ["a module of the library"] = 'require("files").read = print',
    ["a table in a module of the library"] = 'require("schema.dialect").standard.x = 1',
    ["what json.array makes of the library"] = 'require("json").array(require("text"))',
    ["the mark of arrays"] = 'require("json").array_mt.__index = print',
    ["rawset in the mark of arrays"] = 'rawset(require("json").array_mt, "__index", print)',
    ["a metatable for the mark of arrays"] = 'setmetatable(require("json").array_mt, {})',
    ["a loaded module"] = 'package.loaded.mine = { x = 1 }',
    ["a loaded module of the library"] = 'package.loaded.files.read = print',
    ["the list of loaded modules"] = "package.loaded = {}",
    ["the metatable of the list of loaded modules"] = "getmetatable(package.loaded).__index = print",
    ["a metatable for the list of loaded modules"] = "setmetatable(package.loaded, {})",
    ["the metatable of the globals"] = "getmetatable(_G).__index = print",
    ["the metatable of a module"] = 'getmetatable(require("json")).__index = print',
    ["a table that the collector would hand over"] = "setmetatable({}, { __gc = print })",
    ["the metatable of a handle"] = 'getmetatable(require("db").open("sessions")).__index = nil',
    ["a word of the scripts"] = "tool.fail = print",
    ["a new field of a word"] = "tool.leaked = print",
    ["the metatable of a word"] = "setmetatable(tool, {})",
    ["the content helpers"] = "content.text = print",
    ["the metatable of the context"] = "getmetatable(ctx).__index.progress = print",
    ["the methods of the context by their name"] = "ctx.__index.progress = print",
    ["the questions of the context"] = "ctx.question.form = print",
    ["the methods of what belongs to the call"] = "ctx.exchange.__index.notify = print",
    ["the class of a failure"] = [[
        local _, failure = pcall(tool.fail, "x")
        failure.__index.message = "other"]],
    ["the settings of cjson"] = 'require("cjson").encode_max_depth(1)',
    ["a function of cjson"] = 'require("cjson").encode = print',
}

local names = {}
for name in pairs(CHANGES) do names[#names + 1] = name end
table.sort(names)

local function tools()
    local text = { 'local text = require("text")\n' }
    for i, name in ipairs(names) do
        text[#text + 1] = ([[
tool { name = "change_%d", description = "Changes", input = { type = "object" }, handler = function(args, ctx)
    local ok, why = pcall(function() %s end)
    return ok and "no error" or "refused: " .. tostring(why)
end }
]]):format(i, CHANGES[name])
    end
    text[#text + 1] = [[
tool { name = "intact", description = "Uses much", input = { type = "object" }, handler = function(args, ctx)
    local decoded = json.decode('{"list":[1]}')
    local parts = {
        string.format("%d", 1), ("x"):upper(), json.encode(decoded), (text.clean("y")), tostring(leaked), type(print),
        table.concat({ 1, 2 }, "-"), tostring(require("cjson").encode({ { { 1 } } })), type(ctx.question.form),
        tostring(getmetatable(decoded.list) == json.array_mt), #_G, tostring(next(package.loaded.json)),
    }
    return table.concat(parts, " ")
end }
]]
    return tmp.file("tools.lua", table.concat(text))
end

describe("sealing", function()
    local s
    setup(function() s = server.start({ tools = tools() }) end)
    teardown(function() s:stop() end)

    for i, name in ipairs(names) do
        it("a handler does not change " .. name, function()
            assert.matches("^refused: ", (s:text("change_" .. i)))
            assert.equal('1 X {"list":[1]} y nil function 1-2 [[[1]]] function true 0 nil', (s:text("intact")))
        end)
    end

    it("says what is read-only, and what to do", function()
        local errors = program.lua([[
            local function why(f) return (select(2, pcall(f)):gsub("^.-%d: ", "")) end
            return {
                why(function() string.format = 1 end), why(function() require("json").encode = 1 end),
                why(function() x = 1 end), why(function() package.loaded.x = 1 end),
                why(function() rawset(string, 1, 1) end), why(function() require("cjson").encode_max_depth(3) end),
            }
        ]])
        assert.same({
            "assigning string.format: it is read-only, for nothing outlives a request; use a local",
            "assigning json.encode: it is read-only, for nothing outlives a request; use a local",
            "assigning the global 'x': nothing outlives a request; use a local",
            "assigning package.loaded.x: it is read-only, for nothing outlives a request",
            "rawset: the table is read-only, for nothing outlives a request; use a local",
            "cjson.encode_max_depth: only while the scripts are loaded; cjson.new() gives a codec of your own",
        }, errors)
    end)

    it("shows tables of the library as they are: their fields, their length, their order", function()
        assert.same({ 6, 6, "minItems", 6 }, program.lua([[
            local list, counted, names = require("schema.keywords.arrays"), 0, 0
            for _ in ipairs(list) do counted = counted + 1 end
            for position, definition in pairs(list) do names = names + (list[position] == definition and 1 or 0) end
            return { #list, counted, list[1].keyword, names }
        ]]))
    end)

    it("remembers no metatable that nobody uses any more", function()
        assert.is_true(program.lua([[
            collectgarbage()
            local before = collectgarbage("count")
            for _ = 1, 20000 do setmetatable({}, {}) end
            collectgarbage()
            return collectgarbage("count") - before < 500
        ]]))
    end)

    it("leaves scripts their own: tables, metatables, modules; and what they add while they are loaded", function()
        local folder = tmp.dir("scripts")
        tmp.write(folder .. "/mine.lua", [[
            local Account = { count = 0 }
            Account.__index = Account
            function Account.new() return setmetatable({ owner = "me" }, Account) end
            function Account:name() return self.owner end
            return Account
        ]])
        tmp.write(folder .. "/tools.lua", [[
            function string.shout(text) return text:upper() .. "!" end
            greeting = "hello"
            local Account = require("mine")
            tool { name = "own", description = "Own", input = { type = "object" }, handler = function()
                local sub = setmetatable({}, { __index = Account })
                local raw = setmetatable({}, { __newindex = function(t, k, v) rawset(t, k, v .. "?") end })
                raw.x = "y"
                local counted = 0
                for _ in pairs(string) do counted = counted + 1 end
                return table.concat({
                    Account.new():name(), sub.new():name(), tostring(getmetatable(Account.new()) == Account), raw.x,
                    greeting:shout(), string.shout("x"), tostring(counted > 10), tostring(require("mine") == Account),
                    tostring(string == require("string")), tostring(_G.string == string),
                    tostring(package.loaded.mine == Account),
                    tostring(getmetatable("")), tostring(_G == require("_G")),
                }, " ")
            end }
        ]])
        local other = server.start({ tools = folder .. "/tools.lua" })
        assert.equal("me me true y? HELLO! X! true true true true true false true", (other:text("own")))
        assert.equal("me me true y? HELLO! X! true true true true true false true", (other:text("own")))
        other:stop()
    end)
end)
