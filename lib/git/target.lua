--- Where a clone goes. What a failure leaves behind is removed, what was there before never: also when the call is
--- stopped while git runs.
local fs = require("fs")
local names = require("names")
local process = require("process")

local target = {}

local REMOVE_S = 60
local FIRST_WORDS = 4096 -- bytes of what git says that can hold the name

---@class git.Target
---@field path? string absolute; nil when git is to choose
---@field private before table<string, true> names in the workspace, when git is to choose
---@field private existed boolean
---@field private parents string[] the folders above it that are missing, nearest first
---@field private said string
---@field private settled? boolean nothing is left to do
local Target = {}
Target.__index = Target

-- What is missing on the way to a path; fails where the way, as far as it exists, leads out of the workspace.
local function missing_on_the_way(path)
    local missing = {}
    while true do
        local found, message, code = fs.stat(path)
        if found then return missing end
        if code ~= "ENOENT" then return nil, code == "EOUTSIDE" and message or "Error: " .. message end
        missing[#missing + 1] = path
        path = path:match("^(.+)/[^/]*$")
    end
end

local function names_in_workspace()
    local found = {}
    local listing = fs.list("")
    for _, entry in ipairs(listing and listing.entries or {}) do found[entry.name] = true end
    return found
end

local function new(fields)
    fields.said, fields.parents = "", fields.parents or {}
    return setmetatable(fields, Target)
end

--- What is there before a clone to a path of the agent's.
---@param path? string
---@return git.Target? target
---@return string? message
function target.of(path)
    if not path or path == "" then return new({ before = names_in_workspace() }) end
    local absolute, message = fs.resolve(names.read(path))
    if not absolute then return nil, message end
    local missing, complaint = missing_on_the_way(absolute)
    if not missing then return nil, complaint end
    return new({ path = absolute, existed = missing[1] ~= absolute, parents = table.move(missing, 2, #missing, 1, {}) })
end

--- Takes what git says: "Cloning into 'name'..." comes once it has found the place free, or an empty directory.
---@param stderr string
function Target:hear(stderr)
    if #self.said < FIRST_WORDS then self.said = self.said .. stderr end
end

local function name_in(said) return said:match("Cloning into [^\n]-'([^\n]+)'%.%.%.") end

--- The absolute path, as soon as it is known.
---@return string?
function Target:where()
    local name = not self.path and name_in(self.said)
    return self.path or name and fs.resolve(name)
end

local function run(...) return process.run({ argv = { ... }, timeout_ms = REMOVE_S * 1000 }) end

-- Of a directory that was there the content is git's own once it has said the name: it had found nothing in it.
local function remove_content(self)
    local name, path = name_in(self.said), self:where()
    if not path or path == fs.root() or not fs.stat(path) then return end
    if not self.existed and not (self.before and self.before[name]) then
        run("rm", "-rf", "--", path)
    elseif name then
        run("find", path .. "/", "-mindepth", "1", "-delete")
    end
end

--- Removes what a failed clone left. git does so itself unless it was killed; folders above the target it leaves.
---@param killed boolean
function Target:clean_up(killed)
    self.settled = true
    if killed then remove_content(self) end
    if self.parents[1] then run("rmdir", "--", table.unpack(self.parents)) end
end

--- The clone is complete.
function Target:keep() self.settled = true end

--- The call was stopped and git has ended: what it left is removed, unless that was settled before.
function Target:give_up()
    if not self.settled then self:clean_up(true) end
end

return target
