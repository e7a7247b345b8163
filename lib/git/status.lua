--- git_status: git's own text, and the same as fields from its format for programs (porcelain version 2).
local answer = require("git.answer")
local engine = require("git.engine")
local json = require("json")
local names = require("names")
local place = require("git.place")

local status = {}

local ENTRIES = 2000 -- of the fields; the text has all of them

-- Number of fields between the XY field and the path, by kind of line.
local FIELDS_BEFORE_PATH = { ["1"] = 6, ["2"] = 7, u = 8 }

local function read_header(line, fields)
    local name, value = line:match("^# (%S+) (.*)$")
    if name == "branch.oid" then
        fields.commit = value ~= "(initial)" and value or nil
    elseif name == "branch.head" then
        fields.branch = value ~= "(detached)" and value or nil
    elseif name == "branch.upstream" then
        fields.upstream = value
    elseif name == "branch.ab" then
        local ahead, behind = value:match("^%+(%d+) %-(%d+)$")
        fields.ahead, fields.behind = math.tointeger(ahead), math.tointeger(behind)
    end
end

local function read_change(line)
    local kind, index, worktree = line:match("^([12u]) (.)(.) ")
    if not kind then return nil end
    local path = line:match("^" .. ("%S+ "):rep(FIELDS_BEFORE_PATH[kind]) .. "(.*)$", 6)
    return { path = names.show(path), index = index, worktree = worktree, conflict = kind == "u" or nil }, kind
end

local function read_entry(line, next_record)
    local untracked = line:match("^%? (.*)$")
    if untracked then return { path = names.show(untracked), index = "?", worktree = "?" } end
    local entry, kind = read_change(line)
    if kind == "2" then entry.from = names.show(next_record()) end
    return entry
end

--- Reads `git status --porcelain=v2 --branch -z`.
---@param output string
---@return table fields
function status.parse(output)
    local fields = { entries = json.array({}), entries_left_out = 0 }
    local next_record = output:gmatch("[^\0]+")
    for line in next_record do
        if line:sub(1, 1) == "#" then
            read_header(line, fields)
        else
            local entry = read_entry(line, next_record)
            local full = #fields.entries == ENTRIES
            if entry and not full then fields.entries[#fields.entries + 1] = entry end
            if entry and full then fields.entries_left_out = fields.entries_left_out + 1 end
        end
    end
    for _, name in ipairs({ "commit", "branch", "upstream", "ahead", "behind" }) do
        fields[name] = place.or_null(fields[name])
    end
    return fields
end

---@param call git.Call
function status.run(call)
    engine.program(call, "status")
    local run, message = call:run({ "status" }, { reads = true })
    if not run then return nil, message end
    local outcome = answer.shown(run, call)
    if not outcome.ok then return answer.result(call, outcome) end
    local machine = call:ask({ "status", "--porcelain=v2", "--branch", "-z" })
    local fields = status.parse(machine or "")
    fields.complete = machine ~= nil
    return answer.result(call, outcome, fields)
end

return status
