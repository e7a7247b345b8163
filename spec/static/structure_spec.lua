--- The rules of the house that a machine can check.
local cjson = require("cjson")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

local FUNCTION_LINES, FILE_LINES, LUA_FUNCTION_LINES, COMMENT_COLUMNS = 80, 400, 60, 110

--- The files that match a `find` expression, without the leading "./".
local function files(expression)
    local list = {}
    for path in tmp.shell("find " .. expression .. " | sort"):gmatch("[^\n]+") do list[#list + 1] = path end
    assert(#list > 0, "nothing matches: find " .. expression)
    return list
end

local function lines_of(path)
    local _, count = tmp.read(path):gsub("\n", "")
    return count
end

local function none(list, what) assert(#list == 0, what .. ":\n" .. table.concat(list, "\n")) end

describe("structure", function()
    it("only the bindings, the VM and the fiber include Lua's headers", function()
        local found = {}
        for _, path in ipairs(files("runtime -name '*.[ch]'")) do
            local name = path:match("[^/]+$")
            local may = name:match("^lua_") or name:match("^vm%.") or name:match("^fiber%.")
            for header in tmp.read(path):gmatch('#include [<"](%w+)%.h') do
                local is_lua = header == "lua" or header == "lauxlib" or header == "lualib"
                if is_lua and not may then found[#found + 1] = path end
            end
        end
        none(found, "Lua's headers are included by")
    end)

    it("nothing below the bindings includes one: only what wires the parts does", function()
        local WIRES = { ["main.c"] = true, ["worker.c"] = true, ["vm.c"] = true }
        local found = {}
        for _, path in ipairs(files("runtime -name '*.[ch]'")) do
            local name = path:match("[^/]+$")
            for header in tmp.read(path):gmatch('#include "(lua_[%w_]+%.h)"') do
                if not name:match("^lua_") and not WIRES[name] then found[#found + 1] = path .. " includes " .. header end
            end
        end
        none(found, "from below")
    end)

    it("the folders of lib lean on each other in one direction, and on the modules beside them", function()
        local MAY = { -- other folders that modules of a folder may require
            schema = {}, mcp = { schema = true }, git = {}, oauth = {}, session = { git = true },
        }
        local found = {}
        for _, path in ipairs(files("lib -mindepth 2 -name '*.lua' -not -path '*/_meta/*'")) do
            local folder = path:match("^lib/([^/]+)")
            for name in tmp.read(path):gmatch('require%("([%w_.]+)"%)') do
                local other = name:match("^([^.]+)%.")
                local fits = not other or other == folder or MAY[folder][other] or MAY[folder][name]
                if not fits then found[#found + 1] = path .. " requires " .. name end
            end
        end
        none(found, "not below it")
    end)

    it("every header compiles alone", function()
        local commands = assert(tmp.read("build/compile_commands.json"), "build with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        local command
        for _, entry in ipairs(cjson.decode(commands)) do
            if entry.file:match("/runtime/buf%.c$") then command = entry.command:match("^(.-) %-o ") end
        end
        local lines = {}
        for _, path in ipairs(files("runtime -name '*.h'")) do
            lines[#lines + 1] = ("%s -Wno-unused-macros -fsyntax-only -x c %s || exit 1"):format(command, path)
        end
        tmp.shell(table.concat(lines, "\n"))
    end)

    it("no C function is longer than " .. FUNCTION_LINES .. " lines", function()
        local found = {}
        local tags = tmp.shell("ctags -f - --languages=C --kinds-C=f --fields=+ne --excmd=number -R runtime spec/bench")
        local seen = 0
        for name, path, first, last in tags:gmatch("(%S+)\t(%S+)\t[^\n]-line:(%d+)[^\n]-end:(%d+)") do
            seen = seen + 1
            local length = last - first + 1
            if length > FUNCTION_LINES then found[#found + 1] = ("%s:%d %s %d"):format(path, first, name, length) end
        end
        assert(seen > 100, "ctags found hardly any function")
        none(found, "too long")
    end)

    it("no C file is longer than " .. FILE_LINES .. " lines", function()
        local found = {}
        for _, path in ipairs(files("runtime spec/bench -name '*.c'")) do
            if lines_of(path) > FILE_LINES then found[#found + 1] = path .. " " .. lines_of(path) end
        end
        none(found, "too long")
    end)

    it("no comment in C is wider than " .. COMMENT_COLUMNS .. " columns: clang-format leaves comments alone", function()
        local found = {}
        for _, path in ipairs(files("runtime spec/bench spec/fuzz -name '*.[ch]'")) do
            local number = 0
            for line in tmp.read(path):gmatch("([^\n]*)\n") do
                number = number + 1
                if line:find("^%s*/?%*") and utf8.len(line) > COMMENT_COLUMNS then found[#found + 1] = path .. ":" .. number end
            end
        end
        none(found, "too wide")
    end)

    it("no Lua function is longer than " .. LUA_FUNCTION_LINES .. " lines", function()
        local found = {}
        for _, path in ipairs(files("lib tools.lua -name '*.lua' -not -path '*/_meta/*'")) do
            for first, last in tmp.shell("luac5.4 -l -p " .. path):gmatch("\nfunction <[^:\n]*:(%d+),(%d+)>") do
                if last - first + 1 > LUA_FUNCTION_LINES then found[#found + 1] = path .. ":" .. first end
            end
        end
        none(found, "too long")
    end)

    it("no object file of ours has mutable file-scope state", function()
        local found = {}
        for _, path in ipairs(files("build/CMakeFiles/sandstorm*.dir/runtime -name '*.o'")) do
            for section, name in tmp.shell("objdump -t " .. path):gmatch("\n%x+ [^\n]-O (%S+)\t%x+ ([^\n]+)") do
                local mutable = section:match("^%.t?bss") or section:match("^%.t?data") or section == "*COM*"
                if mutable and not section:match("^%.data%.rel%.ro") then found[#found + 1] = path .. " " .. name end
            end
        end
        none(found, "mutable")
    end)

    it("A07 secrets are compared by nothing that stops at the first difference", function()
        local function undefined(name) return tmp.shell("nm -u build/CMakeFiles/sandstorm.dir/runtime/" .. name .. ".c.o") end
        assert.matches("CRYPTO_memcmp", undefined("crypto"))
        assert.matches("crypto_same", undefined("keys")) -- under a key of the process, which hides lengths as well
        assert.matches("crypto_mac_of", undefined("keys"))
        assert.matches("crypto_same", undefined("token"))
        for _, name in ipairs({ "crypto", "keys", "auth", "access" }) do
            for _, compare in ipairs({ " memcmp", " strcmp", " strncmp", " bcmp" }) do
                assert.is_nil(undefined(name):find(compare, 1, true), name .. compare)
            end
        end
        local found = {}
        for _, path in ipairs(files("lib/oauth -name '*.lua'")) do
            for _, secret in ipairs({ "signature", "secret", "password", "verifier" }) do
                for other in tmp.read(path):gmatch(secret .. " *[~=]= *(%S+)") do
                    if other ~= '""' then found[#found + 1] = ("%s: %s with %s"):format(path, secret, other) end
                end
            end
        end
        none(found, "compared without crypto.equal")
    end)

    it("spec mirrors lib, name for name", function()
        local NEEDS_NONE = { -- what only says, and decides nothing
            ["lib/oauth/style.lua"] = "the style sheet of the pages",
            ["lib/schema/pattern/unicode_data.lua"] = "the table behind schema.pattern.unicode",
            ["lib/schema/positions.lua"] = "the table of the keywords that hold schemas",
        }
        local found = {}
        for _, path in ipairs(files("lib -name '*.lua' -not -path 'lib/_meta/*'")) do
            local spec = path:gsub("^lib/(.*)%.lua$", "spec/%1_spec.lua")
            local has = tmp.kind(spec) ~= nil
            if has == (NEEDS_NONE[path] ~= nil) then
                found[#found + 1] = path .. (has and " has one and is listed as one that needs none" or " wants " .. spec)
            end
        end
        none(found, "no spec")
    end)

    it("nothing is left for later", function()
        local words = "\\b(TO" .. "DO|FIX" .. "ME|XX" .. "X|HA" .. "CK)\\b"
        local found = tmp.shell("grep -rnIE '" .. words .. "' " ..
            "--exclude-dir=node_modules --exclude-dir=.venv --exclude-dir=fixtures " ..
            "--exclude=package-lock.json runtime lib spec deploy README.md CHANGELOG.md CMakeLists.txt tools.lua || true")
        assert.equal("", found)
    end)

    it("shell scripts parse", function()
        for _, path in ipairs(files("deploy/*.sh spec/run spec/bench/run .ci/run")) do tmp.shell("bash -n " .. path) end
    end)
end)

describe("modules that C provides", function()
    --- The names in lua_modules.h; lua-cjson stands apart there and is not ours to describe.
    local function registered()
        local names = {}
        local list = tmp.read("runtime/lua_modules.h"):match("#define LUA_MODULES%(X%)(.-[^\\])\n")
        for name in list:gmatch("X%(([%w_]+)%)") do names[#names + 1] = name end
        return names
    end

    it("have a type file each, with the same names in both", function()
        local names = registered()
        assert(#names >= 7, "hardly any module is registered")
        local different = program.lua([[
            local different = {}
            for _, name in ipairs({ ... }) do
                local ours = require(name)
                local load, why = loadfile(name .. ".lua")
                local described = load and load() or {}
                if not load then different[#different + 1] = name .. ": " .. why end
                for key in pairs(ours) do
                    if described[key] == nil then different[#different + 1] = name .. "." .. key .. " has no type" end
                end
                for key in pairs(described) do
                    if ours[key] == nil then different[#different + 1] = name .. "." .. key .. " does not exist" end
                end
            end
            return table.concat(different, "\n")
        ]], { args = names, cwd = program.root .. "/lib/_meta" })
        assert.equal("", different)
    end)
end)
