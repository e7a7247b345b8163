--- git_branch and git_checkout: list, make and switch branches.
local answer = require("git.answer")
local check = require("git.check")
local engine = require("git.engine")
local json = require("json")
local place = require("git.place")
local text = require("text")

local branches = {}

-- Fields in the order of `git branch --format`; a line for each branch.
local FORMAT = "--format=%(HEAD)%00%(refname)%00%(symref)%00%(objectname)%00%(upstream)%00%(worktreepath)"
local LINE = "([^\0\n]*)\0([^\0\n]*)\0([^\0\n]*)\0([^\0\n]*)\0([^\0\n]*)\0([^\n]*)\n"

local function short(ref) return (ref:gsub("^refs/heads/", ""):gsub("^refs/remotes/", "")) end

local function as_listed(ref) return (ref:gsub("^refs/heads/", ""):gsub("^refs/remotes/", "remotes/")) end

local function marker(current, worktree)
    if current then return "* " end
    return worktree ~= "" and "+ " or "  "
end

local function fields_of(ref, current, target, id, upstream)
    return {
        name = text.clean(short(ref)), current = current, commit = id, remote = ref:find("^refs/remotes/") ~= nil,
        upstream = upstream ~= "" and text.clean(short(upstream)) or nil,
        points_to = target ~= "" and text.clean(short(target)) or nil,
    }
end

--- The lines of `git branch -a` and the branches as fields, from what git printed in FORMAT.
---@param output string
---@return string lines
---@return table list
---@return string? current
function branches.parse(output)
    local lines, list, branch = {}, json.array({}), nil
    for head, ref, target, id, upstream, worktree in output:gmatch(LINE) do
        local current = head == "*"
        local arrow = target ~= "" and " -> " .. short(target) or ""
        lines[#lines + 1] = marker(current, worktree) .. as_listed(ref) .. arrow .. "\n"
        if ref:find("^refs/") then list[#list + 1] = fields_of(ref, current, target, id, upstream) end
        if current and ref:find("^refs/heads/") then branch = text.clean(short(ref)) end
    end
    return table.concat(lines), list, branch
end

--- Lists all branches.
---@param call git.Call
function branches.list(call)
    local lines, run, message = engine.lines(call, "branches", nil, { "branch", "--all", FORMAT })
    if message then return nil, message end
    if not lines then return answer.result(call, answer.both(run, call)) end
    local shown, list, current = branches.parse(lines)
    if run and run.stdout_truncated then current = place.head(call).branch end
    return answer.result(call, answer.made(answer.trim(shown), run), { branches = list, current = place.or_null(current) })
end

--- Makes a branch at HEAD.
---@param call git.Call
---@param name string
function branches.create(call, name)
    name = check.revision("name", name)
    engine.program(call, "create_branch")
    local run, message = call:run_when_free({ "branch", "--end-of-options", name })
    if not run then return nil, message end
    local outcome = answer.both(run, call)
    if not outcome.ok then return answer.result(call, outcome) end
    return answer.result(call, outcome, { created = name, commit = place.or_null(place.commit(call, "refs/heads/" .. name)) })
end

local PREVIOUS = "-"
local EMPTY = "fatal: empty string is not a valid pathspec. please use . instead if you meant to match all paths"

-- The name of a branch or commit only: after it `--` says that no path is meant.
local function switch(call, name)
    return call:run_when_free({ "checkout", name, "--" })
end

-- git's text for a name that it does not know, or the reason why a file of that name is none.
local function explain_unknown(call, name, outcome)
    if not outcome.text:find("invalid reference: ", 1, true) then return end
    local listed = call:ask({ "ls-files", "--error-unmatch", "--", name })
    if listed then
        outcome.text = ("error: '%s' is a path, not a branch, tag or commit; git_checkout only switches, files keep their"
            .. " changes"):format(name)
    else
        outcome.text = ("error: pathspec '%s' did not match any file(s) known to git"):format(name)
    end
end

--- Switches to a branch, tag or commit.
---@param call git.Call
---@param name string
function branches.checkout(call, name)
    if name == "" then return nil, EMPTY end
    engine.program(call, "checkout")
    if name ~= PREVIOUS then name = check.revision("branch", name) end
    local run, message = switch(call, name)
    if not run then return nil, message end
    local outcome = answer.both(run, call)
    if not outcome.ok then
        explain_unknown(call, name, outcome)
        return answer.result(call, outcome)
    end
    local head = place.head(call)
    return answer.result(call, outcome, {
        branch = place.or_null(head.branch), commit = place.or_null(head.commit), detached = head.branch == nil,
    })
end

return branches
