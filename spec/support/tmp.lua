--- Temporary folders and files for specs. Everything made here is removed when the test process ends.
local uv = require("luv")

local tmp = {}

local base -- made with the first folder
local made = 0

--- Runs a shell line that prepares or inspects something; returns what it printed, raises when it fails.
function tmp.shell(line)
    local pipe = assert(io.popen("set -e; exec 2>&1; " .. line))
    local output = pipe:read("a")
    local ok = pipe:close()
    if not ok then error("shell line failed: " .. line .. "\n" .. output, 2) end
    return output
end

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end
tmp.quote = quote

-- Removes the folder with the test process: the guard's collector runs when the Lua state closes.
local guard = setmetatable({}, {
    __gc = function()
        if base then os.execute("chmod -R u+rwX " .. quote(base) .. " 2>/dev/null; rm -rf " .. quote(base)) end
    end,
})

--- A new, empty folder; returns its absolute path.
function tmp.dir(name)
    assert(guard)
    if not base then
        local parent = os.getenv("TMPDIR") or "/tmp"
        base = assert(uv.fs_realpath(assert(uv.fs_mkdtemp(parent .. "/sandstorm-spec-XXXXXX"))))
        assert(uv.fs_chmod(base, tonumber("711", 8))) -- specs also run the program as somebody without privileges
    end
    made = made + 1
    local path = ("%s/%d-%s"):format(base, made, name or "dir")
    assert(uv.fs_mkdir(path, tonumber("755", 8)))
    return path
end

--- Writes a file (parents are made) and returns its path.
function tmp.write(path, bytes)
    local parent = path:match("^(.*)/[^/]*$")
    if parent and parent ~= "" and not uv.fs_stat(parent) then tmp.shell("mkdir -p " .. quote(parent)) end
    local file = assert(io.open(path, "wb"))
    assert(file:write(bytes))
    assert(file:close())
    return path
end

--- The bytes of a file, or nil when there is none.
function tmp.read(path)
    local file = io.open(path, "rb")
    if not file then return nil end
    local bytes = file:read("a")
    file:close()
    return bytes
end

--- A new file in a folder of its own; returns its path.
function tmp.file(name, bytes) return tmp.write(tmp.dir("file") .. "/" .. name, bytes) end

--- What kind of thing a path is, links not followed: "file", "directory", "link", ... or nil.
function tmp.kind(path)
    local stat = uv.fs_lstat(path)
    return stat and stat.type
end

return tmp
