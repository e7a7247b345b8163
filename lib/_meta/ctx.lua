---@meta _
--- What a tool's handler gets as its second argument.

---@class ctx.Client who calls, by its own word: for logs, never for decisions
---@field name string "unknown" when the client does not say
---@field version? string

---@class ctx.Context
---@field tool string name of the tool that was called
---@field client ctx.Client
---@field meta table<string, any> `_meta` of the request as it came; empty without one
local Context = {}

--- The absolute path of a path argument: relative to the workspace or absolute inside it, folded as text; a name that is
--- not UTF-8 may be given as listed, `$'a\xff'`. Ends the call with a message for the agent when it lies outside.
---
---     local run = process.run { argv = { "wc", "-l", ctx:path(args.path) } }
---@param path string
---@return string
function Context:path(path) end

--- Writes a line to the server's log, with the tool's name. Raises for an unknown level.
---@param level "trace"|"debug"|"info"|"warning"|"error"
---@param message string
---@param fields? table<string, any> further fields of the line
function Context:log(level, message, fields) end
