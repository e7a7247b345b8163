local needs = require("spec.support.needs")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")
local uv = require("luv")

local NOBODY = { "/usr/bin/setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "--pdeathsig", "KILL", "--" }

local REMOVE = [[
    local fs = require("fs")
    local removed, message, code, path = fs.remove_tree(..., { limit = tonumber((select(2, ...))) })
    return removed or { message = message, code = code, path = path }
]]

--- A workspace prepared by shell lines, and a function that removes a tree in it.
local function world(lines, opts)
    local workspace = tmp.dir("workspace")
    tmp.shell(("cd %s; %s"):format(tmp.quote(workspace), lines))
    local function remove(path, limit)
        local all = { workspace = workspace, args = { path, limit or "100000" } }
        for name, value in pairs(opts or {}) do all[name] = value end
        return (program.lua(REMOVE, all))
    end
    return remove, workspace
end

describe("fs.remove_tree", function()
    it("removes everything, whatever it is and however it is named", function()
        local remove, workspace = world([[mkdir -p s/x/a/b s/x/empty; echo 1 > s/x/a/b/f; mkfifo s/x/fifo; ln s/x/a/b/f s/x/hard
            touch s/x/-rf "s/x/$(printf 'n\nl')" "s/x/$(printf '\377')" s/x/.hidden; ln -s nowhere s/x/dangling]])
        assert.same({ entries = 12, complete = true }, remove("s/x"))
        assert.is_nil(tmp.kind(workspace .. "/s/x"))
        assert.equal("directory", tmp.kind(workspace .. "/s"))
    end)

    it("removes links and never what they lead to", function()
        local remove, workspace = world([[mkdir -p s/x keep/folder; echo 1 > keep/folder/f
            ln -s ../../keep s/x/relative; ln -s "$PWD/keep/folder/f" s/x/file; ln -s / s/x/root
            ln -s .. s/x/up; ln -s . s/x/self]])
        assert.same({ entries = 6, complete = true }, remove("s/x"))
        assert.equal("1\n", tmp.read(workspace .. "/keep/folder/f"))
    end)

    it("removes a link that stands in the place of the folder, and refuses one on the way", function()
        local remove, workspace = world("mkdir -p s keep/x; echo 1 > keep/x/f; ln -s ../keep s/x; ln -s keep t")
        assert.equal("ELOOP", remove("t/x").code)
        assert.same({ entries = 1, complete = true }, remove("s/x"))
        assert.equal("1\n", tmp.read(workspace .. "/keep/x/f"))
    end)

    it("removes a single file, says ENOENT for nothing, and refuses the root and what is outside", function()
        local remove, workspace = world("mkdir s; echo 1 > s/f")
        assert.same({ entries = 1, complete = true }, remove("s/f"))
        assert.equal("ENOENT", remove("s/f").code)
        assert.equal("EISDIR", remove("").code)
        assert.equal("EOUTSIDE", remove("../x").code)
        assert.equal("EOUTSIDE", remove("/etc").code)
        assert.equal("directory", tmp.kind(workspace .. "/s"))
    end)

    it("does what is deeper than any path can name, with few descriptors", function()
        local remove, workspace = world([[mkdir s; python3 -c '
import os
os.chdir("s"); os.mkdir("x"); os.chdir("x")
for i in range(3000):
    os.mkdir("d" * 50); os.chdir("d" * 50)
open("f", "w").close()
']], { wrap = { "prlimit", "--nofile=128" } })
        local entries, complete = 0, false
        for _ = 1, 10 do
            local removed = remove("s/x")
            entries, complete = entries + removed.entries, removed.complete
            if complete then break end
        end
        assert.same({ true, 3002 }, { complete, entries })
        assert.is_nil(tmp.kind(workspace .. "/s/x"))
    end)

    it("takes a folder without permissions away from where it is too deep", function()
        local remove, workspace = world([[mkdir s; python3 -c '
import os
os.chdir("s"); os.mkdir("x"); os.chdir("x")
for i in range(60):
    os.mkdir("d"); os.chdir("d")
for i in range(60):
    os.chmod(".", 0o500); os.chdir("..")
'; test $(id -u) != 0 || chown -R 12345:12345 .]], { wrap = needs.is_root and NOBODY or nil })
        assert.same({ entries = 61, complete = true }, remove("s/x"))
        assert.is_nil(tmp.kind(workspace .. "/s/x"))
    end)

    it("does not enter a mount point, and removes the rest", function()
        local workspace = tmp.dir("workspace")
        local folder = tmp.quote(workspace .. "/s/x")
        tmp.shell(("mkdir -p %s/m; cd %s; touch a z"):format(folder, folder))
        local wrap = needs.mounts(("mount -t tmpfs tmpfs %s/m; touch %s/m/f"):format(folder, folder))
        local seen = program.lua([[
            local fs = require("fs")
            local _, message, code = fs.remove_tree("s/x")
            return { { message, code }, fs.stat("s/x/m/f") ~= nil }
        ]], { workspace = workspace, wrap = wrap })
        assert.same({ { workspace .. "/s/x: Invalid cross-device link (m)", "EXDEV" }, true }, seen)
        assert.equal("m\n", tmp.shell("ls " .. folder))
    end)

    it("of one tree by several at one time is no error for any of them", function()
        local workspace = tmp.dir("workspace")
        tmp.shell(("mkdir -p %s/s/x; cd %s/s/x; for i in $(seq 20); do mkdir $i; touch $i/$(seq -s ' '$i/ 20); done")
            :format(workspace, workspace))
        local messages = program.lua([[
            local clock, fiber, fs, json = require("clock"), require("fiber"), require("fs"), require("json")
            local left, messages = 4, json.array({})
            for _ = 1, 4 do
                fiber.spawn(function()
                    local _, message = fs.remove_tree("s/x")
                    messages[#messages + 1] = message
                    left = left - 1
                end)
            end
            while left > 0 do clock.sleep(5) end
            return messages
        ]], { workspace = workspace })
        for _, message in ipairs(messages) do assert.equal(workspace .. "/s/x: No such file or directory", message) end
        assert.is_nil(tmp.kind(workspace .. "/s/x"))
    end)

    it("stops at the limit and goes on when called again", function()
        local remove, workspace = world("mkdir -p s/x; for i in 1 2 3 4 5; do echo > s/x/$i; done")
        assert.same({ entries = 2, complete = false }, remove("s/x", "2"))
        assert.same({ entries = 2, complete = false }, remove("s/x", "2"))
        assert.equal("directory", tmp.kind(workspace .. "/s/x"))
        assert.same({ entries = 2, complete = true }, remove("s/x", "2"))
        assert.is_nil(tmp.kind(workspace .. "/s/x"))
        tmp.shell(("mkdir %s/s/x; touch %s/s/x/1"):format(workspace, workspace))
        assert.same({ entries = 1, complete = false }, remove("s/x", "1"))
        assert.same({ entries = 1, complete = true }, remove("s/x", "1"))
    end)

    it("gives itself the permissions that it lacks, but not on the folder that the tree lies in", function()
        local remove, workspace = world([[mkdir -p s/x/ro/deep s/x/none; echo 1 > s/x/ro/deep/f; echo 1 > s/x/none/f
            chmod 555 s/x/ro/deep s/x/ro; chmod 000 s/x/none; chmod 755 s; chmod -R a+rX . 2>/dev/null || true
            chmod 000 s/x/none; test $(id -u) != 0 || chown -R 12345:12345 .]], { wrap = needs.is_root and NOBODY or nil })
        assert.same({ entries = 6, complete = true }, remove("s/x"))
        assert.equal(tonumber("755", 8), assert(uv.fs_stat(workspace .. "/s")).mode & 511)
    end)

    it("says what cannot be removed, and removes the rest", function()
        needs.root()
        local remove, workspace = world([[mkdir -p s/x/theirs; echo 1 > s/x/theirs/f; touch s/x/ours s/x/$(seq -s ' s/x/' 20)
            chown -R 12345:12345 .; chown -R 0:0 s/x/theirs]], { wrap = NOBODY })
        local removed = remove("s/x")
        assert.equal("EACCES", removed.code)
        assert.matches("/s/x: Permission denied %(f%)$", removed.message)
        assert.equal("theirs\n", tmp.shell(("ls %s/s/x"):format(workspace)))
        assert.equal("file", tmp.kind(workspace .. "/s/x/theirs/f"))
    end)

    it("does not take the server's own files with it", function()
        local remove, workspace = world("mkdir -p .sandstorm-mcp/more", { env = { SANDSTORM_STATE_DIR = false } })
        assert.equal("EACCES", remove(".sandstorm-mcp").code)
        assert.same({ entries = 1, complete = true }, remove(".sandstorm-mcp/more"))
        tmp.shell(("mkdir -p %s/a/b/state"):format(workspace))
        local refused = program.lua([[
            local fs = require("fs")
            return { (select(3, fs.remove_tree("a"))), (select(3, fs.move("a", "c"))), fs.stat("a/b/state") ~= nil }
        ]], { workspace = workspace, env = { SANDSTORM_STATE_DIR = workspace .. "/a/b/state" } })
        assert.same({ "EACCES", "EACCES", true }, refused)
    end)

    it("raises for wrong arguments", function()
        local ok = program.lua([[
            local fs = require("fs")
            local function said(...) return (select(2, pcall(...))) end
            return { said(fs.remove_tree), said(fs.remove_tree, "x", { limit = 0 }), said(fs.remove_tree, "x", { limits = 1 }) }
        ]])
        assert.matches("fs.remove_tree: a path expected as a string, got n", ok[1])
        assert.matches("fs.remove_tree: option 'limit' expected a whole number from 1, got 0", ok[2])
        assert.matches("fs.remove_tree: unknown option 'limits'", ok[3])
    end)
end)
