--- What the README promises about names and commands.
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

describe("README", function()
    local readme = tmp.read("README.md")

    it("names as its first two commands files that can be run", function()
        local commands = {}
        for line in readme:gmatch("```sh\n(%./[^\n]+)\n") do commands[#commands + 1] = line end
        assert.same({ "./deploy/quickstart.sh", "./spec/run" }, commands)
        for _, command in ipairs(commands) do tmp.shell("test -x " .. command) end
    end)

    it("has a row for every setting of --help, with its default and meaning, and no other", function()
        local help = program.run({ args = { "--help" } }).stdout
        local rows, expected = {}, {} -- sets
        local function add(set, ...) set[("%s %s %s %s"):format(...)] = true end
        for option, variable, default, meaning in readme:gmatch("\n| ([`%-%w]+) | `([A-Z_]+)` | ([^|]*)| ([^|\n]*) |") do
            add(rows, option, variable, default:match("`(.*)`") or "", meaning)
        end
        for option, variable, text in help:gmatch("\n  (%-%-[%w-]+) %S+, ([A-Z_]+)\n +([^\n]+)") do
            local meaning, default = text:match("^(.-) %(default: ([^()]*)%)$")
            if not meaning or default:find(" ") then meaning, default = text, "" end
            add(expected, "`" .. option .. "`", variable, default, meaning)
        end
        for variable, meaning in help:gmatch("\n  ([A-Z_]+)\n +([^\n]+)") do
            add(expected, "none", variable, "", meaning)
        end
        assert(expected["`--port` SANDSTORM_MCP_PORT 8080 TCP port; 0 takes a free one, which the log names"], help)
        local different = {}
        for row in pairs(expected) do
            if not rows[row] then different[#different + 1] = "wants " .. row end
        end
        for row in pairs(rows) do
            if not expected[row] then different[#different + 1] = "has   " .. row end
        end
        assert(#different == 0, table.concat(different, "\n"))
    end)

    it("lists the tools that the shipped scripts define", function()
        local listed, offered = {}, {}
        for name in readme:match("## Tools\n(.-)\n## "):gmatch("\n| `([%w_]+)` |") do listed[#listed + 1] = name end
        for name in program.run({ args = { "check" } }).stdout:gmatch("([%l_]+) [^\n]+\n") do offered[#offered + 1] = name end
        table.sort(listed)
        table.sort(offered)
        assert.same(offered, listed)
    end)
end)
