local needs = require("spec.support.needs")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")
local uv = require("luv")
local wire = require("spec.support.wire")

local quote, read, shell, write = tmp.quote, tmp.read, tmp.shell, tmp.write

--- Runs Lua with fs, json and its arguments at hand, in the given workspace.
local function run(workspace, source, opts)
    local all = { workspace = workspace }
    for name, value in pairs(opts or {}) do all[name] = value end
    return (program.lua('local fs, json = require("fs"), require("json")\nlocal args = { ... }\n' .. source, all))
end

--- An argument as Lua source.
local function literal(value)
    if type(value) == "string" then return ("%q"):format(value) end
    if type(value) ~= "table" then return tostring(value) end
    local fields = {}
    for key, field in pairs(value) do fields[#fields + 1] = ("[%s] = %s"):format(literal(key), literal(field)) end
    return "{ " .. table.concat(fields, ", ") .. " }"
end

--- Calls functions of fs one after the other. Each call is { "name", args... }; gives a list of their results, each a
--- list with "nil" for nil.
local function calls(workspace, list, opts)
    local lines = { "local out = {}" }
    for _, call in ipairs(list) do
        local args = {}
        for i = 2, #call do args[#args + 1] = literal(call[i]) end
        lines[#lines + 1] = ("out[#out + 1] = table.pack(fs.%s(%s))"):format(call[1], table.concat(args, ", "))
    end
    lines[#lines + 1] = [[
        for _, results in ipairs(out) do
            for i = 1, results.n do if results[i] == nil then results[i] = "nil" end end
            results.n = nil
        end
        return out]]
    return run(workspace, table.concat(lines, "\n"), opts)
end

local function outside(path, workspace)
    return { "nil", ('Path "%s" is outside the allowed directory (%s)'):format(path, workspace), "EOUTSIDE" }
end

local function failure(path, text, code) return { "nil", path .. ": " .. text, code, path } end

--- What to put before the program so that it runs without privileges, with the workspace as its own.
local function unprivileged(workspace)
    if not needs.is_root then return {} end
    shell(("chmod 711 %s; chown -hR 4242:4242 %s"):format(quote(workspace:match("^(.*)/")), quote(workspace)))
    return { "setpriv", "--reuid", "4242", "--regid", "4242", "--clear-groups", "--" }
end

--- A folder with something that nobody may touch, and a function that checks it.
local function treasure()
    local folder = tmp.dir("outside")
    write(folder .. "/secret", "secret")
    shell("chmod 640 " .. quote(folder .. "/secret"))
    return folder, function()
        assert.equal("secret", read(folder .. "/secret"))
        assert.equal("640 secret\n", shell(("cd %s; stat -c '%%a %%n' *"):format(quote(folder))))
    end
end

local function names(workspace) return shell("ls -A " .. quote(workspace)) end

describe("fs, paths", function()
    local w
    before_each(function() w = tmp.dir("workspace") end)

    it("are folded as text below the root", function()
        local folded = {
            [""] = w, ["."] = w, ["/."] = false, ["a"] = w .. "/a", ["a/"] = w .. "/a", ["./a//b/../c/."] = w .. "/a/c",
            [w] = w, [w .. "/"] = w, [w .. "//x/../y"] = w .. "/y", ["../" .. w:match("[^/]*$") .. "/b"] = w .. "/b",
            [".."] = false, ["a/../.."] = false, ["/"] = false, ["/etc/passwd"] = false, ["~"] = w .. "/~",
        }
        local list, expected = {}, {}
        for path, result in pairs(folded) do
            list[#list + 1] = { "resolve", path }
            expected[#expected + 1] = result and { result } or outside(path, w)
        end
        assert.same(expected, calls(w, list))
    end)

    it("F07 a sibling that shares the root's name as a prefix is outside", function()
        local sibling = w .. "-secret"
        write(sibling .. "/k", "secret")
        local relative = "../" .. sibling:match("[^/]*$")
        assert.same({ outside(relative .. "/k", w), outside(sibling .. "/k", w), outside(sibling, w) }, calls(w, {
            { "read", relative .. "/k" }, { "read", sibling .. "/k" }, { "list", sibling },
        }))
        shell("rm -r " .. quote(sibling))
    end)

    it("F17 a root given through a link: both forms mean the same file", function()
        local link = tmp.dir("link") .. "/ws"
        shell(("ln -s %s %s; echo -n x > %s/f; ln -s %s/f %s/through"):format(w, link, w, link, w))
        assert.same({ { w }, { "x", { size = 1 } }, { "x", { size = 1 } }, { "x", { size = 1 } }, { w .. "/f" } }, calls(link, {
            { "root" }, { "read", w .. "/f" }, { "read", link .. "/f" }, { "read", "through" }, { "resolve", link .. "/./f" },
        }))
    end)

    it("F18 a NUL byte is refused by every function, and nothing is touched", function()
        local got = run(w, [[
            local out = {}
            for _, name in ipairs { "resolve", "read", "write", "remove", "move", "mkdir", "list", "stat", "walk" } do
                local _, message, code = fs[name]("safe\0/../../evil", (name == "write" or name == "move") and "x" or nil)
                out[#out + 1] = { message, code }
            end
            out[#out + 1] = { select(2, fs.move("safe", "a\0b")) }
            return out]])
        local text = 'Path "safe\\0/../../evil" contains a NUL byte, which no file name can'
        for i = 1, 9 do assert.same({ text, "EINVAL" }, got[i]) end
        assert.same({ 'Path "a\\0b" contains a NUL byte, which no file name can', "EINVAL" }, got[10])
        assert.equal("", names(w))
    end)

    it("raises for wrong arguments and says which", function()
        local wrong = {
            ["fs.read()"] = "fs.read: a path expected as a string, got nil",
            ["fs.stat()"] = "fs.stat: a path expected as a string, got nil",
            ["fs.remove()"] = "fs.remove: a path expected as a string, got nil",
            ["fs.write('a', 5)"] = "fs.write: content expected as a string, got number",
            ["fs.move('a')"] = "fs.move: a path to move to expected as a string, got nil",
            ["fs.list('a', 5)"] = "fs.list: options expected as a table, got number",
            ["fs.read('a', { ofset = 1 })"] = "fs.read: unknown option 'ofset'; the nearest is 'offset'",
            ["fs.read('a', { 5 })"] = "fs.read: options expected with names, got a number as key",
            ["fs.read('a', { offset = -1 })"] = "fs.read: option 'offset' expected a whole number from 0, got -1",
            ["fs.read('a', { limit = 0 })"] = "fs.read: option 'limit' expected a whole number from 1, got 0",
            ["fs.read('a', { limit = 1.5 })"] = "fs.read: option 'limit' expected a whole number from 1, got 1.5",
            ["fs.write('a', '', { append = 1 })"] = "fs.write: option 'append' expected a boolean, got number",
            ["fs.walk('', { skip = 'x' })"] = "fs.walk: option 'skip' expected a list of at most 32 names, got string",
            ["fs.walk('', { skip = table.move({ 'x' }, 1, 1, 33, table.pack(('x'):rep(32):byte(1, -1))) })"] =
                "fs.walk: option 'skip' expected a list of at most 32 names, got table",
            ["fs.walk('', { skip = { 1 } })"] = "fs.walk: option 'skip' expected names, got number",
            ["fs.resolve({})"] = "fs.resolve: a path expected as a string, got table",
        }
        local source, expected = { "local out = {}" }, {}
        for call, message in pairs(wrong) do
            local try = "select(2, pcall(function() return %s end))"
            source[#source + 1] = ("out[#out + 1] = " .. try .. ":gsub('^.-:%%d+: ', '')"):format(call)
            expected[#expected + 1] = message
        end
        source[#source + 1] = "return out"
        assert.same(expected, run(w, table.concat(source, "\n")))
    end)

    it("offers what its types say", function()
        local typed, offered = {}, run(w, "local out = {} for name in pairs(fs) do out[name] = true end return out")
        for name in pairs(dofile("lib/_meta/fs.lua")) do typed[name] = true end
        assert.same(typed, offered)
    end)

    it("go on in a root that was removed and made again", function()
        assert.same({ true, "new", "new\n" }, run(w, [[
            local process = require("process")
            assert(fs.write("old", "old"))
            assert(process.run { argv = { "/bin/sh", "-c", "rm -r " .. args[1] .. "; mkdir " .. args[1] } }.exit_code == 0)
            assert(fs.write("new", "new"))
            local listing = process.run { command = "ls" }
            return { select(3, fs.read("old")) == "ENOENT", (fs.read("new")), listing.stdout }]], { args = { w } }))
    end)
end)

describe("fs, links", function()
    local w, away, untouched
    before_each(function()
        w = tmp.dir("workspace")
        away, untouched = treasure()
    end)

    it("F06 that lead out are refused by whatever would go through them", function()
        shell(("cd %s; ln -s %s out; ln -s ../../../../../../../../..%s climb; ln -s out twice; ln -s %s/secret leak; echo x > x")
            :format(w, away, away, away))
        local list, expected = {}, {}
        local function refused(path, ...)
            list[#list + 1] = { ... }
            expected[#expected + 1] = outside(path, w)
        end
        for _, link in ipairs { "out", "climb", "twice" } do
            refused(link .. "/secret", "read", link .. "/secret")
            refused(link .. "/new.txt", "write", link .. "/new.txt", "x")
            refused(link .. "/a/b", "write", link .. "/a/b", "x")
            refused(link .. "/d", "mkdir", link .. "/d")
            refused(link, "mkdir", link)
            refused(link .. "/x", "move", "x", link .. "/x")
            refused(link, "move", "x", link)
            refused(link .. "/secret", "move", link .. "/secret", "y")
            refused(link .. "/secret", "remove", link .. "/secret")
            refused(link, "list", link)
            refused(link .. "/secret", "stat", link .. "/secret")
            refused(link, "walk", link)
        end
        refused("leak", "read", "leak")
        refused("leak", "write", "leak", "x")
        refused("leak", "write", "leak", "x", { append = true })
        refused("leak", "move", "x", "leak")
        assert.same(expected, calls(w, list))
        untouched()
    end)

    it("that stay inside are followed wherever they lead, absolute ones too", function()
        shell(([[cd %s; mkdir -p a/b; echo -n x > a/f; ln -s %s/a abs; ln -s ../f a/b/up
            ln -s %s/./abs//b/../b/up far; ln -s . dot; ln -s %s self]]):format(w, w, w, w))
        local list, expected = {}, {}
        for _, path in ipairs { "abs/f", "a/b/up", "far", "abs/b/up", "dot/dot/a/f", "self/self/abs/f" } do
            list[#list + 1] = { "read", path }
            expected[#expected + 1] = { "x", { size = 1 } }
        end
        assert.same(expected, calls(w, list))
    end)

    it("`..` in a link goes up from where the link before it led", function()
        shell(([[cd %s; mkdir -p deep/er sub; echo -n right > deep/f; echo -n wrong > f
            ln -s ../deep/er sub/in; ln -s %s/sub/in/../f link; ln -s f/../f bad]]):format(w, w))
        assert.same({ { "right", { size = 5 } }, failure(w .. "/bad", "Not a directory", "ENOTDIR") },
            calls(w, { { "read", "link" }, { "read", "bad" } }))
    end)

    it("that turn in circles end with an error", function()
        shell(("cd %s; ln -s b a; ln -s a b; ln -s %s/abs abs"):format(w, w))
        assert.same({
            failure(w .. "/a", "Too many levels of symbolic links", "ELOOP"),
            failure(w .. "/abs", "Too many levels of symbolic links", "ELOOP"),
        }, calls(w, { { "read", "a" }, { "read", "abs" } }))
    end)

    it("F04 a write goes to what the link names, and hard links stay linked", function()
        shell(([[cd %s; mkdir -p other/deep; ln -s other/deep through; echo old > real.conf; ln -s real.conf link.conf
            ln -s through/../made.txt dangling; ln -s %s/other/abs.txt absolute; ln -s nowhere/x broken
            echo old > a; ln a b]]):format(w, w))
        assert.same({
            { { bytes = 3, created = false } }, { { bytes = 4, created = true } }, { { bytes = 3, created = true } },
            { { bytes = 3, created = false } }, failure(w .. "/broken", "No such file or directory", "ENOENT"),
        }, calls(w, {
            { "write", "link.conf", "new" }, { "write", "dangling", "made" }, { "write", "absolute", "abs" },
            { "write", "a", "new" }, { "write", "broken", "x" },
        }))
        assert.equal("new", read(w .. "/real.conf"))
        assert.equal("made", read(w .. "/other/made.txt"))
        assert.equal("abs", read(w .. "/other/abs.txt"))
        assert.equal("new", read(w .. "/b"))
        assert.equal("real.conf\nthrough/../made.txt\n", shell(("cd %s; readlink link.conf dangling"):format(w)))
        assert.equal("a\nabsolute\nb\nbroken\ndangling\nlink.conf\nother\nreal.conf\nthrough\n", names(w))
    end)

    it("F08 a name that is swapped between file and link meanwhile never leads a call out", function()
        local swapping = program.spawn({ command = { "lua5.4" }, args = { tmp.file("swap.lua", [[
            local uv, away = require("luv"), ...
            while true do
                uv.fs_symlink(away .. "/secret", "l")
                uv.fs_rename("l", "p")
                uv.fs_symlink(away, "d")
                io.open("n", "w"):close()
                uv.fs_rename("n", "p")
                uv.fs_unlink("d")
                uv.fs_mkdir("d", 493)
                uv.fs_rmdir("d/e")
                uv.fs_unlink("d/new")
                uv.fs_rmdir("d")
            end]]), away }, cwd = w })
        -- Every kind of call meets a link that leads out, and something that does not.
        local got = run(w, [[
            local kinds = {
                { name = "write", "p", "mine" }, { name = "write", "p", "more", { append = true } }, { name = "read", "p" },
                { name = "write", "d/new", "mine" }, { name = "mkdir", "d/e" }, { name = "list", "d" }, { name = "walk", "d" },
                { name = "stat", "d/new" }, { name = "move", "d/new", "moved", { replace = true } },
            }
            local out, within, patience = {}, {}, require("clock").monotonic_ms() + 60000
            local function met(list)
                for i = 1, #kinds do if (list[i] or 0) < 3 then return false end end
                return true
            end
            while not (met(out) and met(within)) and require("clock").monotonic_ms() < patience do
                for i, call in ipairs(kinds) do
                    local value, _, code = fs[call.name](table.unpack(call))
                    if value then within[i] = (within[i] or 0) + 1 end
                    if code == "EOUTSIDE" then out[i] = (out[i] or 0) + 1 end
                    assert(value ~= "secret")
                end
                fs.remove("p")
            end
            return { met(out), met(within) }]], { env = { SANDSTORM_SCRIPT_CPU_MS = "60000" } })
        assert.is_true(swapping:running(), swapping:stderr())
        swapping:signal_with("sigkill")
        swapping:wait()
        assert.same({ true, true }, got)
        untouched()
    end)

    it("F15 a dangling link is removed and moved as a link", function()
        shell(("cd %s; ln -s /nowhere dl; ln -s %s out; ln -s nowhere gone"):format(w, away))
        assert.same({ { w .. "/dl2", false }, { true }, { w .. "/d/out", false }, { true }, { true } }, calls(w, {
            { "move", "dl", "dl2" }, { "remove", "dl2" }, { "move", "out", "d/out" }, { "remove", "d/out" }, { "remove", "gone" },
        }))
        assert.equal("d\n", names(w))
        untouched()
    end)
end)

describe("fs.read", function()
    local w
    before_each(function() w = tmp.dir("workspace") end)

    it("F11 gives bytes, and a range gives exactly its bytes wherever its borders fall", function()
        local text = ("€"):rep(50000) .. "\r\n\0\xff end"
        write(w .. "/f", text)
        local got = run(w, [[
            local whole, info = fs.read("f")
            local file = {}
            for _, range in ipairs { { 0, 1 }, { 1, 4 }, { 65535, 65537 }, { 149999, 100 }, { 150010, 5 } } do
                local part = fs.read("f", { offset = range[1], limit = range[2] })
                file[#file + 1] = part == whole:sub(range[1] + 1, range[1] + range[2])
            end
            assert(fs.write("copy", whole))
            file[#file + 1] = info.size
            file[#file + 1] = fs.read("f", { offset = 1e9 // 1 | 0 })
            return file]])
        assert.same({ true, true, true, true, true, #text, "" }, got)
        assert.equal(text, read(w .. "/copy"))
    end)

    it("refuses more than 16 MiB at once, and says how to go on", function()
        shell(("cd %s; truncate -s 16777216 most; truncate -s 16777217 more"):format(w))
        assert.same({ 16777216, w .. "/more: File too large (16777217 bytes; at most 16777216 can be read at once, as a range)",
            "EFBIG", 1, 16777217 }, run(w, [[
            local most = fs.read("most")
            local _, message, code = fs.read("more")
            local last, info = fs.read("more", { offset = 16777216, limit = 100 })
            return { #most, message, code, #last, info.size }]]))
    end)

    it("reads what is left behind an offset, at most 16 MiB whatever is asked for, and nothing behind the end", function()
        shell(("cd %s; truncate -s 16777217 more"):format(w))
        assert.same({ 16777216, 16777216, 0, 0 }, run(w, [[
            local sizes = {}
            for i, range in ipairs { { offset = 1 }, { limit = 1 << 40 }, { offset = math.maxinteger, limit = 1 },
                { offset = math.maxinteger } } do
                sizes[i] = #assert(fs.read("more", range))
            end
            return sizes]]))
    end)

    it("answers at once for what is no regular file", function()
        shell(("cd %s; mkfifo fifo; mkdir d"):format(w))
        local listener = assert(uv.new_pipe())
        assert(listener:bind(w .. "/socket"))
        assert.same({
            failure(w .. "/fifo", "Not a regular file", "ENOTREG"), failure(w .. "/socket", "Not a regular file", "ENOTREG"),
            failure(w .. "/fifo", "Not a regular file", "ENOTREG"), failure(w .. "/fifo", "Not a regular file", "ENOTREG"),
            failure(w .. "/d", "Is a directory", "EISDIR"), failure(w, "Is a directory", "EISDIR"),
            failure(w .. "/d", "Is a directory", "EISDIR"), failure(w, "Is a directory", "EISDIR"),
        }, calls(w, {
            { "read", "fifo" }, { "read", "socket" }, { "write", "fifo", "x" }, { "write", "fifo", "x", { append = true } },
            { "read", "d" }, { "read", "" }, { "write", "d", "x" }, { "write", "", "x" },
        }))
        listener:close()
        uv.run("nowait")
        assert.same({
            failure("/dev/zero", "Not a regular file", "ENOTREG"), failure("/dev/null", "Not a regular file", "ENOTREG"),
        }, calls("/dev", { { "read", "zero" }, { "write", "null", "x" } }))
    end)

    it("reads files that claim to be empty", function()
        assert.is_truthy(calls("/proc", { { "read", "version" } })[1][1]:find("^Linux version"))
    end)
end)

describe("fs.write", function()
    local w
    before_each(function() w = tmp.dir("workspace") end)

    it("F12 leaves exactly the new content, whether longer or shorter, linked or not", function()
        shell(("cd %s; : > linked; ln linked other"):format(w))
        local got = run(w, [[
            local out = {}
            for _, name in ipairs { "plain", "linked" } do
                for i, size in ipairs { 150000, 160000, 100, 0, 70000 } do
                    local content = string.char(96 + i):rep(size - 1) .. (size > 0 and "!" or "")
                    local written = assert(fs.write(name, content))
                    out[#out + 1] = written.bytes == size and fs.read(name) == content
                end
                for _, part in ipairs { "more", "" } do assert(fs.write(name, part, { append = true })) end
                out[#out + 1] = fs.read(name):sub(-6)
            end
            return out]])
        assert.same({ true, true, true, true, true, "e!more", true, true, true, true, true, "e!more" }, got)
        assert.equal(70004, #read(w .. "/other"))
        assert.equal("linked\nother\nplain\n", names(w))
    end)

    it("makes files and folders as the umask says, and keeps the mode of what was there", function()
        shell(("cd %s; for m in 755 600 444 4750; do : > $m; chmod $m $m; done"):format(w))
        local source = [[for _, name in ipairs { "new/er/f", "755", "600" } do assert(fs.write(name, "x")) end
            assert(fs.mkdir("d/e"))]]
        run(w, source, { wrap = { "/bin/sh", "-c", 'umask 027; exec "$0" "$@"' } })
        assert.equal("640 750 750 755 600 750\n", shell(("cd %s; echo $(stat -c %%a new/er/f new new/er 755 600 d/e)"):format(w)))
    end)

    it("keeps owner and attributes", function()
        local wrap = unprivileged(w)
        shell(("cd %s; echo old > f; echo old > linked; ln linked other"):format(w))
        local before = shell(("cd %s; stat -c '%%u %%g %%a %%h' f linked"):format(w))
        assert.same({ { { bytes = 3, created = false } }, { { bytes = 3, created = false } } },
            calls(w, { { "write", "f", "new" }, { "write", "linked", "new" } }))
        assert.equal(before, shell(("cd %s; stat -c '%%u %%g %%a %%h' f linked"):format(w)))
        assert.is_table(wrap)
    end)

    it("keeps attributes and the ACL of a file, and gives none of its folder's to one that has none", function()
        -- With an ACL in the kernel's form: version 2, then tag, permissions and id of each entry.
        local python = tmp.file("attributes.py", [[
import os, struct, sys
EVERY = 0xffffffff
def acl(user):
    entries = [(1, 6, EVERY), (2, 6, user), (4, 4, EVERY), (16, 6, EVERY), (32, 0, EVERY)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
os.chdir(sys.argv[1])
if sys.argv[2] == "set":
    os.setxattr("own", "user.note", b"kept")
    os.setxattr("own", "system.posix_acl_access", acl(4242))
    os.setxattr(".", "system.posix_acl_default", acl(4343))
for name in "own", "none":
    for attribute in sorted(os.listxattr(name)):
        print(name, attribute, os.getxattr(name, attribute).hex())
]])
        local function attributes(mode) return shell(("python3 %s %s %s"):format(python, w, mode)) end
        shell(("cd %s; echo old > own; echo old > none"):format(w))
        local before = attributes("set")
        assert.matches("own user.note 6b657074\n$", before)
        calls(w, { { "write", "own", "new" }, { "write", "none", "new" } })
        assert.equal(before, attributes("look"))
        assert.same({ "new", "new" }, { read(w .. "/own"), read(w .. "/none") })
    end)

    it("leaves no set-id bit on content that somebody without privileges wrote", function()
        shell(("cd %s; echo old > f"):format(w))
        local wrap = unprivileged(w)
        shell(("chmod 4755 %s/f"):format(w))
        assert.same({ { { bytes = 3, created = false } } }, calls(w, { { "write", "f", "new" } }, { wrap = wrap }))
        assert.equal("755\n", shell(("stat -c %%a %s/f"):format(w)))
    end)

    it("asks the permissions of the file, and of the folder for a new one", function()
        shell(("cd %s; echo keep > ro; chmod 444 ro; mkdir d; chmod 555 d; mkdir -p p/q; chmod 000 p"):format(w))
        local wrap = unprivileged(w)
        local denied = function(path) return failure(w .. "/" .. path, "Permission denied", "EACCES") end
        assert.same({ denied("ro"), denied("ro"), denied("d/x"), denied("d/y"), denied("p/q/x") }, calls(w, {
            { "write", "ro", "x" }, { "write", "ro", "x", { append = true } }, { "write", "d/x", "x" },
            { "write", "d/y/z", "x" }, { "write", "p/q/x", "x" },
        }, { wrap = wrap }))
        assert.equal("keep\n", read(w .. "/ro"))
        assert.equal("", names(w .. "/d"))
        shell(("chmod 755 %s/p"):format(w))
    end)

    it("writes a file in place where its folder takes no new one", function()
        shell(("cd %s; mkdir d; echo old > d/f; chmod 600 d/f; chmod 555 d"):format(w))
        local wrap = unprivileged(w)
        local inode = shell(("stat -c %%i %s/d/f"):format(w))
        assert.same({ { { bytes = 70000, created = false } }, { { bytes = 3, created = false } } }, calls(w, {
            { "write", "d/f", ("x"):rep(70000) }, { "write", "d/f", "new" },
        }, { wrap = wrap }))
        assert.equal("new", read(w .. "/d/f"))
        assert.equal(inode, shell(("stat -c %%i %s/d/f"):format(w)))
        assert.equal("f\n", names(w .. "/d"))
    end)

    it("writes no file in place whose old content is too large to be kept meanwhile", function()
        shell(("cd %s; mkdir d; truncate -s 67108865 d/f; chmod 555 d"):format(w))
        local got = calls(w, { { "write", "d/f", "x" }, { "stat", "d/f" } }, { wrap = unprivileged(w) })
        assert.same(failure(w .. "/d/f", "File too large (no new file can take its place here, and its old content is too large "
            .. "to be kept while it is written to)", "EFBIG"), got[1])
        assert.equal(67108865, got[2][1].size)
    end)

    it("writes a file in place whose owner it cannot give to a new one", function()
        needs.root()
        local wrap = unprivileged(w)
        shell(("cd %s; echo old > f; chown 0:0 f; chmod 666 f"):format(w))
        local before = shell(("stat -c '%%i %%u %%g %%a' %s/f"):format(w))
        assert.same({ { { bytes = 3, created = false } } }, calls(w, { { "write", "f", "new" } }, { wrap = wrap }))
        assert.same({ "new", before }, { read(w .. "/f"), shell(("stat -c '%%i %%u %%g %%a' %s/f"):format(w)) })
    end)

    it("writes a file in place that is a mount point, also in a folder that is read-only", function()
        shell(("cd %s; mkdir d; echo old > there; echo old > here; : > mount; : > d/mount"):format(w))
        local wrap = needs.mounts(([[cd %s; mount --bind here mount; mount --bind d d; mount --bind there d/mount
            mount -o remount,bind,ro d]]):format(quote(w)))
        assert.same({ { { bytes = 3, created = false } }, { { bytes = 3, created = false } } },
            calls(w, { { "write", "mount", "new" }, { "write", "d/mount", "new" } }, { wrap = wrap }))
        assert.same({ "new", "new" }, { read(w .. "/here"), read(w .. "/there") })
        assert.equal("d\nhere\nmount\nthere\n", names(w))
    end)

    it("adds what several add at one time, also where the file is new", function()
        assert.same({}, run(w, [[
            local fiber, clock = require("fiber"), require("clock")
            local left, short = 4, {}
            local function part(number) return tostring(number):rep(200000) end
            for number = 1, 4 do
                fiber.spawn(function()
                    for file = 1, 20 do assert(fs.write("n" .. file, part(number), { append = true })) end
                    left = left - 1
                end)
            end
            while left > 0 do clock.sleep(5) end
            for file = 1, 20 do
                local content = fs.read("n" .. file)
                for number = 1, 4 do
                    local whole = content:find(part(number), 1, true) and #content == 4 * #part(number)
                    if not whole then short[#short + 1] = #content end
                end
            end
            return json.array(short)]]))
    end)

    it("says what stands in the way", function()
        write(w .. "/f", "keep")
        local long = ("n"):rep(256)
        assert.same({
            failure(w .. "/f", "File exists", "EEXIST"), failure(w .. "/f/b", "Not a directory", "ENOTDIR"),
            failure(w .. "/" .. long, "File name too long", "ENAMETOOLONG"),
            failure(w .. "/" .. long .. "/x", "File name too long", "ENAMETOOLONG"),
        }, calls(w, {
            { "write", "f/b", "x" }, { "write", "f/b/c", "x" }, { "write", long, "x" }, { "write", long .. "/x", "x" },
        }))
        assert.equal("f\n", names(w))
    end)

    it("F19 is atomic: writers and readers of one file at a time see whole versions only", function()
        local size = 1000000
        write(w .. "/f", ("a"):rep(size))
        local writers = {}
        local long = { SANDSTORM_SCRIPT_CPU_MS = "60000" }
        for i, letter in ipairs { "b", "c", "d" } do
            local script = tmp.file("writer.lua", ([[
                local fs = require("fs")
                repeat
                    assert(fs.write("f", ("%s"):rep(%d)))
                    assert(fs.write("x.md", "md")) assert(fs.write("x.exe", "exe"))
                until fs.stat("enough")]]):format(letter, size))
            writers[i] = program.spawn({ workspace = w, env = long, args = { "run", script } })
        end
        assert.equal(300, run(w, ([[
            local reads, versions, seen = 0, 0, { a = true }
            while reads < 300 or versions < 3 do
                local content = assert(fs.read("f"))
                local letter = content:sub(1, 1)
                assert(content == letter:rep(%d), "a mixture")
                assert((fs.read("x.md") or "md") == "md" and (fs.read("x.exe") or "exe") == "exe")
                if not seen[letter] then versions = versions + 1 end
                seen[letter], reads = true, reads + 1
            end
            assert(fs.write("enough", ""))
            return math.min(reads, 300)]]):format(size), { env = long }))
        for _, writer in ipairs(writers) do assert.same({ 0, 0 }, { writer:wait() }, writer:stderr()) end
        local last = read(w .. "/f")
        assert.equal(last:sub(1, 1):rep(size), last)
        assert.equal("enough\nf\nx.exe\nx.md\n", names(w))
    end)
end)

describe("fs.write in one server", function()
    -- Tools that write and read one file over and over, in threads of one process; a version's length tells its letter.
    local TOOLS = [[
        local fs = require("fs")
        local function a_tool(name, handler)
            tool {
                name = name, description = name, handler = handler,
                input = { type = "object", properties = { letter = { type = "string" } } },
            }
        end
        a_tool("put", function(args)
            local content = args.letter:rep(3000000 + args.letter:byte())
            for _ = 1, 15 do assert(fs.write("f", content)) end
            return "whole"
        end)
        a_tool("look", function()
            local seen = "whole"
            for _ = 1, 250 do
                local content = assert(fs.read("f"))
                local first, last = content:byte(1), content:byte(-1)
                if first ~= last or #content ~= 3000000 + first then seen = "a mixture" end
            end
            return seen
        end)]]

    for _, linked in ipairs { false, true } do
        it("F19 calls at one time see whole versions of a file with " .. (linked and "two names" or "one"), function()
            local s = server.start({ tools = tmp.file("tools.lua", TOOLS) })
            write(s.workspace .. "/f", ("a"):rep(3000000 + 97))
            if linked then shell(("cd %s; ln f g"):format(s.workspace)) end
            local sent = {
                wire.begin(s, "put", { letter = "b" }), wire.begin(s, "look"),
                wire.begin(s, "put", { letter = "z" }), wire.begin(s, "look"),
            }
            for position, connection in ipairs(sent) do sent[position] = wire.result(connection).content[1].text end
            assert.same({ "whole", "whole", "whole", "whole" }, sent)
            assert.equal(linked and "f\ng\n" or "f\n", names(s.workspace))
            s:stop()
        end)
    end
end)

describe("fs.write, when something goes wrong", function()
    local w
    before_each(function() w = tmp.dir("workspace") end)

    local FULL = [[
        local function letters(n, letter) return letter:rep(n) end
        assert(fs.write("plain", letters(400000, "a")))
        assert(fs.write("linked", letters(400000, "a")))
        local out = {}
        local function try(...)
            local ok, message, code = fs.write(...)
            out[#out + 1] = ok and "written" or code
        end
        require("process").run { command = "ln linked other" }
        try("plain", letters(3000000, "b"))
        try("linked", letters(3000000, "b"))
        try("new", letters(3000000, "b"))
        try("plain", letters(3000000, "b"), { append = true })
        for _, name in ipairs { "plain", "linked", "other" } do
            out[#out + 1] = fs.read(name) == letters(400000, "a")
        end
        local found = {}
        for _, entry in ipairs(fs.list("").entries) do found[#found + 1] = entry.name end
        out[#out + 1] = table.concat(found, " ")
        try("linked", letters(400000, "c"))
        out[#out + 1] = fs.read("other") == letters(400000, "c")
        return out]]

    local function expected(code)
        return { code, code, code, code, true, true, true, ". .. linked other plain", "written", true }
    end

    it("a full disk changes nothing and leaves nothing behind", function()
        local wrap = needs.mounts("mount -t tmpfs -o size=2m,mode=777 tmpfs " .. quote(w))
        assert.same(expected("ENOSPC"), run(w, FULL, { wrap = wrap }))
    end)

    it("what is not there of a sparse file takes no space and no time, when it is written or copied", function()
        shell(("mkdir %s/other"):format(w))
        local wrap = needs.mounts("mount -t tmpfs -o size=4m,mode=777 tmpfs " .. quote(w) .. " && mkdir " .. quote(w)
            .. "/other && mount -t tmpfs -o size=4m,mode=777 tmpfs " .. quote(w .. "/other"))
        local source = [[
            local run = require("process").run
            run { command = "truncate -s 1T linked moved; printf tail >> moved; printf middle | dd of=moved bs=1 seek=1G "
                .. "conv=notrunc; ln linked twin" }
            local function part(path, offset) return (fs.read(path, { offset = offset, limit = 8 })) end
            local out = { (assert(fs.write("linked", "new"))).bytes, fs.read("twin") }
            out[3] = assert(fs.move("moved", "other/moved"))
            local size = select(2, fs.read("other/moved", { offset = 0, limit = 1 })).size
            out[4], out[5], out[6] = size - (1 << 40), part("other/moved", 1 << 30), part("other/moved", 1 << 40)
            return out]]
        assert.same({ 3, "new", w .. "/other/moved", 4, "middle\0\0", "tail" }, run(w, source, { wrap = wrap }))
    end)

    it("a limit on the size of files does not either, and does not end the program", function()
        assert.same(expected("EFBIG"), run(w, FULL, { wrap = { "prlimit", "--fsize=1000000", "--" } }))
    end)

    it("what was written is taken back where space cannot be reserved beforehand", function()
        local wrap = needs.mounts(("mount -t ramfs ramfs %s; chmod 777 %s"):format(quote(w), quote(w)))
        table.move({ "prlimit", "--fsize=1000000", "--" }, 1, 3, #wrap + 1, wrap)
        assert.same(expected("EFBIG"), run(w, FULL, { wrap = wrap }))
    end)

    it("F19 kill -9 in the middle leaves the old or the new content, whole", function()
        local size, linked = 4000000, ("linked"):rep(42)
        shell(("cd %s; : > %s; ln %s other"):format(w, linked, linked))
        local script = tmp.file("loop.lua", ([[
            local fs = require("fs")
            for i = 1, math.huge do
                local content = string.char(97 + i %% 26):rep(%d)
                assert(fs.write("plain", content))
                assert(fs.write("%s", content))
                if i == 1 then assert(fs.write("started", "")) end
            end]]):format(size, linked))
        local function whole(path)
            local content = read(path)
            return #content == size and content == content:sub(1, 1):rep(size)
        end
        for round = 1, 12 do
            os.remove(w .. "/started")
            local loop = program.spawn({ workspace = w, args = { "run", script } })
            assert(program.wait_until(function() return read(w .. "/started") or not loop:running() end))
            assert(loop:running(), loop:stderr())
            uv.sleep(round * 3)
            loop:signal_with("sigkill")
            loop:wait()
            assert.is_true(whole(w .. "/plain"))
            local kept = {}
            for name in names(w):gmatch("[^\n]+") do
                if name:find("^%.linked.*%.%x+%.sandstorm%-old$") then kept[#kept + 1] = w .. "/" .. name end
            end
            assert.is_true(whole(w .. "/" .. linked) or #kept == 1 and whole(kept[1]))
            for _, name in ipairs(kept) do os.remove(name) end
        end
        assert.equal(read(w .. "/" .. linked), read(w .. "/other"))
    end)

    it("works without /proc, where temporary files need a name from the start", function()
        local script = tmp.file("write.lua", [[local fs = require("fs")
            assert(fs.write("f", "old")) assert(fs.write("f", "new")) return (fs.read("f"))]])
        local hidden = program.run({
            workspace = w, wrap = needs.mounts("mount -t tmpfs tmpfs /proc"), args = { "run", script },
            env = {
                SANDSTORM_LIBRARY = program.root .. "/lib", SANDSTORM_TOOLS = program.root .. "/tools.lua",
                ASAN_OPTIONS = (os.getenv("ASAN_OPTIONS") or "") .. ":detect_leaks=0", -- which needs /proc
            },
        })
        assert.equal('"new"\n', hidden.stdout, hidden.stderr)
        assert.equal("f\n", names(w))
    end)
end)

describe("fs.move", function()
    local w
    before_each(function() w = tmp.dir("workspace") end)

    local function taken(path) return failure(w .. "/" .. path, "File exists", "EEXIST") end

    it("F01 replaces a file only when asked to, and never by way of a folder", function()
        shell(("cd %s; echo -n A > a; echo -n B > b; mkdir d e full; echo -n P > d/a; : > full/x"):format(w))
        assert.same({
            taken("b"), taken("d/a"), taken("d/a"), { w .. "/d/e", false }, { w .. "/d/full", false }, { w .. "/b", true },
            { w .. "/b", false }, failure(w .. "/a", "No such file or directory", "ENOENT"), taken("d/a"),
        }, calls(w, {
            { "move", "a", "b", { replace = false } }, { "move", "a", "d", { replace = false } }, { "move", "a", "d" },
            { "move", "e", "d" }, { "move", "full", "d" }, { "move", "a", "b" }, { "move", "b", "b" }, { "move", "a", "x/y" },
            { "move", "d/a", "d" },
        }))
        assert.equal("A", read(w .. "/b"))
        assert.equal("P", read(w .. "/d/a"))
        assert.equal("b\nd\n", names(w))
    end)

    it("F01 a write of the destination meanwhile is not lost under `replace = false`", function()
        -- Nobody but the writer takes "b" away: what it reads behind its own write is its own.
        local long = { SANDSTORM_SCRIPT_CPU_MS = "60000" }
        local writer = program.spawn({ workspace = w, env = long, args = { "run", tmp.file("writer.lua", [[
            local fs = require("fs")
            repeat
                assert(fs.write("b", "B"))
                assert(fs.read("b") == "B", "the file was replaced by a move")
                assert(fs.remove("b"))
            until fs.stat("enough")]]) } })
        local moves = run(w, [[
            local moved, refused = 0, 0
            while moved < 100 or refused < 100 do
                assert(fs.write("a", "A"))
                local ok, _, code = fs.move("a", "b", { replace = false })
                assert(ok or code == "EEXIST", code)
                if ok then moved = moved + 1 else refused = refused + 1 end
                assert((fs.read("a") == "A") == not ok)
            end
            assert(fs.write("enough", ""))
            return { moved >= 100, refused >= 100 }]], { env = long })
        assert.same({ true, true }, moves)
        assert.same({ 0, 0 }, { writer:wait() }, writer:stderr())
    end)

    it("makes parents, but none for what is missing or goes into itself", function()
        shell(("cd %s; mkdir -p d; : > a; : > d/f; ln a hard; ln -s d l"):format(w))
        local itself = failure(w .. "/d", "Invalid argument (it cannot be moved into itself)", "EINVAL")
        assert.same({
            { w .. "/x/y/b", false }, failure(w .. "/no", "No such file or directory", "ENOENT"), itself, itself, itself,
            failure(w, "Invalid argument (it cannot be moved into itself)", "EINVAL"), { w .. "/d", false },
            taken("hard"), taken("hard"), { w .. "/l/hard", false },
        }, calls(w, {
            { "move", "a", "x/y/b" }, { "move", "no", "p/q" }, { "move", "d", "d/sub" }, { "move", "d", "d/sub/deep" },
            { "move", "d", "l/sub" }, { "move", "", "sub" }, { "move", "d", "l/../d" }, { "move", "d", "hard" },
            { "move", "d", "hard/b" }, { "move", "hard", "l" },
        }))
        assert.equal("./d\n./d/f\n./d/hard\n./l\n./x\n./x/y\n./x/y/b\n", shell(("cd %s; find . -mindepth 1 | sort"):format(w)))
    end)

    it("of one name of a file onto another leaves one", function()
        shell(("cd %s; echo -n x > a; ln a b"):format(w))
        assert.same({ { w .. "/b", true } }, calls(w, { { "move", "a", "b" } }))
        assert.equal("b\n", names(w))
    end)

    it("replaces a link that leads nowhere or in circles, and not what it names", function()
        shell(("cd %s; ln -s loop loop; ln -s nowhere gone; echo -n A > a; echo -n B > b"):format(w))
        assert.same({ { w .. "/loop", true }, { w .. "/gone", true } },
            calls(w, { { "move", "a", "loop" }, { "move", "b", "gone" } }))
        assert.equal("gone\nloop\n", names(w))
        assert.same({ "A", "B" }, { read(w .. "/loop"), read(w .. "/gone") })
    end)

    it("names the side that does not allow it", function()
        shell(("cd %s; mkdir d e; echo x > d/a; mkdir d/s; echo y > a; : > e/a; chmod 555 d e"):format(w))
        local wrap = unprivileged(w)
        local denied = function(path) return failure(w .. "/" .. path, "Permission denied", "EACCES") end
        assert.same({ denied("d/a"), denied("e/b"), denied("e/a"), denied("d/s"), denied("d/a"), denied("d/a") }, calls(w, {
            { "move", "d/a", "b" }, { "move", "a", "e/b" }, { "move", "a", "e/a" }, { "move", "d/s", "s" },
            { "move", "d/a", "a" }, { "move", "d/a", "e/c" },
        }, { wrap = wrap }))
        assert.equal("a\nb\nd\ne\n", names(w))
        assert.equal("x\nx\ny\n", shell(("cd %s; cat b d/a a"):format(w)))
    end)

    it("names what cannot be replaced, and what is a mount point", function()
        needs.root()
        shell(("cd %s; mkdir s; : > a; : > mount; : > here"):format(w))
        local wrap = needs.mounts(("cd %s; mount --bind here mount"):format(quote(w)))
        table.move(unprivileged(w), 1, 6, #wrap + 1, wrap)
        shell(("cd %s; : > s/a; chown -R 0:0 s; chmod 1777 s"):format(w))
        assert.same({
            failure(w .. "/s/a", "Operation not permitted", "EPERM"), failure(w .. "/mount", "Device or resource busy", "EBUSY"),
        }, calls(w, { { "move", "a", "s/a" }, { "move", "mount", "b" } }, { wrap = wrap }))
        assert.equal("a\nhere\nmount\ns\n", names(w))
    end)

    it("copies files and links to another file system, and leaves folders alone", function()
        shell(("cd %s; mkdir disk d; echo -n x > f; chmod 640 f; touch -d @1000000000 f; ln -s f l"):format(w))
        local wrap = needs.mounts("mount -t tmpfs tmpfs " .. quote(w .. "/disk"))
        local source = [[
            local out = { (fs.move("f", "disk/f")), (fs.move("l", "disk")), fs.read("disk/f") }
            local entry, link = fs.stat("disk/f"), fs.stat("disk/l")
            out[4] = ("%o %d %s"):format(entry.mode, entry.mtime, link.target)
            out[5] = select(2, fs.move("d", "disk/d")) or "moved"
            out[6] = fs.move("disk/f", "f") and (fs.read("f"))
            return out]]
        local d = w .. "/d: Invalid cross-device link (only files and links can be moved to another file system)"
        assert.same({ w .. "/disk/f", w .. "/disk/l", "x", "640 1000000000 f", d, "x" }, run(w, source, { wrap = wrap }))
    end)

    it("replaces nothing on another file system unless asked to, and leaves no half of a copy there", function()
        shell(("cd %s; mkdir disk; echo -n x > f; ln -s f l"):format(w))
        local wrap = needs.mounts("mount -t tmpfs tmpfs " .. quote(w .. "/disk"))
        assert.same({ "EEXIST", "EEXIST", "y", ". .. taken" }, run(w, [[
            assert(fs.write("disk/taken", "y"))
            local function code(from) return (select(3, fs.move(from, "disk/taken", { replace = false }))) end
            local out, found = { code("f"), code("l"), (fs.read("disk/taken")) }, {}
            for _, entry in ipairs(fs.list("disk").entries) do found[#found + 1] = entry.name end
            out[4] = table.concat(found, " ")
            return out]], { wrap = wrap }))
        assert.equal("disk\nf\nl\n", names(w))
    end)

    it("gives the group of a copy no more than others had where the owner cannot be kept", function()
        needs.root()
        shell(("mkdir %s/disk"):format(w))
        local wrap = needs.mounts("mount -t tmpfs -o mode=777 tmpfs " .. quote(w .. "/disk"))
        table.move(unprivileged(w), 1, 6, #wrap + 1, wrap)
        shell(("cd %s; echo x > f; chown 0:0 f; chmod 664 f"):format(w))
        assert.same({ "644", 4242 }, run(w, [[
            assert(fs.move("f", "disk/f"))
            local entry = fs.stat("disk/f")
            return { ("%o"):format(entry.mode), entry.uid }]], { wrap = wrap }))
    end)
end)

describe("fs.remove and fs.mkdir", function()
    local w
    before_each(function() w = tmp.dir("workspace") end)

    it("remove what is no folder, and say what is", function()
        shell(("cd %s; : > f; chmod 444 f; mkdir d; mkfifo p"):format(w))
        assert.same({
            { true }, { true }, failure(w .. "/f", "No such file or directory", "ENOENT"),
            failure(w .. "/d", "Is a directory", "EISDIR"), failure(w, "Is a directory", "EISDIR"),
            failure(w .. "/no/such", "No such file or directory", "ENOENT"),
        }, calls(w, {
            { "remove", "f" }, { "remove", "p" }, { "remove", "f" }, { "remove", "d/" }, { "remove", "" },
            { "remove", "no/such" },
        }))
        assert.equal("d\n", names(w))
    end)

    it("make folders, also where they are already", function()
        shell(("cd %s; : > f; ln -s d link; ln -s nowhere dangling; ln -s loop loop"):format(w))
        local long = ("n"):rep(255)
        local function taken(path) return failure(w .. "/" .. path, "File exists", "EEXIST") end
        assert.same({
            { true, true }, { true, true }, { true, false }, { true, false }, { true, false }, taken("f"), taken("dangling"),
            taken("loop"), failure(w .. "/f/d", "Not a directory", "ENOTDIR"),
            failure(w .. "/x/y", "No such file or directory", "ENOENT"),
        }, calls(w, {
            { "mkdir", "d/e/" }, { "mkdir", long .. "/" .. long }, { "mkdir", "d" }, { "mkdir", "" }, { "mkdir", "link/e" },
            { "mkdir", "f" }, { "mkdir", "dangling" }, { "mkdir", "loop" }, { "mkdir", "f/d" },
            { "mkdir", "x/y", { parents = false } },
        }))
    end)

    it("make the same folders for several at one time", function()
        assert.equal(160, run(w, [[
            local fiber, clock = require("fiber"), require("clock")
            local left, made = 4, 0
            for _ = 1, 4 do
                fiber.spawn(function()
                    for number = 1, 40 do
                        if fs.mkdir("a" .. number .. "/b/c") then made = made + 1 end
                    end
                    left = left - 1
                end)
            end
            while left > 0 do clock.sleep(5) end
            return made]]))
    end)
end)

describe("fs.list, fs.stat and fs.walk", function()
    local w
    before_each(function() w = tmp.dir("workspace") end)

    it("say what stat says", function()
        shell(([[cd %s; echo 12345 > f; chmod 4750 f; touch -d @1000000000 f
            ln -s f l; ln -s /etc out; mkfifo p; mkdir d]]):format(w))
        local listing = calls(w, { { "list", "." } })[1][1]
        local lines = {}
        for _, e in ipairs(listing.entries) do
            lines[#lines + 1] = ("%s %o %d %d %d %d"):format(e.name, e.mode, e.nlink, e.uid, e.gid, e.size)
        end
        -- `..` of the root is the root itself.
        local wanted = shell(("cd %s; for f in . . d f l out p; do stat -c '%%n %%a %%h %%u %%g %%s' $f; done"):format(w))
        wanted = wanted:gsub("\n%.( [^\n]*)", "\n..%1", 1)
        assert.equal(wanted, table.concat(lines, "\n") .. "\n")
        local blocks = shell(("cd %s; stat -c %%b . . d f l out p | awk '{ sum += $1 } END { print sum / 2 }'"):format(w))
        assert.equal(blocks, ("%d\n"):format(listing.blocks))
        local by_name = {}
        for _, e in ipairs(listing.entries) do by_name[e.name] = e end
        local owner = shell(("ls -ld %s | awk '{ print $3, $4 }'"):format(w))
        assert.equal(owner, ("%s %s\n"):format(by_name.d.user, by_name.d.group))
        assert.same({ "directory", "file", "link", "fifo" },
            { by_name.d.type, by_name.f.type, by_name.l.type, by_name.p.type })
        assert.same({ "f", "/etc", 1000000000 }, { by_name.l.target, by_name.out.target, by_name.f.mtime })
        assert.same({ "directory", false, w }, { listing.kind, listing.truncated, listing.path })
    end)

    it("give the numbers of devices, and of nothing else", function()
        local null, folder = table.unpack(calls("/dev", { { "stat", "null" }, { "stat", "" } }))
        assert.same({ "char", 1, 3 }, { null[1].type, null[1].major, null[1].minor })
        assert.is_nil(folder[1].major)
    end)

    it("sort by bytes, `.` and `..` too, and give the blocks of a file alone", function()
        shell(("cd %s; : > -a; : > '!b'; head -c 5000 /dev/zero > c"):format(w))
        local got = calls(w, { { "list", "" }, { "list", "c" } })
        local listed = {}
        for _, entry in ipairs(got[1][1].entries) do listed[#listed + 1] = entry.name end
        assert.equal("!b -a . .. c", table.concat(listed, " "))
        assert.equal(shell(("stat -c %%b %s/c"):format(w)), ("%d\n"):format(got[2][1].blocks * 2))
    end)

    it("name every owner, by a number who has no name", function()
        needs.root()
        shell(("cd %s; : > a; : > b; chown 4242:4343 b"):format(w))
        local entries = calls(w, { { "list", "" } })[1][1].entries
        local owners = {}
        for _, entry in ipairs(entries) do owners[entry.name] = entry.user .. " " .. entry.group end
        assert.same({ "root root", "4242 4343" }, { owners.a, owners.b })
    end)

    it("describe a link itself, and a folder when its entries cannot be looked at", function()
        shell(("cd %s; mkdir d no; : > d/f; ln -s d link; ln -s nowhere gone; chmod 444 d; chmod 000 no"):format(w))
        local got = calls(w, { { "list", "link" }, { "stat", "gone" }, { "list", "d" }, { "list", "no" }, { "stat", "" } },
            { wrap = unprivileged(w) })
        assert.same({ "link", "d", 1 }, { got[1][1].kind, got[1][1].entries[1].target, #got[1][1].entries })
        assert.same({ "link", "nowhere", w .. "/gone" }, { got[2][1].type, got[2][1].target, got[2][1].path })
        assert.same({ "f", "unknown" }, { got[3][1].entries[#got[3][1].entries].name, got[3][1].entries[1].type })
        assert.same(failure(w .. "/no", "Permission denied", "EACCES"), got[4])
        assert.same({ "directory", w }, { got[5][1].type, got[5][1].path })
    end)

    it("stop at the limit and say so", function()
        shell(("cd %s; for i in 1 2 3 4 5; do : > $i; done"):format(w))
        local got = calls(w, { { "list", "", { limit = 3 } }, { "list", "", { limit = 5 } }, { "walk", "", { limit = 3 } },
            { "walk", "", { limit = 6 } } })
        assert.same({ 5, true }, { #got[1][1].entries, got[1][1].truncated })
        assert.same({ 7, false }, { #got[2][1].entries, got[2][1].truncated })
        assert.same({ w, w .. "/1", w .. "/2" }, got[3][1].paths)
        assert.is_true(got[3][1].truncated)
        assert.same({ 6, false }, { #got[4][1].paths, got[4][1].truncated })
    end)

    it("walk in order, not through links, not into what is skipped, and say what they leave out", function()
        shell(([[cd %s; mkdir -p b/c/d a.d p/.git/o p/node_modules no; : > b/c/d/f; : > b/z; : > p/.git/HEAD; ln -s b link
            ln -s .. up; chmod 000 no]]):format(w))
        local got = calls(w, {
            { "walk", "" }, { "walk", "", { depth = 2 } }, { "walk", "b", { depth = 3 } }, { "walk", "p", { skip = { "o" } } },
            { "walk", "link" }, { "walk", "", { depth = 0 } }, { "walk", "no" },
        }, { wrap = unprivileged(w) })
        assert.equal(w .. [[ /a.d /b /b/c /b/c/d /b/c/d/f /b/z /link /no /p /p/.git /p/node_modules /up]],
            (table.concat(got[1][1].paths, " "):gsub(" " .. w:gsub("%-", "%%-"), " ")))
        assert.same({ { w .. "/no" }, false, false }, { got[1][1].unreadable, got[1][1].deeper, got[1][1].truncated })
        assert.same({ true, false }, { got[2][1].deeper, got[3][1].deeper })
        assert.same({ w .. "/p", w .. "/p/.git", w .. "/p/.git/HEAD", w .. "/p/.git/o", w .. "/p/node_modules" }, got[4][1].paths)
        assert.same({ { w .. "/link" }, true, { w } }, { got[5][1].paths, got[6][1].deeper, got[6][1].paths })
        assert.same({ { w .. "/no" }, { w .. "/no" } }, { got[7][1].paths, got[7][1].unreadable })
    end)

    it("F16 give names as bytes, and every name that is listed can be read and removed", function()
        local odd = { "\xff", "\xfe", "a\xffb", "new\nline", "-rf", ("x"):rep(255), " ", "$(x)", "日本" }
        for i, name in ipairs(odd) do write(w .. "/" .. name, tostring(i)) end
        local got = run(w, [[
            local contents = {}
            for _, entry in ipairs(fs.list("").entries) do
                if entry.type == "file" then
                    contents[#contents + 1] = assert(fs.read(entry.name))
                    assert(fs.move(entry.name, entry.name .. "/../m"))
                    assert(fs.move("m", entry.name))
                    assert(fs.remove(entry.name))
                end
            end
            table.sort(contents)
            return { table.concat(contents), #fs.list("").entries }]])
        assert.same({ "123456789", 2 }, got)
        assert.equal("", names(w))
    end)
end)

describe("fs, descriptors", function()
    -- What is answered, and to which call; all of them leave the workspace as it was.
    local ROUND = {
        { "ok", "write", "f", "x" }, { "ok", "write", "f", "x", { append = true } }, { "ok", "write", "linked", "y" },
        { "ok", "write", "l", "x" }, { "EISDIR", "write", "d", "x" }, { "ENOTREG", "write", "p", "x" },
        { "EEXIST", "write", "f/x", "x" }, { "EOUTSIDE", "write", "out/x", "x" }, { "ENOENT", "write", "broken", "x" },
        { "EACCES", "write", ".sandstorm-mcp/sessions.db", "x" }, { "ok", "write", "t/new/er", "x" },
        { "ok", "read", "f" }, { "ok", "read", "up" }, { "ENOENT", "read", "no" }, { "EISDIR", "read", "d" },
        { "ENOTREG", "read", "p" }, { "EOUTSIDE", "read", "out/passwd" }, { "EACCES", "read", ".sandstorm-mcp/sessions.db" },
        { "ok", "mkdir", "d" }, { "ok", "mkdir", "t/u" }, { "EEXIST", "mkdir", "f" }, { "ENOTDIR", "mkdir", "f/d" },
        { "ENOENT", "mkdir", "no/d", { parents = false } }, { "ok", "mkdir", "d/e", { parents = false } },
        { "ENAMETOOLONG", "mkdir", ("n"):rep(256) }, { "EACCES", "mkdir", ".sandstorm-mcp/sessions.db-wal" },
        { "ok", "move", "a", "b" }, { "ok", "move", "b", "a" }, { "EEXIST", "move", "a", "f", { replace = false } },
        { "ENOENT", "move", "no", "b" }, { "EINVAL", "move", "d", "d/e/g" }, { "EOUTSIDE", "move", "a", "out/a" },
        { "ok", "move", "a", "d" }, { "ok", "move", "d/a", "a" }, { "ok", "move", "a", "disk/a" },
        { "EEXIST", "move", "f", "disk/a", { replace = false } }, { "ok", "move", "disk/a", "a" },
        { "EXDEV", "move", "d", "disk/d" }, { "ok", "move", "l", "disk/l" }, { "ok", "move", "disk/l", "l" },
        { "EACCES", "move", ".sandstorm-mcp/sessions.db", "b" },
        { "ok", "move", "d", "d" },
        { "ok", "list", "d" }, { "ok", "list", "f" }, { "ok", "list", "l" }, { "EOUTSIDE", "list", "out" },
        { "ENOENT", "list", "no" }, { "ok", "stat", "l" }, { "ok", "walk", "" }, { "ok", "walk", "", { depth = 0 } },
        { "ok", "walk", "f" }, { "EOUTSIDE", "walk", "out" },
        { "EISDIR", "remove", "d" }, { "ENOENT", "remove", "no" }, { "EOUTSIDE", "remove", "out/x" },
        { "EACCES", "remove", ".sandstorm-mcp/sessions.db" },
        { "ok", "remove_tree", "t" }, { "ENOENT", "remove_tree", "t" }, { "EISDIR", "remove_tree", "" },
        { "ELOOP", "remove_tree", "out/x" }, { "ok", "remove_tree", "d/e" }, { "EACCES", "remove_tree", ".sandstorm-mcp" },
    }

    it("none stays open, whatever comes of a call", function()
        local w = tmp.dir("workspace")
        shell(([[cd %s; mkdir d disk .sandstorm-mcp; : > .sandstorm-mcp/sessions.db; echo -n x > f; echo -n x > a
            echo -n x > h; ln h linked; ln -s /etc out; ln -s f l; ln -s nowhere/x broken; mkfifo p
            ln -s %s/d/../f up]]):format(w, w))
        local wrap = needs.mounts("mount -t tmpfs tmpfs " .. quote(w .. "/disk"))
        table.move({ "prlimit", "--nofile=40", "--" }, 1, 3, #wrap + 1, wrap)
        local unexpected = run(w, "local ROUND = " .. literal(ROUND) .. [[
            for number = 1, 40 do
                for _, call in ipairs(ROUND) do
                    local value, message, code = fs[call[2] ](table.unpack(call, 3))
                    if (value and "ok" or code) ~= call[1] then
                        return ("round %d: fs.%s: %s"):format(number, call[2], message or "ok")
                    end
                end
            end]], { wrap = wrap })
        assert.is_nil(unexpected)
    end)
end)

describe("fs, the server's own files", function()
    it("S03 the database and what SQLite keeps beside it is not opened, replaced, moved or removed", function()
        local w = tmp.dir("workspace")
        shell(([[cd %s; mkdir .sandstorm-mcp; echo -n db > .sandstorm-mcp/sessions.db
            ln .sandstorm-mcp/sessions.db hard; ln -s .sandstorm-mcp l; echo x > x]]):format(w))
        local list, expected = {}, {}
        local function refused(path, ...)
            list[#list + 1] = { ... }
            expected[#expected + 1] = failure(w .. "/" .. path, "Permission denied (a file of the server itself)", "EACCES")
        end
        for _, path in ipairs { ".sandstorm-mcp/sessions.db", "hard", "l/sessions.db" } do
            refused(path, "read", path)
            refused(path, "write", path, "x")
            refused(path, "write", path, "x", { append = true })
            refused(path, "remove", path)
            refused(path, "move", path, "y")
            refused(path, "move", "x", path)
        end
        for _, name in ipairs { "-wal", "-shm", "-journal" } do
            local path = ".sandstorm-mcp/sessions.db" .. name
            refused(path, "write", path, "x")
            refused(path, "move", "x", path)
            refused(path, "mkdir", path)
        end
        refused(".sandstorm-mcp", "move", ".sandstorm-mcp", "elsewhere")
        for _, path in ipairs { ".sandstorm-mcp/other", "sessions.db" } do
            list[#list + 1], expected[#expected + 1] = { "write", path, "x" }, { { bytes = 1, created = true } }
        end
        assert.same(expected, calls(w, list))
        assert.equal("db", read(w .. "/hard"))
        assert.equal("other\nsessions.db\n", names(w .. "/.sandstorm-mcp"))
    end)
end)
