---@meta fs

--- Files below the workspace root, and nothing outside of it.
---
--- A path is bytes: relative to the root or absolute inside it (in the form that the server was configured with, or
--- with links resolved), "" is the root. `.`, `..`, doubled slashes and a slash at the end are folded as text first.
--- Symbolic links are followed as long as they stay inside.
---
--- Every function raises for arguments of a wrong type and for unknown options, and answers what the disk says with
--- `nil, message, code, path`. The message is `<absolute path>: <reason>`, `path` the absolute path that it is about.
--- Codes: EOUTSIDE (`Path "<as given>" is outside the allowed directory (<root>)`), EINVAL for a NUL byte, EROOT while
--- there is no folder at the workspace root, and errno's: ENOENT, ENOTDIR, EISDIR, EEXIST, EACCES, EPERM, ELOOP, ENAMETOOLONG,
--- ENOSPC, EDQUOT, EROFS, EIO, ...
--- The server's own files are refused with EACCES.
---
--- All but `root` and `resolve` wait for the disk on the thread pool, so they cannot be used while the scripts load.
local fs = {}

---@alias fs.Type
---| "file"
---| "directory"
---| "link"
---| "fifo"
---| "socket"
---| "char"
---| "block"
---| "unknown" # it could not be looked at

---@class fs.Entry
---@field name string bytes, as in its directory
---@field type fs.Type
---@field mode integer permission bits with set-id and sticky bits (st_mode & 07777)
---@field nlink integer
---@field uid integer
---@field gid integer
---@field user string name, or the number where there is none
---@field group string
---@field size integer bytes
---@field mtime integer seconds since 1970
---@field target? string text of a link
---@field major? integer of devices
---@field minor? integer

---@class fs.Stat: fs.Entry
---@field path string absolute

---@class fs.Listing
---@field path string absolute
---@field kind fs.Type "directory", or the type of the one entry
---@field blocks integer KiB on disk of all entries together: what `ls` calls total
---@field truncated boolean there are more entries than asked for
---@field entries fs.Entry[] sorted by bytes, with "." and ".." (those of the root are the same)

---@class fs.Walk
---@field paths string[] absolute: the start, then what is below, depth first and sorted by bytes
---@field truncated boolean there is more than the limit
---@field deeper boolean something lies deeper than the depth
---@field unreadable string[] absolute paths of directories that could not be read

---@class (exact) fs.ReadOptions
---@field offset? integer bytes to leave out at the start, default 0
---@field limit? integer bytes to read, default: the rest; more than 16777216 is lowered to that

---@class (exact) fs.WriteOptions
---@field append? boolean add to the end, default false

---@class (exact) fs.MoveOptions
---@field replace? boolean an existing file at the destination is replaced, default true; false: EEXIST

---@class (exact) fs.MkdirOptions
---@field parents? boolean make missing parents too, default true

---@class (exact) fs.ListOptions
---@field limit? integer entries at most, default 100000

---@class (exact) fs.RemoveTreeOptions
---@field limit? integer names at most, default 10000

---@class (exact) fs.WalkOptions
---@field depth? integer levels below the start, default 5, at most 64
---@field limit? integer paths at most, default 500
---@field skip? string[] names of directories that are listed but not entered, default { ".git", "node_modules" }

--- The workspace root, absolute and without links.
---@return string
function fs.root() end

--- The absolute folded path; text only, nothing is looked up.
---@nodiscard
---@param path string
---@return string? absolute
---@return string? message
---@return string? code EOUTSIDE or EINVAL
function fs.resolve(path) end

--- Reads a regular file, or a range of it. Without a limit, more than 16 MiB are refused with EFBIG. Also EISDIR, and
--- ENOTREG for a FIFO, socket or device, at once.
---
---     local bytes, info = fs.read("notes.txt", { offset = 10, limit = 5 })
---@async
---@nodiscard
---@param path string
---@param options? fs.ReadOptions
---@return string? bytes
---@return { size: integer }|string info size of the whole file; the message on failure
---@return string? code
---@return string? path
function fs.read(path, options) end

--- Replaces the content of a file as a whole, or makes the file and its parents: readers see the old content or the
--- new, and after any failure the old is there. Mode, owner, ACL, attributes, hard links and links are kept. Of
--- concurrent writers the last one wins, whole. Files with further hard links, or whose owner cannot be kept, or in a directory
--- that is not writable, are written in place; a copy of the old content lies beside them meanwhile. `append` adds
--- to the end instead, all or nothing.
---@async
---@param path string
---@param bytes string
---@param options? fs.WriteOptions
---@return { bytes: integer, created: boolean }? written
---@return string? message
---@return string? code
---@return string? path
function fs.write(path, bytes, options) end

--- Removes anything but a directory (EISDIR); of a link, the link itself.
---@async
---@param path string
---@return true? removed
---@return string? message
---@return string? code
---@return string? path
function fs.remove(path) end

--- Removes a folder with everything in it, or what else has that name: at most `limit` names in one call (default 10000);
--- `complete` is false while something is left. Links are never followed, mount points never entered (EXDEV), a link on
--- the way to `path` is ELOOP. What cannot be removed stays, the rest goes, and the error names the first of it.
---
---     repeat local gone = assert(fs.remove_tree("sessions/old")) until gone.complete
---@async
---@param path string
---@param options? fs.RemoveTreeOptions
---@return { entries: integer, complete: boolean }? removed
---@return string? message
---@return string? code
---@return string? path
---@nodiscard
function fs.remove_tree(path, options) end

--- Renames; missing parents of the destination are made. A link is moved as a link. An existing directory as
--- destination means: into it, where the name must be free (EEXIST). Directories do not go to another file system
--- (EXDEV); files and links are copied there and then removed. A file that can be copied but not removed leaves
--- its copy, and the error is about the source.
---
---     local where, replaced = fs.move("a.txt", "folder")
---@async
---@param from string
---@param to string
---@param options? fs.MoveOptions
---@return string? path where it is now, absolute
---@return boolean|string replaced whether a file was replaced; the message on failure
---@return string? code
---@return string? path
function fs.move(from, to, options) end

--- Makes a directory; one that is there already is fine, anything else of that name is EEXIST.
---@async
---@param path string
---@param options? fs.MkdirOptions
---@return true? made
---@return boolean|string created false when it was there; the message on failure
---@return string? code
---@return string? path
function fs.mkdir(path, options) end

--- Lists a directory, or describes what is no directory. Links are not followed; one that leads out of the root is EOUTSIDE.
---@async
---@nodiscard
---@param path string
---@param options? fs.ListOptions
---@return fs.Listing? listing
---@return string? message
---@return string? code
---@return string? path
function fs.list(path, options) end

--- Describes one thing; links as in `list`.
---@async
---@nodiscard
---@param path string
---@return fs.Stat? entry
---@return string? message
---@return string? code
---@return string? path
function fs.stat(path) end

--- Lists what lies below a directory. Links are listed, never followed.
---@async
---@nodiscard
---@param path string
---@param options? fs.WalkOptions
---@return fs.Walk? found
---@return string? message
---@return string? code
---@return string? path
function fs.walk(path, options) end

return fs
