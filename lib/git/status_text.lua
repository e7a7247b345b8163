--- The text of `git status`, made of its format for programs: one walk of the work tree instead of two. For the plain
--- case only; everything else, and whatever is not known here, is left to git's own words.
local status_text = {}

local ESCAPES = {
    ["\a"] = "\\a", ["\b"] = "\\b", ["\t"] = "\\t", ["\n"] = "\\n", ["\v"] = "\\v", ["\f"] = "\\f", ["\r"] = "\\r",
    ['"'] = '\\"', ["\\"] = "\\\\",
}

local function escape(byte) return ESCAPES[byte] or ("\\%03o"):format(byte:byte()) end

-- A path as git shows it.
local function quoted(path)
    local escaped, count = path:gsub('[%c"\\\127-\255]', escape)
    return count > 0 and '"' .. escaped .. '"' or path
end

local LABELS = {
    A = "new file:   ", M = "modified:   ", D = "deleted:    ", R = "renamed:    ", C = "copied:     ", T = "typechange: ",
}

local function line(letter, path, from)
    return "\t" .. LABELS[letter] .. (from and quoted(from) .. " -> " or "") .. quoted(path) .. "\n"
end

local function commits(count) return count == 1 and "1 commit" or count .. " commits" end

-- nil where git would say something else.
local function tracking(fields)
    local upstream, ahead, behind = fields.upstream, fields.ahead, fields.behind
    if not upstream then return "" end
    if not ahead then return nil end
    local said
    if ahead == 0 and behind == 0 then
        said = ("Your branch is up to date with '%s'.\n"):format(upstream)
    elseif behind == 0 then
        said = ("Your branch is ahead of '%s' by %s.\n"):format(upstream, commits(ahead))
            .. '  (use "git push" to publish your local commits)\n'
    elseif ahead == 0 then
        said = ("Your branch is behind '%s' by %s, and can be fast-forwarded.\n"):format(upstream, commits(behind))
            .. '  (use "git pull" to update your local branch)\n'
    else
        said = ("Your branch and '%s' have diverged,\nand have %d and %d different commits each, respectively.\n")
            :format(upstream, ahead, behind) .. '  (use "git pull" to merge the remote branch into yours)\n'
    end
    return said .. "\n"
end

local STAGED = 'Changes to be committed:\n  (use "git restore --staged <file>..." to unstage)\n'
local CHANGED = 'Changes not staged for commit:\n  (use "git add%s <file>..." to update what will be committed)\n'
    .. '  (use "git restore <file>..." to discard changes in working directory)\n'
local UNTRACKED = 'Untracked files:\n  (use "git add <file>..." to include in what will be committed)\n'

local function section(head, lines) return lines[1] and head .. table.concat(lines) .. "\n" or "" end

-- Why nothing is there to be committed, if so.
local function closing(lists)
    if lists.staged[1] then return "" end
    if lists.changed[1] then return 'no changes added to commit (use "git add" and/or "git commit -a")\n' end
    if lists.untracked[1] then
        return 'nothing added to commit but untracked files present (use "git add" to track)\n'
    end
    return "nothing to commit, working tree clean\n"
end

-- The lines of one entry; false where git's own words are needed.
local function add(lists, entry)
    if entry.conflict or entry.submodule then return false end
    if entry.index == "?" then
        table.insert(lists.untracked, "\t" .. quoted(entry.path) .. "\n")
        return true
    end
    if entry.index ~= "." then
        if not LABELS[entry.index] then return false end
        table.insert(lists.staged, line(entry.index, entry.path, entry.from))
    end
    if entry.worktree == "." then return true end
    if not entry.worktree:find("[MDT]") then return false end
    lists.deleted = lists.deleted or entry.worktree == "D"
    table.insert(lists.changed, line(entry.worktree, entry.path))
    return true
end

--- The text, or nil where it is not plain.
---@param fields { branch?: string, commit?: string, upstream?: string, ahead?: integer, behind?: integer }
---@param entries table[] paths as bytes
---@return string?
function status_text.make(fields, entries)
    local upstream = tracking(fields)
    if not fields.branch or not fields.commit or not upstream then return nil end
    local lists = { staged = {}, changed = {}, untracked = {} }
    for _, entry in ipairs(entries) do
        if not add(lists, entry) then return nil end
    end
    return "On branch " .. fields.branch .. "\n" .. upstream
        .. section(STAGED, lists.staged)
        .. section(CHANGED:format(lists.deleted and "/rm" or ""), lists.changed)
        .. section(UNTRACKED, lists.untracked)
        .. closing(lists)
end

return status_text
