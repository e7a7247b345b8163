local fake_host = require("spec.support.fake_host")

describe("incident", function()
    local host, incident

    before_each(function()
        host = fake_host.install()
        incident = require("mcp.incident")
    end)

    it("tells the agent an id and the log everything under that id", function()
        local told = incident.report("echo", "lib/x.lua:3: boom\nstack traceback:\n\tlib/x.lua:3")
        assert.equal("Internal error in echo; the server's log has it under 0123456789abcdef", told)
        local line = host.lines[1]
        assert.equal("error", line.level)
        assert.same({
            tool = "echo", incident = "0123456789abcdef",
            error = "lib/x.lua:3: boom", trace = "stack traceback:\n\tlib/x.lua:3",
        }, line.fields)
    end)

    it("M13 describes raised values of every type", function()
        local stubborn = setmetatable({}, { __tostring = function() error("no") end })
        local odd = setmetatable({}, { __tostring = function() return "an object" end })
        assert.matches("^plain\n", incident.trace("plain"))
        assert.matches("^nil\n", incident.trace(nil))
        assert.matches("^5\n", incident.trace(5))
        assert.matches("^an object\n", incident.trace(odd))
        assert.matches("^a value of type table\n", incident.trace(stubborn))
        assert.matches("^table: ", incident.trace({}))
    end)
end)
