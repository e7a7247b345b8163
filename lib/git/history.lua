--- git_log: a line for each commit, short hash and subject, and the commits as fields.
local answer = require("git.answer")
local check = require("git.check")
local engine = require("git.engine")
local fail = require("fail")
local json = require("json")
local text = require("text")

local history = {}

local DEFAULT, MOST = 10, 100

-- One line a commit: no field can hold a newline.
local FORMAT = "--format=tformat:%H%x00%h%x00%P%x00%an%x00%ae%x00%ad%x00%s"
local LINE = "([^\0\n]*)\0([^\0\n]*)\0([^\0\n]*)\0([^\0\n]*)\0([^\0\n]*)\0([^\0\n]*)\0([^\n]*)\n"

local function words(list)
    local result = json.array({})
    for word in list:gmatch("%S+") do result[#result + 1] = word end
    return result
end

local LONGEST_SECONDS = 11 -- of years with four digits

-- "1764504000 +0130" as ISO 8601.
local function iso(date)
    local seconds, sign, hours, minutes = date:match("^(%-?%d+) ([+-])(%d%d)(%d%d)$")
    if not seconds or #seconds > LONGEST_SECONDS then return date end
    local offset = (hours * 60 + minutes) * 60
    local moment = math.tointeger(seconds) + (sign == "+" and offset or -offset)
    return os.date("!%Y-%m-%dT%H:%M:%S", moment) .. sign .. hours .. ":" .. minutes
end

local function count_of(n)
    if n and n < 0 then fail.raise(("n: expected a number of commits from 0, got %d"):format(n)) end
    return (not n or n == 0) and DEFAULT or math.min(n, MOST)
end

--- The text and the fields of what git printed in FORMAT.
---@param output string
---@return string lines
---@return table commits
function history.parse(output)
    local lines, commits = {}, json.array({})
    for id, short, parents, name, email, date, subject in output:gmatch(LINE) do
        lines[#lines + 1] = short .. " " .. subject .. "\n"
        commits[#commits + 1] = {
            id = id, parents = words(parents), author = text.clean(name), email = text.clean(email),
            date = iso(date), subject = text.clean(subject),
        }
    end
    return table.concat(lines), commits
end

local function arguments_for(count, ref, paths)
    local arguments = {
        "log", "--max-count=" .. count, "--encoding=UTF-8", "--no-show-signature", "--no-patch", "--date=raw", FORMAT,
        "--end-of-options",
    }
    if ref then arguments[#arguments + 1] = ref end
    arguments[#arguments + 1] = "--"
    return table.move(paths, 1, #paths, #arguments + 1, arguments)
end

---@param call git.Call
---@param options { n?: integer, ref?: string, paths?: string[] }
function history.run(call, options)
    local count = count_of(options.n)
    local ref, paths = check.revision("ref", options.ref), check.paths("paths", options.paths)
    local special = ref and "a ref is given" or paths[1] and "paths are given" or nil
    local lines, run, message = engine.lines(call, "history", special, arguments_for(count, ref, paths), count)
    if message then return nil, message end
    if not lines then return answer.result(call, answer.shown(run, call)) end
    local shown, commits = history.parse(lines)
    return answer.result(call, answer.made(shown, run), { commits = commits })
end

return history
