--- What git printed becomes the result of a tool: text that agents know from git, machine fields beside it, and in a
--- text of its own what is to be said about it.
local clock = require("clock")
local fs = require("fs")
local mask = require("git.mask")
local names = require("names")
local program = require("git.program")
local text = require("text")

local answer = {}

---@class git.Outcome
---@field ok boolean
---@field text string
---@field notes string[]

local function cut(bytes, total, name, notes)
    local kept = text.cut(bytes, program.OUTPUT_BYTES)
    if #kept < total then
        notes[#notes + 1] = ("%s was cut: the first %d of %d bytes are shown."):format(name, #kept, total)
    end
    return kept
end

local function clean(bytes, notes)
    local shown, replaced = text.clean(bytes)
    if replaced > 0 then
        notes[#notes + 1] = ("Not UTF-8: %d byte sequence(s) are shown as U+FFFD."):format(replaced)
    end
    return shown
end

--- The text without blanks at both ends.
function answer.trim(value)
    local first = value:find("%S")
    return first and value:match("^.*%S", first) or ""
end

local function lock_note(run, call, notes)
    local path = call:blocking_lock(run)
    local lock = path and fs.stat(path)
    if not lock then return end
    notes[#notes + 1] = ("%s is %d s old. It is removed by whoever made it; if no git runs any more in this repository,"
        .. " remove the file."):format(names.show(path), math.max(0, clock.now_ms() // 1000 - lock.mtime))
end

local function owner_note(run, call, notes)
    if not call.place or not run.stderr:find("dubious ownership", 1, true) then return end
    local found = fs.stat(call.place.git_dir)
    if not found then return end
    notes[#notes + 1] = ("%s belongs to %s (uid %d), not to the user of this server."):format(
        names.show(call.place.git_dir), found.user, found.uid)
end

local function end_notes(run, call, notes)
    if run.signal and not run.timed_out then notes[#notes + 1] = ("git was killed by %s."):format(run.signal) end
    lock_note(run, call, notes)
    owner_note(run, call, notes)
end

local function with_timeout(shown, run, timeout_s)
    if not run.timed_out then return shown end
    local separator = (shown == "" or shown:sub(-1) == "\n") and "" or "\n"
    return shown .. separator .. ("timeout after %gs"):format(timeout_s)
end

local function streams(run, notes)
    return cut(run.stdout, run.stdout_bytes, "stdout", notes), cut(run.stderr, run.stderr_bytes, "stderr", notes)
end

--- For commands that do something: both streams, trimmed.
---@param run process.Result
---@param call git.Call
---@return git.Outcome
function answer.both(run, call)
    local notes = {}
    local stdout, stderr = streams(run, notes)
    local shown = mask.text(answer.trim(clean(stdout .. "\n" .. stderr, notes)))
    end_notes(run, call, notes)
    return { ok = run.exit_code == 0, text = with_timeout(shown, run, call.timeout_s), notes = notes }
end

--- For commands that show something: stdout as it is. What git said beside it is a note, or the error.
---@param run process.Result
---@param call git.Call
---@return git.Outcome
function answer.shown(run, call)
    local notes = {}
    local stdout, stderr = streams(run, notes)
    end_notes(run, call, notes)
    if run.exit_code == 0 then
        local shown = clean(stdout, notes)
        if stderr ~= "" then notes[#notes + 1] = mask.text(answer.trim((text.clean(stderr)))) end
        return { ok = true, text = shown, notes = notes }
    end
    local shown = mask.text(clean(stdout .. stderr, notes))
    return { ok = false, text = with_timeout(shown, run, call.timeout_s), notes = notes }
end

--- For text that was made from what an engine said.
---@param bytes string
---@param run? process.Result of the program, if it was asked
---@return git.Outcome
function answer.made(bytes, run)
    local notes = {}
    local shown = clean(bytes, notes)
    if run and run.stdout_truncated then
        notes[#notes + 1] = ("git's list was cut: it has %d bytes, and what came after the first %d is missing."):format(
            run.stdout_bytes, #run.stdout)
    end
    if run and run.stderr ~= "" then notes[#notes + 1] = mask.text(answer.trim((text.clean(run.stderr)))) end
    return { ok = true, text = shown, notes = notes }
end

--- The result of a tool. Fields of a failure are only sent where they tell more than its text.
---@param call git.Call
---@param outcome git.Outcome
---@param fields? table
---@return table
function answer.result(call, outcome, fields)
    local content = { outcome.text }
    if outcome.notes[1] then content[2] = table.concat(outcome.notes, "\n") end
    if fields then
        fields.result = outcome.text
        fields.engine = call.engine
    end
    return { content = content, structured = fields, isError = not outcome.ok }
end

return answer
