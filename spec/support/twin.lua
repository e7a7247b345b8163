--- Compares a git tool with `git` itself on a twin of the repository: what both say, and what both leave.
local assert = require("luassert")
local text = require("text")

local twin = {}

local BOTH_STREAMS = "TOP=%s; ( %s ) >$TOP/../stdout 2>$TOP/../stderr; code=$?; cat $TOP/../stdout; echo; cat $TOP/../stderr\n"
    .. "exit $code"
local STDOUT = "TOP=%s; ( %s ) 2>$TOP/../stderr || { cat $TOP/../stderr; exit 1; }"

---@class spec.Operation { tool, arguments, lines of shell that do the same with git in the repository }
---@field raw? boolean the tool tells stdout as it is, or the error alone
---@field empty? string what the tool tells when git prints nothing
---@field before? string run first on both sides, in the folder above
---@field clone? boolean the tool makes `cloned` beside the repository

---@class spec.Kind { name, lines of shell that make `repo` }
---@field below? string folder in the repository that the calls are made in
---@field refuses? string tool that does not do what git does; what it does is for other specs

-- Runs git on the twin; its streams in the form of the tool's text.
local function by_git(pair, folder, operation, kind)
    local lines = (operation.raw and STDOUT or BOTH_STREAMS):format(kind.below and ".." or ".", operation[3])
    local output, ok = pair:shell(pair.twin .. "/" .. folder .. "/repo/" .. (kind.below or ""), lines)
    output = pair:as_here(output)
    if not operation.raw then output = output:match("^%s*(.*%S)") or "" end
    if ok and output == "" and operation.empty then output = operation.empty end
    return (text.clean(output)), ok == true
end

local function arguments_for(pair, folder, operation, kind)
    local arguments = { path = folder .. "/repo/" .. (kind.below or "") }
    if operation.clone then
        arguments = { repo_url = pair.workspace .. "/" .. folder .. "/repo", path = folder .. "/cloned" }
    end
    for name, value in pairs(operation[2]) do arguments[name] = value end
    return arguments
end

--- Calls a tool and runs git on the twin: the same text, and a failure where git fails.
---@param pair spec.Pair
---@param folder string
---@param operation spec.Operation
---@param kind spec.Kind
function twin.expect_same(pair, folder, operation, kind)
    local what = ("%s: %s"):format(kind[1], operation[3])
    if operation.before then pair:both(folder, operation.before) end
    local expected, ok = by_git(pair, folder, operation, kind)
    local got, failed = pair.server:text(operation[1], arguments_for(pair, folder, operation, kind))
    assert.equal(expected, got, what)
    assert.equal(not ok, failed, what)
end

--- Asserts that both sides are in the same state: refs, HEAD, index, status, work tree, and the refs of the remote.
function twin.expect_same_state(pair, folder, what)
    local here, there = pair:states(folder, "repo", "cloned", "remote.git")
    assert.matches("^== ", here)
    assert.equal(there, here, what)
end

return twin
