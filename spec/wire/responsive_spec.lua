--- M08: whatever a call does, everybody else is answered meanwhile.
local program = require("spec.support.program")
local server = require("spec.support.server")
local sessions = require("spec.support.sessions")
local socket = require("socket")
local tmp = require("spec.support.tmp")
local wire = require("spec.support.wire")

local TOOLS = [==[
local shared = require("shared")
local function a_tool(name, handler)
    tool { name = name, description = name, input = { type = "object" }, handler = handler }
end
a_tool("loops", function()
    shared.put("loops", "", 600000)
    repeat until shared.take("enough")
    return "looped"
end)
a_tool("is_looping", function() return tostring(shared.get("loops") ~= nil) end)
a_tool("enough", function()
    shared.put("enough", "", 600000)
    return "told"
end)
]==]

local function others_are_answered(s)
    assert.same({}, s:rpc("ping").result)
    assert.is_true(#s:rpc("tools/list").result.tools > 0)
    assert.equal(200, s:request({ path = "/health" }).status)
end

local function has_answer(connection)
    return connection.pending ~= "" or #socket.select({ connection.sock }, nil, 0) > 0
end

-- Begins something until once its answer comes after that of a ping which was sent later. Where it holds up everything
-- it never does.
local function is_overtaken(s, begin, finish)
    local function overtaken()
        local connection = begin()
        assert.same({}, s:rpc("ping").result)
        local first = not has_answer(connection)
        finish(connection)
        return first
    end
    assert(program.wait_until(overtaken), "no ping is answered before the call is over")
end

describe("M08 a server", function()
    local s
    before_each(function()
        s = server.start()
    end)
    after_each(function() s:stop() end)

    it("answers others while a clone waits for a remote that says no more", function()
        local port, folder = server.free_port(), tmp.dir("remotes")
        tmp.shell(("cd %s; git init -q r; git -C r -c user.name=a -c user.email=a commit -q --allow-empty -m x; "
            .. "git clone -q --bare r remote.git"):format(folder))
        local remote = program.spawn({
            command = {
                "lua5.4", program.root .. "/spec/support/git_http.lua", tostring(port), folder, folder .. "/log", "stall",
            },
        })
        assert(program.wait_until(function() return server.accepts("127.0.0.1", port) end))
        local connection = wire.begin(s, "git_clone", {
            repo_url = ("http://127.0.0.1:%d/remote.git"):format(port), path = "c",
        })
        local function asked() return (tmp.read(folder .. "/log") or ""):find("POST /remote.git/git-upload-pack", 1, true) end
        assert(program.wait_until(asked), tmp.read(folder .. "/log"))
        for _ = 1, 20 do others_are_answered(s) end
        remote:signal_with("sigkill")
        remote:wait()
        assert.is_true(wire.result(connection).isError)
    end)

    it("answers others while a large file is read", function()
        tmp.write(s.workspace .. "/large", ("0123456789abcde\n"):rep(1 << 18))
        is_overtaken(s, function() return wire.begin(s, "file_read", { path = "large" }) end,
            function(connection) assert.is_false(wire.result(connection).isError) end)
    end)

    it("answers others while a large folder is deleted", function()
        is_overtaken(s, function()
            local id, folder = sessions.create(s)
            tmp.shell(("cd %s/workspace; touch $(seq 20000)"):format(folder))
            return sessions.send(s, "DELETE", "/session/" .. id)
        end, function(connection)
            assert.equal(200, connection:read_response("DELETE").status)
            connection:close()
        end)
    end)

    it("answers others while a script loops", function()
        s:stop()
        s = server.start({ tools = tmp.file("tools.lua", TOOLS), env = { SANDSTORM_SCRIPT_CPU_MS = "600000" } })
        local connection = wire.begin(s, "loops")
        assert(program.wait_until(function() return s:text("is_looping") == "true" end))
        for _ = 1, 20 do others_are_answered(s) end
        assert.equal("told", (s:text("enough")))
        assert.equal("looped", wire.result(connection).content[1].text)
    end)
end)
