--- The folders of sessions: `sessions/<id>` below the workspace root, with `context`, `workspace` and `outputs`.
local fs = require("fs")
local json = require("json")
local moment = require("session.moment")
local pretty = require("session.pretty")

local folders = {}

local SESSIONS = "sessions"
local PARTS = { "context", "workspace", "outputs" }
local OUTSIDE = "/" -- stands for wherever a link leads that leaves the workspace
local REMOVAL_CALLS = 10000 -- of 10,000 names each: what is larger is left to the reaper's next round

--- Where the folder of a new session is.
---@param id string
---@return string absolute
function folders.path(id) return fs.root() .. "/" .. SESSIONS .. "/" .. id end

-- The folder of a row, if it is one that sessions have. Rows of other servers may name any path.
local function own(row)
    if not row.id:find("^[%w-]+$") then return nil end
    local path = fs.resolve(row.workspace_path)
    return path == folders.path(row.id) and path or nil
end

--- Can sessions be kept? Not behind a link: no removal follows one.
---@return true?
---@return string? message
---@return string? code
function folders.check()
    local all = fs.root() .. "/" .. SESSIONS
    if (fs.stat(all) or {}).type ~= "link" then return true end
    return nil, all .. ": is a link; sessions are kept in a folder", "ELOOP"
end

--- Makes the folders, and the context files: `task.json` is the whole context, `env.json` its member `env`.
---@param id string
---@param body string what the client sent, valid JSON
---@param context any the decoded context
function folders.make(id, body, context)
    local base = folders.path(id)
    for _, part in ipairs(PARTS) do
        local made, message, code = fs.mkdir(base .. "/" .. part)
        if not made then return nil, message, code end
    end
    local is_table = type(context) == "table"
    if context == nil or context == json.null or (is_table and next(context) == nil) then return true end
    local text = pretty.member(body, "context")
    local written, message, code = fs.write(base .. "/context/task.json", pretty.format(text))
    local env = is_table and context.env
    if written and type(env) == "table" and not json.is_array(env) and next(env) ~= nil then
        written, message, code = fs.write(base .. "/context/env.json", pretty.format(pretty.member(text, "env")))
    end
    if not written then return nil, message, code end
    return true
end

local function variable(value)
    if type(value) == "string" then return not value:find("\0", 1, true) and value or nil end
    if type(value) == "number" or type(value) == "boolean" then return json.encode(value) end
end

--- The variables that the context gives to the session's commands: text, numbers and true or false under names that the
--- environment can hold.
---@param id string
---@return table<string, string>
function folders.environment(id)
    local text = fs.read(folders.path(id) .. "/context/env.json")
    local given = text and json.decode(text)
    local variables = {}
    if type(given) ~= "table" or json.is_array(given) then return variables end
    for name, value in pairs(given) do
        local fits = type(name) == "string" and name ~= "" and not name:find("[=%z]")
        variables[name] = fits and variable(value) or nil
    end
    return variables
end

local function inside(path, base) return path == base or path:sub(1, #base + 1) == base .. "/" end

-- The first link on the way from `base` to `path` below it, and where it leads.
local function first_link(path, base)
    local at = base
    for part in path:sub(#base + 1):gmatch("[^/]+") do
        local folder = at
        at = at .. "/" .. part
        local entry, _, code = fs.stat(at)
        if code == "EOUTSIDE" then return at, OUTSIDE end
        if not entry then return nil end
        if entry.type == "link" then
            local target = entry.target:sub(1, 1) == "/" and entry.target or folder .. "/" .. entry.target
            return at, target .. path:sub(#at + 1)
        end
    end
end

--- The absolute path of a working directory, without links: relative to the session's `workspace`, or absolute inside the
--- session's folder.
---@param id string
---@param cwd string?
---@return string? path
---@return string? complaint
function folders.working_directory(id, cwd)
    local base = folders.path(id)
    if not cwd or cwd == "" then return base .. "/workspace" end
    local outside = ("cwd: expected a folder inside the session (%s), got %s"):format(base, json.encode(cwd))
    local path = fs.resolve(cwd:sub(1, 1) == "/" and cwd or base .. "/workspace/" .. cwd)
    for _ = 1, 40 do
        if not path or not inside(path, base) then return nil, outside end
        local link, target = first_link(path, base)
        if not link then return path end
        path = fs.resolve(target)
    end
    return nil, outside
end

local ID = ("^h8-h4-4h3-[89ab]h3-h12$"):gsub("%-", "%%-"):gsub("h(%d+)", function(count) return ("%x"):rep(count) end)

--- Folders that are named as those of sessions are, and that nobody changed since a point, at most `limit`.
---@param point integer as moment.now
---@param limit integer
---@return session.Row[] rows as far as `remove` needs them
function folders.older_than(point, limit)
    local found, rows = fs.list(fs.root() .. "/" .. SESSIONS), {}
    for _, entry in ipairs(found and found.entries or {}) do
        local old = entry.type == "directory" and entry.mtime * moment.SECOND < point and entry.name:find(ID)
        if old and #rows < limit then rows[#rows + 1] = { id = entry.name, workspace_path = folders.path(entry.name) } end
    end
    return rows
end

--- Removes the folder of a session with everything in it. True where there is none, or where the row names a path that is
--- not the folder of its session: such a path is left alone.
---@param row session.Row
---@return true?
---@return string? message
function folders.remove(row)
    local path = own(row)
    if not path then return true end
    for _ = 1, REMOVAL_CALLS do
        local removed, message, code = fs.remove_tree(path)
        if code == "ENOENT" then return true end
        if not removed then return nil, message end
        if removed.complete then return true end
    end
    return nil, path .. ": something is put into it faster than it can be removed"
end

return folders
