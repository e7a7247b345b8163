---@meta git

--- Repositories without a process, for what is proven to be what `git` says. Everything else is for the program: these
--- functions say why. Paths are directories, relative to the workspace or absolute inside it.
---
--- Every function raises for arguments of a wrong type and waits on the thread pool.
local git = {}

---@class git.Place
---@field directory string absolute, links resolved: where the search began
---@field git_dir string absolute
---@field common_dir string the same, but for linked work trees

--- Finds the repository that git would use in a directory; none above the workspace is.
---
--- Codes: ENOREPO when there is none, EOUTSIDE for a repository whose parts lead out of the workspace, EUNCLEAR when it
--- cannot be told which one git would use, or where its parts lie, those of the directory (ENOENT, ENOTDIR, EACCES,
--- EOUTSIDE, ...), ELIBRARY where libgit2 cannot be loaded.
---@async
---@param path string
---@return git.Place? place
---@return string? message
---@return string? code
---@nodiscard
function git.locate(path) end

--- The newest commits of HEAD in the order of `git log`: a line each, fields separated by NUL bytes: id, unique short id,
--- ids of the parents separated by blanks, author's name, email, date (`<seconds> <zone>`), subject.
---@async
---@param path string
---@param count integer from 1 to 1000
---@return string? lines
---@return string? refusal why the program has to answer
---@nodiscard
function git.history(path, count) end

--- All branches in the order of `git branch --all`: a line each, fields separated by NUL bytes: `*` for the current one
--- or a blank, full name, full name of what a symbolic one points to, id, full name of the upstream, and an empty field.
---@async
---@param path string
---@return string? lines
---@return string? refusal why the program has to answer
---@nodiscard
function git.branches(path) end

--- Is `git status` in this directory made of nothing but the branch, its upstream and lists of paths? False where
--- something is in progress, the checkout is sparse, settings change the words, or the directory is not the top.
---@async
---@param path string
---@return boolean plain
---@return string? refusal why not
---@nodiscard
function git.plain_status(path) end

return git
