--- git_log: a line for each commit, short hash and subject, and the commits as fields.
local answer = require("git.answer")
local check = require("git.check")
local fail = require("mcp.fail")
local json = require("json")
local text = require("text")

local history = {}

local DEFAULT, MOST = 10, 100

-- One line a commit: no field can hold a newline.
local FORMAT = "--format=tformat:%H%x00%h%x00%P%x00%an%x00%ae%x00%aI%x00%s"
local LINE = "([^\0\n]*)%z([^\0\n]*)%z([^\0\n]*)%z([^\0\n]*)%z([^\0\n]*)%z([^\0\n]*)%z([^\n]*)\n"

local function words(list)
    local result = json.array({})
    for word in list:gmatch("%S+") do result[#result + 1] = word end
    return result
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
            date = date, subject = text.clean(subject),
        }
    end
    return table.concat(lines), commits
end

local function arguments_for(count, ref, paths)
    local arguments = {
        "log", "--max-count=" .. count, "--encoding=UTF-8", "--no-show-signature", "--no-patch", FORMAT, "--end-of-options",
    }
    if ref then arguments[#arguments + 1] = ref end
    arguments[#arguments + 1] = "--"
    return table.move(paths, 1, #paths, #arguments + 1, arguments)
end

---@param call git.Call
---@param options { n?: integer, ref?: string, paths?: string[] }
function history.run(call, options)
    local arguments = arguments_for(count_of(options.n), check.revision("ref", options.ref),
        check.paths("paths", options.paths))
    local run, message = call:run(arguments, { reads = true })
    if not run then return nil, message end
    if run.exit_code ~= 0 then return answer.result(answer.shown(run, call)) end
    local commits
    run.stdout, commits = history.parse(run.stdout)
    run.stdout_bytes = #run.stdout
    return answer.result(answer.shown(run, call), { commits = commits })
end

return history
