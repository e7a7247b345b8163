local fake_git = require("spec.support.fake_git")

describe("git.tools", function()
    local host, tools

    before_each(function()
        host = fake_git.install()
        tools = require("git.tools")
        host.answers = { status = "", commit = "[main abc] x\n", push = "", pull = "", branch = "", checkout = "", diff = "",
            log = "", clone = "", add = "" }
        host.git.branches, host.git.history = function() return nil, "x" end, function() return nil, "x" end
    end)

    for name, case in pairs({
        status = { {}, "status" }, commit = { { message = "m", paths = { "a" } }, "commit --file=- -- a" },
        push = { { remote = "r", branch = "b" }, "push -- r b" },
        pull = { { remote = "r", branch = "b" }, "pull --end-of-options r b" },
        branch = { { name = "n" }, "branch --end-of-options n" }, checkout = { { branch = "b" }, "checkout b --" },
        diff = { { from = "a" }, "diff a --no-color --" }, log = { { n = 3 }, "log --max-count=3" },
    }) do
        it("git." .. name .. " works in the folder that the agent names, within its time", function()
            case[1].path = "$'l\\xe9'"
            tools[name](case[1], 5)
            local found
            for _, asked in ipairs(host.asked) do
                if table.concat(asked.words, " "):sub(1, #case[2]) == case[2] then found = asked.options end
            end
            assert.same({ "l\xE9", 5000 }, { found and found.cwd, found and found.timeout_ms })
        end)

        it("git." .. name .. " leaves a repository alone whose parts lie outside of the workspace", function()
            host.git.locate = function() return nil, "Path is outside the allowed directory", "EOUTSIDE" end
            local ok, raised = pcall(tools[name], case[1], 5)
            assert.is_false(ok)
            assert.equal("Path is outside the allowed directory", require("fail").message_of(raised))
            assert.same({}, host.asked)
        end)

        it("git." .. name .. " leaves a repository alone of which nobody can tell where its parts lie", function()
            for _, code in ipairs({ "EUNCLEAR", "ELIBRARY", "ENOMEM", "EMFILE", "EIO" }) do
                host.git.locate = function() return nil, "what is wrong", code end
                local ok, raised = pcall(tools[name], case[1], 5)
                assert.is_false(ok)
                assert.equal("Error: what is wrong", require("fail").message_of(raised))
            end
            assert.same({}, host.asked)
        end)
    end

    it("git.clone works in the workspace", function()
        tools.clone({ repo_url = "https://h/x", path = "y", branch = "b" }, 5)
        assert.same({ "clone --no-hardlinks --branch=b -- https://h/x /w/y" }, fake_git.commands(host, "clone"))
    end)
end)
