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
        local rows, expected = {}, {}
        for option, variable, default, meaning in readme:gmatch("\n| ([`%-%w]+) | `([A-Z_]+)` | ([^|]*)| ([^|\n]*) |") do
            rows[#rows + 1] = ("%s %s %s %s"):format(option, variable, default:match("`(.*)`") or "", meaning)
        end
        for option, variable, text in help:gmatch("\n  (%-%-[%w-]+) %S+, ([A-Z_]+)\n +([^\n]+)") do
            local meaning, default = text:match("^(.-) %(default: ([^()]*)%)$")
            if not meaning or default:find(" ") then meaning, default = text, "" end
            expected[#expected + 1] = ("`%s` %s %s %s"):format(option, variable, default, meaning)
        end
        for variable, meaning in help:gmatch("\n  ([A-Z_]+)\n +([^\n]+)") do
            expected[#expected + 1] = ("none %s  %s"):format(variable, meaning)
        end
        assert(#expected > 15, help)
        table.sort(rows)
        table.sort(expected)
        assert.same(expected, rows)
    end)
end)
