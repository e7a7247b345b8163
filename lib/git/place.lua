--- Where HEAD stands, and what is unmerged: the state that results tell beside git's text.
local json = require("json")
local names = require("names")

local place = {}

--- The branch without `refs/heads/`, or nil for none.
local function branch_name(ref) return ref and ref:match("^refs/heads/(.+)$") end

---@class git.Head
---@field commit? string nil on an unborn branch
---@field branch? string nil when HEAD is detached

---@param call git.Call
---@param cwd? string another directory than the call's
---@return git.Head
function place.head(call, cwd)
    local both = call:ask({ "rev-parse", "HEAD", "--symbolic-full-name", "HEAD" }, { cwd = cwd })
    if both then
        local commit, ref = both:match("^(%x+)\n([^\n]*)")
        return { commit = commit, branch = branch_name(ref) }
    end
    local ref = call:ask({ "symbolic-ref", "--quiet", "HEAD" }, { cwd = cwd })
    return { branch = branch_name(ref and ref:match("^[^\n]*")) }
end

---@param call git.Call
---@param revision string
--- The full name of a commit that can be told by `revision`, or nil.
function place.commit(call, revision)
    local id = call:ask({ "rev-parse", "--verify", "--quiet", "--end-of-options", revision .. "^{commit}" })
    return id and id:match("^%x+")
end

--- The paths that are unmerged, from the top of the work tree; bytes.
---@param call git.Call
---@return string[]
function place.unmerged(call)
    local listing = call:ask({ "diff", "--name-only", "--diff-filter=U", "--no-relative", "--no-ext-diff", "-z" })
    local paths, seen = {}, {}
    for path in (listing or ""):gmatch("[^\0]+") do
        if not seen[path] then paths[#paths + 1] = path end
        seen[path] = true
    end
    return paths
end

--- Paths as they are shown, for a result.
---@param paths string[]
function place.shown(paths)
    local list = json.array({})
    for position, path in ipairs(paths) do list[position] = names.show(path) end
    return list
end

--- nil as JSON's null, so that a field is always there.
function place.or_null(value)
    if value == nil then return json.null end
    return value
end

return place
