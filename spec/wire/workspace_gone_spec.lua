--- The folder of the workspace goes away, or another one takes its place, while the server serves.
local cjson = require("cjson")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

describe("a workspace whose folder", function()
    local s, base, w

    before_each(function()
        base = tmp.dir("base")
        w = base .. "/ws"
        tmp.write(w .. "/f", "first")
        s = server.start({ workspace = w })
    end)
    after_each(function() s:stop() end)

    local function health() return cjson.decode(s:request({ path = "/health" }).body) end

    -- Each tool says why, and touches nothing.
    local function assert_refused(reason)
        local complaint = ("%s: %s"):format(w, reason)
        for tool, arguments in pairs({
            file_read = { path = "f" }, file_write = { path = "new", content = "x" }, file_list = {}, file_mkdir = { path = "d" },
            file_delete = { path = "f" }, file_move = { source = "f", dest = "g" }, terminal_exec = { command = "echo ran" },
            terminal_exec_background = { command = "touch ran" }, git_status = {},
            git_clone = { repo_url = "https://localhost:1/r.git", path = "c" },
        }) do
            local text, failed = s:text(tool, arguments)
            assert.is_true(failed, tool .. ": " .. text)
            assert.matches(complaint .. " (the workspace root)", text, 1, true)
        end
        local status = health()
        assert.same({ complaint, true, true }, { status.workspace_error, status.degraded, status.ok })
    end

    it("is moved away is not served from where it went, and is again when it comes back", function()
        assert.is_nil(health().workspace_error)
        tmp.shell(("mv %s %s/old"):format(w, base))
        assert_refused("No such file or directory")
        assert.equal("f\n", tmp.shell(("ls %s/old"):format(base)))
        tmp.shell(("mv %s/old %s"):format(base, w))
        assert.equal("first", (s:text("file_read", { path = "f" })))
        assert.is_false(health().degraded)
    end)

    it("is replaced is the new one at once, for files and commands", function()
        tmp.shell(("mv %s %s/old; mkdir %s; echo -n second > %s/f"):format(w, base, w, w))
        assert.equal("second", (s:text("file_read", { path = "f" })))
        assert.equal("second", s:call("terminal_exec", { command = "cat f" }).structuredContent.stdout)
        assert.is_false(s:call("file_write", { path = "f", content = "third" }).isError)
        assert.same({ "first", "third" }, { tmp.read(base .. "/old/f"), tmp.read(w .. "/f") })
    end)

    it("becomes a link, or a file, is not followed out of its place", function()
        tmp.write(base .. "/secret/f", "secret")
        tmp.shell(("rm -r %s; ln -s secret %s"):format(w, w))
        assert_refused("Too many levels of symbolic links")
        tmp.shell(("rm %s; echo x > %s"):format(w, w))
        assert_refused("Not a directory")
        assert.equal("secret", tmp.read(base .. "/secret/f"))
    end)
end)
