--- The functions of the standard library that are not Lua's own here: the answers of stock Lua, within bounds.
local program = require("spec.support.program")
local same_lua = require("spec.support.same_lua")
local tmp = require("spec.support.tmp")

local PREFIX = [==[
    local lines = {}
    local function add(...)
        local t = table.pack(...)
        for i = 1, t.n do t[i] = tostring(t[i]):gsub("0x%x+", "ADDRESS") end
        lines[#lines + 1] = table.concat(t, " ")
    end
    local function list(t, n)
        local out = {}
        for i = 1, n or #t do out[i] = tostring(t[i]) end
        return "{" .. table.concat(out, ",") .. "}"
    end
    local seed = 11
    local function random(n)
        seed = (seed * 1103515245 + 12345) % 2147483648
        return (seed >> 8) % n + 1
    end
]==]

local CASES = {
    ["table.sort"] = [==[
        for i = 1, 600 do
            local t = {}
            for j = 1, random(i % 60 == 0 and 2000 or 30) - 1 do t[j] = i % 2 == 0 and random(100) or ("k" .. random(100)) end
            table.sort(t, i % 3 == 0 and function(a, b) return a > b end or nil)
            add(list(t))
        end
        add(pcall(table.sort, { 1, "a" }))
        add(pcall(table.sort, { 1, 2, nil, 4 }, 12))
        add(pcall(table.sort, "abc"))
        add(pcall(table.sort, { {}, {} }))
        add(pcall(table.sort, { 3, 2, 1 }, function() error("stop", 0) end))
    ]==],
    ["table.concat"] = [==[
        local t, last = { 1, 2, 3 }, math.maxinteger
        add(table.concat({}), table.concat({ 1, 2.5, "x" }, ", "), table.concat(t, "-", 2), table.concat(t, "-", 2, 2))
        add(table.concat(t, "-", 3, 2), table.concat({ [last] = "last" }, "-", last, last))
        add(pcall(table.concat, { 1, {}, 3 }))
        add(pcall(table.concat, { 1 }, "", 1, 2))
        add(pcall(table.concat, { 1 }, {}))
        add(pcall(table.concat, 12))
        add(#table.concat({ ("x"):rep(5000), ("y"):rep(600) }, ("z"):rep(1000)))
        add(table.concat(setmetatable({}, { __len = function() return 2 end, __index = function(_, k) return k * 2 end }), " "))
    ]==],
    ["table.insert, remove and move"] = [==[
        local t = { 1, 2, 3 }
        table.insert(t, 4) table.insert(t, 1, 0) table.insert(t, 6, 5) table.insert(t, 3, "x")
        add(list(t), table.remove(t), table.remove(t, 1), table.remove(t, 2), list(t))
        add(table.remove({}), table.remove({}, 0), table.remove({ [0] = "zero" }, 0), table.remove({ 1 }, 2))
        add(pcall(table.insert, t)) add(pcall(table.insert, t, 1, 2, 3)) add(pcall(table.insert, t, 9, 2))
        add(pcall(table.insert, t, 0, 2)) add(pcall(table.insert, 1, 2))
        add(select("#", pcall(table.remove, t, 9)), select("#", pcall(table.remove, {}, 2)))
        add(list(table.move({ 1, 2, 3 }, 1, 3, 2)), list(table.move({ 1, 2, 3 }, 2, 3, 1)))
        add(list(table.move({ 1, 2, 3 }, 1, 3, 1, {})))
        add(list(table.move({ 1, 2, 3 }, 1, 0, 5)), list(table.move({ 1, 2, 3 }, 2, 3, 2, { 9, 9 })))
        add(pcall(table.move, {}, -1, math.maxinteger, 2)) add(pcall(table.move, {}, 1, math.maxinteger, 2))
        add(pcall(table.move, {}, 1, 2)) add(pcall(table.move, {}, 1, 2, 3, 4))
    ]==],
    ["long tables"] = [==[
        local t, n = {}, 200000
        for i = 1, n do t[i] = (i * 7919) % n end
        table.sort(t)
        add(#t, t[1], t[n // 2], t[n])
        table.sort(t, function(a, b) return a % 1000 > b % 1000 or a % 1000 == b % 1000 and a < b end)
        table.insert(t, 1, "first")
        local moved = table.move(t, 1, #t, 3, { "x", "y" })
        add(#t, #moved, moved[2], moved[3], moved[4], table.remove(t, 1), #t, #table.concat(t), #table.concat(moved, ", "))
        local sum = 0
        for i, v in ipairs(t) do sum = sum + i * v end
        add(sum)
    ]==],
    ["string.rep"] = [==[
        add(("ab"):rep(3), ("ab"):rep(3, ","), ("ab"):rep(1, ","), ("ab"):rep(0), ("ab"):rep(-1), (""):rep(100), (""):rep(3, "-"))
        add(("x"):rep(7, "--"), #("abc"):rep(12345, "de"), ("\0a"):rep(2) == "\0a\0a")
        add(pcall(string.rep, "x", 1 << 62, "yy")) add(pcall(string.rep, "x")) add(pcall(string.rep, {}, 1))
    ]==],
    ["load"] = [==[
        add(load("return 1 + 1")(), load("return x", "name", "t", { x = "mine" })(), (load("syntax error")))
        add(load("syntax error")) add(load("return +", "=named")) add(load("\27Lua", "b", "t")) add(pcall(load, {}))
        local n = 0
        add(load(function() n = n + 1 return ({ "return ", "'", "pieces'" })[n] end)())
        add(load(function() return {} end)) add(load(function() return nil end)) add(load(function() return "" end)())
        add(load("return ...")(1, 2), load("local a <const> = 1; return a", nil, nil, nil)())
    ]==],
    ["what has bounds"] = [==[
        add(("aBc"):lower(), ("aBc"):upper(), ("aBc"):reverse(), utf8.len("aé"), utf8.offset("aé", 3))
        add(tonumber("0x10"), tonumber("z", 36), tonumber("1e1"), tonumber(" 7 "), tonumber("x"))
        for p, c in utf8.codes("é!") do add(p, c) end
        add(string.format("%5.1f|%q|%s|%d%%", 1.25, "a\n", {} ~= nil, 3), string.packsize("i4"), string.unpack("z", "abc\0"))
        add(pcall(string.format, "%d", "x")) add(pcall(string.format)) add(pcall(("x").lower))
        add(pcall(tonumber)) add(pcall(utf8.len, {}))
        add(collectgarbage(), type(collectgarbage("count")))
    ]==],
}

describe("the standard library", function()
    for name, code in pairs(CASES) do
        it("answers as stock Lua's: " .. name, function()
            same_lua(PREFIX .. code .. '\nreturn table.concat(lines, "\\n")', {}, {
                env = { SANDSTORM_SCRIPT_CPU_MS = "60000" },
            })
        end)
    end

    it("table.sort keeps the order of equals, bears a wrong order function, and leaves the table when that raises", function()
        assert.same({ { "a1", "b1", "a2", "b2", "c2" }, 300, { 3, 1, 2 } }, program.lua([[
            local t = { "a2", "b2", "a1", "c2", "b1" }
            table.sort(t, function(a, b) return a:sub(2) < b:sub(2) end)
            local many = {}
            for i = 1, 300 do many[i] = i end
            table.sort(many, function() return true end)
            local seen, count = {}, 0
            for _, v in ipairs(many) do if not seen[v] then seen[v], count = true, count + 1 end end
            local kept = { 3, 1, 2 }
            pcall(table.sort, kept, function(a, b) if a == 1 then error("no") end return a < b end)
            return { t, count, kept }
        ]]))
    end)

    local refused = {
        ["text.clean"] = { 'require("text").clean(("x"):rep(33 << 20))', "text.clean: expected at most 33554432 bytes" },
        ["crypto.base64"] = {
            'require("crypto").base64(("x"):rep(33 << 20))', "crypto.base64: argument 1 (bytes): expected at most 33554432",
        },
        ["cjson.decode"] = { 'require("cjson").decode((" "):rep(17 << 20))', "cjson.decode: expected at most 16777216" },
        ["decode of another cjson"] = {
            'require("cjson").new().decode((" "):rep(17 << 20))', "cjson.decode: expected at most 16777216",
        },
        ["a JSON text of many values"] = {
            'local t = {} for _ = 1, 40 do t = { t, t } end require("json").encode(t)', "json.encode: more than 1000000 values",
        },
        ["string.lower"] = { '("x"):rep(33 << 20):lower()', "string of more than 33554432 bytes" },
        ["utf8.len"] = { 'utf8.len(("x"):rep(33 << 20))', "string of more than 33554432 bytes" },
        ["tonumber"] = { 'tonumber(("1"):rep(33 << 20))', "string of more than 33554432 bytes" },
        ["string.format"] = { 'string.format(("x"):rep(2 << 20))', "format of more than 1048576 bytes" },
        ["string.format with many values"] = { 'string.format("%d", table.unpack({}, 1, 10001))', "more than 9999 values" },
        ["string.format %q"] = { 'string.format("%q", ("x"):rep((1 << 19) + 1))', "%q of more than 524288 bytes" },
        ["string.pack"] = { 'string.pack(("x"):rep(2 << 20))', "string of more than 1048576 bytes" },
        ["os.date"] = { 'os.date(("%c"):rep(3000))', "string of more than 4096 bytes" },
        ["load"] = { 'assert(load(("x=1 "):rep(1 << 14)))', "load: the text is longer than 32768 bytes" },
        ["load of pieces"] = { 'assert(load(function() return "local x " end))', "load: the text is longer than 32768 bytes" },
        ["string.rep"] = { '("x"):rep(1 << 40)', "stopped: the scripts hold all the memory they may" },
    }
    for name, case in pairs(refused) do
        it("refuses what would take long in one piece: " .. name, function()
            local result = program.run({ args = { "run", tmp.file("chunk.lua", case[1]) } })
            assert.equal(1, result.code)
            assert.matches(case[2], result.stderr, 1, true)
        end)
    end

    it("stops what never ends in C", function()
        for _, code in ipairs({
            "table.move({}, 1, 1 << 60, 2)",
            "table.concat(setmetatable({}, { __index = rawlen }), '', 1, 1 << 60)",
            "table.sort(setmetatable({}, { __len = function() return 1 << 30 end, __index = rawlen, __newindex = rawlen }))",
            "while true do collectgarbage() end",
        }) do
            local result = program.run({ args = { "run", "--script-cpu-ms", "200", tmp.file("chunk.lua", code) } })
            assert.equal(1, result.code)
            assert.matches("stopped: it computed for more than 200 ms", result.stderr, 1, true)
        end
    end)
end)
