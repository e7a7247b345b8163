---@meta process

--- Programs: run one to its end, or start one in the background and look after it.
---
--- A program gets /bin/bash for a `command`, or is called directly with an `argv`; a session of its own without a
--- terminal; stdin at its end; its output in pipes; the server's environment without the server's secrets.
--- Functions raise for the script's mistakes and return `nil, message, code` for what the world did.
local process = {}

---@class (exact) process.StartOptions
---@field command? string text for `/bin/bash -c`, of any length; this or `argv`
---@field argv? string[] program and arguments, no shell between; a name without a slash is searched in PATH
---@field cwd? string directory, relative to the workspace or absolute inside it; default: the workspace
---@field env? table<string, string> variables to add or replace

---@class (exact) process.RunOptions: process.StartOptions
---@field timeout_ms? number default 30000; at most a day, longer ones are lowered to that
---@field capture_bytes? integer bytes kept of each stream, default 10485760, at most 67108864
---@field stdin? string bytes for stdin; default: none, as from /dev/null
---@field on_output? fun(stdout: string, stderr: string) watches the program, see process.run

---@class process.Result
---@field stdout string bytes; the beginning, cut on a border of a character where it was too long
---@field stderr string
---@field stdout_bytes integer bytes that came in all
---@field stderr_bytes integer
---@field stdout_truncated boolean
---@field stderr_truncated boolean
---@field exit_code? integer nil when a signal ended it, or when the kernel does not let go of it after SIGKILL
---@field signal? string such as "SIGKILL", when a signal ended it
---@field signal_number? integer
---@field timed_out boolean the time was over, so it was terminated; the output until then is kept
---@field duration_ms integer

---@alias process.JobState
---| "running"
---| "exited" # see exit_code
---| "killed" # see signal
---| "lost" # it cannot be reaped: a tracer or the kernel holds it

---@class process.Job
---@field pid integer
---@field command string the first 4096 bytes of it
---@field cwd string absolute path
---@field state process.JobState
---@field exit_code? integer
---@field signal? string
---@field signal_number? integer
---@field started_ms integer since 1970
---@field ended_ms? integer since 1970
---@field output_bytes integer bytes that came in all, stdout and stderr
---@field output? string the last of them, at most 262144, in their true order; from process.job only
---@field output_dropped? integer bytes that came before `output`; from process.job only

--- Runs a program to its end. That is the end of the program itself: a child that it leaves in the background holds the
--- call no longer than a quarter of a second, and lives on. When the time is over, or when the handler is stopped, all
--- that it started gets SIGTERM and two seconds later SIGKILL: its process group, and what left that but has the same
--- SANDSTORM_RUN_ID in its environment.
---
--- `on_output` is called in the handler's own fiber, four times a second at most, with what came since its last call (of
--- more than 65536 bytes of a stream the last ones), and at the end with the rest; never when nothing came. It may wait;
--- the program runs on meanwhile. When it raises, the program is ended as for a time limit, and run raises the same.
---
--- Codes: those of the directory (ENOENT, ENOTDIR, EACCES, EOUTSIDE, ...), EINVAL for a NUL byte or a wrong variable name,
--- ENOENT or EACCES for a program of `argv`, E2BIG, EAGAIN, EMFILE, ENOMEM, ECANCELED while the server stops.
---
---     local result = process.run{ command = "printf 'a b' | wc -w" }
---     assert(result.exit_code == 0 and result.stdout == "2\n")
---@async
---@param options process.RunOptions
---@return process.Result? result
---@return string? message
---@return string? code
---@nodiscard
function process.run(options) end

--- Starts a program in the background and returns at once. Its output, bounded, and its end stay known for an hour after
--- it, for the newest 64 that have ended; at most 256 run at a time (EAGAIN). Other codes as for process.run.
---
---     local pid = process.start{ command = "echo ready; sleep 60" }
---     assert(process.job(pid).state == "running")
---     assert(process.signal(pid))
---@async
---@param options process.StartOptions
---@return integer? pid
---@return string? message
---@return string? code
---@nodiscard
function process.start(options) end

--- Sends a signal to a background job that runs, and to all that it started. Nothing else can be signalled:
--- ESRCH for a job that has ended and for a number that no process has, EPERM for any other process, EINVAL for numbers
--- below 1.
---@param pid integer
---@param signal? string name with or without SIG; default "TERM"
---@return boolean? sent
---@return string? message
---@return string? code
function process.signal(pid, signal) end

--- Sends a signal to every process, whoever started it and whatever group it moved to, whose environment at its start had
--- the variable `name` with one of `values`; "0" only counts. For what must not outlive the thing that it was started for:
--- give the variable in `env`.
---@async
---@param name string
---@param values string[]
---@param signal "0"|"TERM"|"KILL"
---@return integer count how many there were
function process.signal_marked(name, values, signal) end

--- A background job with its output; ESRCH when the table has none with that number.
---@param pid integer
---@return process.Job? job
---@return string? message
---@return string? code
---@nodiscard
function process.job(pid) end

--- All background jobs of the table, newest first, without their output.
---@return process.Job[]
---@nodiscard
function process.jobs() end

return process
