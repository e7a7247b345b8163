--- The string functions of patterns: the answers of stock Lua, and nobody is held up.
local program = require("spec.support.program")
local same_lua = require("spec.support.same_lua")
local tmp = require("spec.support.tmp")

-- Random texts and patterns, the wrong ones too; the arguments are the seed, how many, and the longest text.
local RANDOM = [==[
    local seed, many, longest = tonumber((...)), tonumber((select(2, ...))), tonumber((select(3, ...)))
    local function random(n)
        seed = (seed * 1103515245 + 12345) % 2147483648
        return (seed >> 8) % n + 1
    end
    local function pick(list) return list[random(#list)] end
    local ITEMS = {
        "a", "b", ".", "%a", "%d", "%s", "%w", "%W", "%p", "%x", "%z", "%c", "%g", "%l", "%U", "[ab]", "[^a]", "[a-c]",
        "[%a_]", "[]]", "[^]]", "[a-]", "[%]]", "[%a-z]", "%.", "%%", "(", ")", "()", "(", ")", "%1", "%2", "%b()",
        "%bab", "%f[%w]", "%f[^a]", "$", "^", "-", "\0", "é", "[", "%", "%f", "%b", "]", "[%]", "[^", "[a-%",
    }
    local SUFFIXES = { "", "", "", "", "*", "+", "-", "?" }
    local CHARS = { "a", "b", "a", "b", "c", "1", " ", "(", ")", "_", ".", "%", "]", "-", "\0", "é", "A" }
    local function text()
        local t = {}
        for i = 1, random(longest) - 1 do t[i] = pick(CHARS) end
        return table.concat(t)
    end
    local function pattern()
        local t = { random(6) == 1 and "^" or "" }
        for _ = 1, random(7) - 1 do t[#t + 1] = pick(ITEMS) .. pick(SUFFIXES) end
        return table.concat(t) .. (random(6) == 1 and "$" or "")
    end
    local function show(...)
        local t = {}
        for i = 1, select("#", ...) do
            local v = select(i, ...)
            t[i] = type(v) .. " " .. tostring(v):gsub("table: .*", "table"):gsub("\n", " ")
        end
        return table.concat(t, ", ")
    end
    local function every(s, p, init)
        local t = {}
        for a, b, c in s:gmatch(p, init) do t[#t + 1] = show(a, b, c) end
        return table.concat(t, "; ")
    end
    local lines = {}
    local function add(s, p, what, ...)
        local line = ("%q %q %s: %s"):format(s, p, what, show(...))
        lines[#lines + 1] = line:gsub("[\128-\255]", function(c) return ("\\%d"):format(c:byte()) end)
    end
    for _ = 1, many do
        local s, p = text(), pattern()
        local init = random(8) == 1 and random(longest + 4) - longest // 2 or nil
        add(s, p, "find", pcall(string.find, s, p, init))
        add(s, p, "match", pcall(string.match, s, p, init))
        add(s, p, "gmatch", pcall(every, s, p, init))
        local template = pick({ "<%0>", "%1", "%2", "x", "%%", "%", "", "%a", 12 })
        add(s, p, "gsub by " .. template, pcall(string.gsub, s, p, template, pick({ nil, 1, 2, 0, -1 })))
        local value = pick({ false, 1, "z", {}, 2.5 })
        add(s, p, "gsub by a function", pcall(string.gsub, s, p, function(a, b) return value or b or a end))
        add(s, p, "gsub by a table", pcall(string.gsub, s, p, { a = "1", b = 2, ["("] = false, [1] = "one", [""] = "e" }))
    end
    return table.concat(lines, "\n")
]==]

local ENDLESS = '("a"):rep(30000):find((".-"):rep(20) .. "b")'
local COMPUTED = "stopped: it computed for more than 200 ms"

describe("patterns", function()
    for _, case in ipairs({ { 1, 4000, 10 }, { 2, 2500, 40 }, { 3, 400, 400 } }) do
        it(("answer as stock Lua's do: %d random ones, seed %d, texts of up to %d characters"):format(case[2], case[1],
            case[3]), function()
            local args = { tostring(case[1]), tostring(case[2]), tostring(case[3]) }
            same_lua(RANDOM, args, { env = { SANDSTORM_SCRIPT_CPU_MS = "60000" } })
        end)
    end

    it("answer as stock Lua's do at the edges", function()
        same_lua([==[
            local long = ("a"):rep(300)
            local cases = {
                { "find", long, ("a?"):rep(199) }, { "find", long, ("a?"):rep(200) }, { "find", "a", ("a?"):rep(300) },
                { "find", "a", ("("):rep(33) }, { "find", "a", ("()"):rep(32) }, { "find", "a", ("()"):rep(33) },
                { "match", long, ("(a)"):rep(32) }, { "find", long, ("a*"):rep(200) .. "b" }, { "find", "", "" },
                { "find", "abc", "", 4 }, { "find", "abc", "", 5 }, { "find", "abc", "b", -2 }, { "find", "abc", "c", -99 },
                { "find", "a.b", ".", 2, true }, { "find", "a\0b", "\0" }, { "find", "a\0b", "b", 1, true },
                { "find", "a)", "a)" }, { "find", "abc", "[a-%c]" }, { "find", "^a", "^^a" }, { "find", "a$b", "a$b" },
                { "gmatch", "^a^a", "^a" }, { "gsub", "abc", "%w", "%%%0" }, { "gsub", "abc", "^a", "x", 5 },
                { "gsub", "hello world", "o", "0", 1 }, { "gsub", "abc", "", "-" }, { "gsub", "abc", "b*", "-" },
                { "gsub", "abc", "()b", "%1" }, { "gsub", "abc", "b", "%2" }, { "gsub", "abc", "(b", "%1" },
                { "gsub", "abc", "b", true }, { "gsub", "abc", "b" }, { "gsub", "abc" }, { "find", "x" }, { "find", {} },
                { "gsub", "abc", "b", "x", "many" }, { "match", "x", "x", {} }, { "gmatch", "x" }, { "find", 12, 1 },
                { "match", "  trim me  ", "^%s*(.-)%s*$" }, { "match", "THE (quick) fox", "%((%a+)%)" },
                { "find", "THE (quick) fox", "%f[%a]%a+%f[%A]" }, { "match", "[[x]]", "%[(=*)%[(.-)%]%1%]" },
            }
            local lines = {}
            for i, case in ipairs(cases) do
                local got = table.pack(pcall(string[case[1]], table.unpack(case, 2)))
                for j = 1, got.n do got[j] = type(got[j]) == "function" and "function" or tostring(got[j]) end
                lines[#lines + 1] = i .. " " .. case[1] .. ": " .. table.concat(got, ", ")
            end
            return table.concat(lines, "\n")
        ]==])
    end)

    describe("that backtrack without end are stopped in", function()
        local cases = {
            find = "return " .. ENDLESS,
            match = '(("a"):rep(30000)):match((".-"):rep(20) .. "b")',
            ["find with greedy items"] = '("a"):rep(30000):find(("a*"):rep(20) .. "b")',
            gmatch = 'for _ in ("a"):rep(30000):gmatch((".-"):rep(20) .. "b") do end',
            gsub = '("a"):rep(30000):gsub((".-"):rep(20) .. "b", "")',
            ["a pcall that is repeated"] = "while true do pcall(function() return " .. ENDLESS .. " end) end",
            ["a coroutine"] = "coroutine.wrap(function() return " .. ENDLESS .. " end)()",
            ["a callback of gsub"] = '("x"):gsub("x", function() return ' .. ENDLESS .. " end)",
            ["a metamethod that C calls"] = [[
                tostring(setmetatable({}, { __tostring = function() return ]] .. ENDLESS .. " end }))",
            ["%b on a long text"] = '("("):rep(300000):find("%b()")',
            ["a back reference"] = '("a"):rep(300000):find("(.-)%1b")',
            ["a long set"] = '("a"):rep(300000):find("[" .. ("b-c"):rep(1e5) .. "]*d")',
        }
        for name, code in pairs(cases) do
            it(name, function()
                local result = program.run({ args = { "run", "--script-cpu-ms", "200", tmp.file("chunk.lua", code) } })
                assert.equal(1, result.code)
                assert.matches("chunk.lua:%d+: " .. COMPUTED, result.stderr)
            end)
        end
    end)

    it("finds in a search that pauses many times what it finds in one piece", function()
        same_lua([==[
            local text = ("ab"):rep(60000) .. "!" .. ("ba"):rep(10)
            local count, sum = 0, 0
            for a, b in text:gmatch("()a(b)") do count, sum = count + 1, sum + a * #b end
            local replaced, many = text:gsub("(a)(b)", "%2%1")
            local upper = text:gsub("a", function(c) return c:upper() end)
            return table.concat({ count, sum, #replaced, many, replaced:sub(-30), upper:sub(-30),
                text:find((".-"):rep(2) .. "!(b)"), select("#", text:match(("(a?)"):rep(30))),
                text:find("a", 110000, true), #text:match("^(.*)!") }, " ")
        ]==], {}, { env = { SANDSTORM_SCRIPT_CPU_MS = "60000" } })
    end)

    it("that backtrack without end refuse the scripts with file and line", function()
        local tools = tmp.file("tools.lua", "local x = 1\nlocal y = " .. ENDLESS .. "\n")
        local result = program.run({ args = { "check", "--tools", tools } })
        assert.equal(1, result.code)
        assert.matches("tools.lua:2: reading the scripts took too long; is there an endless loop?", result.stderr, 1, true)
    end)

    it("refuses a pattern of more than a mebibyte", function()
        assert.same({ false, "pattern too complex" }, program.lua([[
            return { pcall(string.find, "a", "[" .. ("b"):rep(1 << 20) .. "]") }
        ]]))
    end)
end)
