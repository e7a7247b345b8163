--- F17: a workspace that is configured through a link. Its paths may be given in the form of the link and in the resolved one.
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

describe("F17 in a workspace behind a link", function()
    local s, real, link

    setup(function()
        real, link = tmp.dir("real"), tmp.dir("link") .. "/ws"
        tmp.shell(("ln -s %s %s; cd %s; mkdir d; git init -q d/repo; cd d/repo; git -c user.name=a -c user.email=a commit -q "
            .. "--allow-empty -m first; echo one > f"):format(real, link, real))
        s = server.start({ workspace = link })
    end)
    teardown(function() s:stop() end)

    local function text(tool, arguments)
        local result = s:call(tool, arguments)
        assert.is_false(result.isError, result.content[1].text)
        return result.content[1].text, result.structuredContent
    end

    it("both forms mean the same file, folder and repository, in every tool", function()
        for _, root in ipairs({ real, link }) do
            local repo = root .. "/d/repo"
            assert.equal("one\n", (text("file_read", { path = repo .. "/f" })))
            text("file_write", { path = repo .. "/g", content = "g" })
            assert.equal("g", tmp.read(real .. "/d/repo/g"))
            text("file_move", { source = repo .. "/g", dest = repo .. "/h" })
            assert.matches("h", (text("file_list", { path = repo })))
            text("file_delete", { path = repo .. "/h" })
            text("file_mkdir", { path = repo .. "/e" })
            local _, ran = text("terminal_exec", { command = "cat f; pwd -P", cwd = repo })
            assert.equal("one\n" .. real .. "/d/repo\n", ran.stdout)
            assert.matches("^%x+ first\n$", (text("git_log", { path = repo })))
            assert.matches("\tf\n", (text("git_status", { path = repo })))
            assert.matches("^%* %w+$", (text("git_branch", { path = repo })))
        end
        local job = s:text("terminal_exec_background", { command = "pwd -P > where", cwd = link .. "/d" })
        assert.matches("PID: %d+", job)
        s:call("terminal_exec", { command = "until [ -s d/where ]; do sleep 0.02; done" })
        assert.equal(real .. "/d\n", tmp.read(real .. "/d/where"))
    end)
end)
