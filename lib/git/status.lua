--- git_status: git's text, and the same as fields, from its format for programs (porcelain version 2).
local answer = require("git.answer")
local engine = require("git.engine")
local json = require("json")
local names = require("names")
local place = require("git.place")
local repository = require("git")
local status_text = require("git.status_text")

local status = {}

local ENTRIES = 2000 -- of the fields; the text has all of them

-- Number of fields between the XY field and the path, by kind of line.
local FIELDS_BEFORE_PATH = { ["1"] = 6, ["2"] = 7, u = 8 }
local NO_SUBMODULE = "N..."

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

local function read_entry(line, next_record)
    local untracked = line:match("^%? (.*)$")
    if untracked then return { path = untracked, index = "?", worktree = "?" } end
    local kind, index, worktree, submodule = line:match("^([12u]) (.)(.) (%S+) ")
    if not kind then return nil end
    local path = line:match("^" .. ("%S+ "):rep(FIELDS_BEFORE_PATH[kind]) .. "(.*)$", 6)
    return {
        path = path, index = index, worktree = worktree, conflict = kind == "u", submodule = submodule ~= NO_SUBMODULE,
        from = kind == "2" and next_record() or nil,
    }
end

--- Reads `git status --porcelain=v2 --branch -z`.
---@param output string
---@return table fields commit, branch, upstream, ahead and behind, where there are any
---@return table[] entries path, index, worktree, from, conflict, submodule; paths as bytes
function status.parse(output)
    local fields, entries = {}, {}
    local next_record = output:gmatch("[^\0]+")
    for line in next_record do
        if line:sub(1, 1) == "#" then
            read_header(line, fields)
        else
            entries[#entries + 1] = read_entry(line, next_record)
        end
    end
    return fields, entries
end

local function shown(entry)
    return {
        path = names.show(entry.path), index = entry.index, worktree = entry.worktree,
        from = entry.from and names.show(entry.from), conflict = entry.conflict or nil,
    }
end

local function fields_of(fields, entries, complete)
    local list = json.array({})
    for position = 1, math.min(#entries, ENTRIES) do list[position] = shown(entries[position]) end
    local result = { entries = list, entries_left_out = #entries - #list, complete = complete }
    for _, name in ipairs({ "commit", "branch", "upstream", "ahead", "behind" }) do
        result[name] = place.or_null(fields[name])
    end
    return result
end

-- git's words in git's language, or those that are known here.
local function text_of(call, fields, entries, complete)
    local plain = complete and engine.speaks_english() and repository.plain_status(call.cwd)
    local made = plain and status_text.make(fields, entries)
    if made then return answer.made(made) end
    local run, message = call:run({ "status" }, { reads = true })
    if not run then return nil, message end
    return answer.shown(run, call)
end

---@param call git.Call
function status.run(call)
    engine.program(call, "status")
    local run, message = call:run({ "status", "--porcelain=v2", "--branch", "-z" }, { reads = true })
    if not run then return nil, message end
    if run.exit_code ~= 0 then return answer.result(call, answer.shown(run, call)) end
    local fields, entries = status.parse(run.stdout)
    local complete = not run.stdout_truncated
    if not complete then entries[#entries] = nil end -- cut in the middle
    local outcome
    outcome, message = text_of(call, fields, entries, complete)
    if not outcome then return nil, message end
    if not outcome.ok then return answer.result(call, outcome) end
    return answer.result(call, outcome, fields_of(fields, entries, complete))
end

return status
