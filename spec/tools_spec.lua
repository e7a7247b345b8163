--- The shipped tools.lua, as agents see it.
local fake_host = require("spec.support.fake_host")
fake_host.install()
local registry = require("mcp.registry")
local script = require("mcp.script")

local tools = registry.new()
script.run("tools.lua", tools)

-- Names, required arguments and the others, as v0.1.0 had them; what was added may not be required.
local KNOWN = {
    file_read = { { "path" }, {} },
    file_write = { { "path", "content" }, {} },
    file_delete = { { "path" }, {} },
    file_list = { {}, { "path", "recursive" } },
    file_move = { { "source", "dest" }, {} },
    file_mkdir = { { "path" }, {} },
    terminal_exec = { { "command" }, { "cwd", "timeout" } },
    terminal_exec_background = { { "command" }, { "cwd" } },
    terminal_kill = { { "pid" }, {} },
    workspace_info = { {}, {} },
    workspace_install = { { "packages" }, { "manager" } },
    git_clone = { { "repo_url" }, { "path", "branch" } },
    git_status = { {}, { "path" } },
    git_commit = { { "message" }, { "path" } },
    git_push = { {}, { "remote", "branch", "path" } },
    git_pull = { {}, { "remote", "branch", "path" } },
    git_branch = { {}, { "name", "path" } },
    git_checkout = { { "branch" }, { "path" } },
    git_diff = { {}, { "path" } },
    git_log = { {}, { "n", "path" } },
}

describe("tools.lua", function()
    it("offers the twenty tools", function()
        assert.equal(20, #tools:names())
        for _, name in ipairs(tools:names()) do assert.is_table(KNOWN[name], name) end
    end)

    for name, known in pairs(KNOWN) do
        describe(name, function()
            local public = tools:find(name).public

            it("has the arguments that clients know", function()
                local required, others = known[1], known[2]
                assert.same(required, public.inputSchema.required or {})
                for _, list in ipairs({ required, others }) do
                    for _, argument in ipairs(list) do assert.is_table(public.inputSchema.properties[argument], argument) end
                end
                assert.is_false(public.inputSchema.additionalProperties)
            end)

            it("says everything about itself: title, all four hints, output, each argument", function()
                assert.is_string(public.title)
                for _, hint in ipairs({ "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint" }) do
                    assert.is_boolean(public.annotations[hint], hint)
                end
                assert.equal("object", public.outputSchema.type)
                for argument, schema in pairs(public.inputSchema.properties) do assert.is_string(schema.description, argument) end
            end)

            it("promises only fields that its output schema has", function()
                for _, field in ipairs(public.outputSchema.required) do
                    assert.is_table(public.outputSchema.properties[field], field)
                end
            end)
        end)
    end

    it("P17 says unit, lowest, default and highest value of the time limit", function()
        local timeout = tools:find("terminal_exec").public.inputSchema.properties.timeout
        for _, words in ipairs({ "in seconds", "at least 0", "default of 30", "more than 300 is lowered to 300" }) do
            assert.is_truthy(timeout.description:find(words, 1, true), words)
        end
        assert.equal(0, timeout.minimum)
        local accepted, complaint = tools:find("terminal_exec").accept({ command = "x", timeout = -1 })
        assert.is_nil(accepted)
        assert.matches("seconds", complaint)
    end)

    it("names the defaults that v0.1.0 named", function()
        local list = tools:find("file_list").public.inputSchema.properties
        assert.equal("/w", list.path.default)
        assert.is_false(list.recursive.default)
    end)

    it("P19 takes no process id below 1", function()
        for _, pid in ipairs({ 0, -1 }) do
            local accepted, complaint = tools:find("terminal_kill").accept({ pid = pid })
            assert.is_nil(accepted)
            assert.matches("^pid: ", complaint)
        end
    end)
end)
