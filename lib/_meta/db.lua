---@meta db

--- The server's own databases: SQLite files in the state folder, which no tool reaches. They are opened by the first
--- statement and stay open below the scripts, so handles cost nothing and may be opened while the scripts load;
--- statements cannot run then.
---
--- A database works off what it is given one after the other, beside the loop, in the order in which it came. Each call
--- is a transaction of its own: it happens whole or not at all, also when the handler is stopped meanwhile, and leaves
--- nothing open.
---
--- Parameters stand for `?` in the SQL text: strings are bound as TEXT, integers and floats as they are, `db.blob(bytes)`
--- as BLOB, nil and json.null as NULL. Rows come as tables by column name; TEXT and BLOB are strings, a NULL is absent.
---
--- Raised: arguments of a wrong type, a NaN, another number of parameters than the text has, a second statement in
--- the text, BEGIN, COMMIT, SAVEPOINT and ATTACH, pragmas that change anything but user_version.
--- Answered with `nil, message, code`: EBUSY (another process held the file for 5 s), EFULL (no space), EREADONLY,
--- ECORRUPT (damaged, or no database), ECONSTRAINT, EIO, ENOENT, EACCES, EFBIG (more than 100,000 rows or 64 MiB), ENOMEM,
--- ESQL (anything else that SQLite says, such as a syntax error). The message begins with the path of the file.
--- After any of them the next call starts afresh; when space is back or the file repaired it succeeds.
---@class db
local db = {}

---@alias db.Value string | number | nil | db.Blob
---@alias db.Code
---| "EBUSY"
---| "EFULL"
---| "EREADONLY"
---| "ECORRUPT"
---| "ECONSTRAINT"
---| "EIO"
---| "ENOENT"
---| "EACCES"
---| "EFBIG"
---| "ENOMEM"
---| "ESQL"

---@class db.Blob

---@class db.Change
---@field changes integer rows that the statement inserted, changed or removed
---@field last_id integer the row id of the row inserted last, by whatever statement

---@class db.Database
local Database = {}

--- Runs a statement and gives its rows.
---@async
---@param sql string
---@param ... db.Value
---@return table<string, string | number>[]? rows
---@return string? message
---@return db.Code? code
---@nodiscard
function Database:query(sql, ...) end

--- Runs a statement for what it changes.
---@async
---@param sql string
---@param ... db.Value
---@return db.Change? change
---@return string? message
---@return db.Code? code
function Database:exec(sql, ...) end

--- Runs 1 to 10,000 statements, all or none. Each is a list of the SQL text and its parameters; nil between parameters
--- counts, at the end write json.null (or set `n`, as table.pack does).
---
---     sessions:transaction({
---         { "DELETE FROM sessions WHERE id = ?", id },
---         { "INSERT INTO sessions (id, repo, status) VALUES (?, ?, ?)", id, nil, "creating" },
---     })
---@async
---@param statements { [1]: string, [integer]: db.Value }[]
---@return boolean? true
---@return db.Change[] | string changes one a statement; or the message
---@return db.Code? code
---@nodiscard
function Database:transaction(statements) end

--- A handle for `sessions` (sessions.db) or `tasks` (tasks.db). Raises for other names.
---@param name "sessions" | "tasks"
---@return db.Database
---@nodiscard
function db.open(name) end

--- Marks bytes to be bound as a BLOB.
---@param bytes string
---@return db.Blob
---@nodiscard
function db.blob(bytes) end

return db
