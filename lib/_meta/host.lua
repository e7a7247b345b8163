---@meta host

--- The server and the machine that it runs on.
---@class host
local host = {}

---@class host.Info
---@field cores integer processors that the server may use
---@field memory_available integer bytes that can be had without swapping; 0 if unknown
---@field disk_available integer bytes free on the file system of the workspace root; 0 if unknown
---@field uptime integer seconds since the machine started; 0 if unknown
---@field generation integer as `host.generation()`
---@field script_error string? why the newest reading of the scripts failed, `file:line: what`; nil when it serves
---@field workspace_error string? why there is no folder at the workspace root
---@field connections integer open connections
---@field live_calls integer handlers that run
---@field lua_bytes integer memory held by this generation of the scripts
---@field jobs integer background jobs that run

--- The server's version, `1.2.3`.
---@type string
host.version = ""

--- Which reading of the scripts this code belongs to, counted from 1.
---@return integer
function host.generation() end

--- Stands for the files of the scripts as they were read: the same after a restart, another one after an edit.
---@return string 16 hexadecimal digits
---@nodiscard
function host.scripts_id() end

--- What the server and the machine are doing. Starts no program. Raises while the scripts are loaded.
---@return host.Info
function host.info() end

--- A setting by its name: that of its command line option with `_` for `-`, as in `host.setting("workspace_root")`.
--- Raises for an unknown name and for secrets.
---@param name string
---@return string|integer|nil value nil for a path that was not given
function host.setting(name) end

--- Which of the programs are in PATH. Starts no program.
---@param names string[]
---@return string[] found in the same order
function host.which(names) end

--- An identifier that nobody can guess or repeat: 16 hexadecimal digits from the kernel's random numbers.
---@return string
function host.random_id() end

return host
