--- The tools that this server offers, in the order in which agents see them.
---
--- Each is one table: what an agent reads (name, title, description, annotations, schemas) and a handler, which gets the
--- checked arguments. A handler returns a text, a content list, a table { content =, structured = }, or nil and a
--- message. Edit this file and the running server offers the change; `sandstorm-mcp check` says what is wrong.
--- Types for your editor: lib/_meta/tool.lua.
local files = require("files")
local fs = require("fs")
local terminal = require("terminal")
local workspace = require("workspace")

-- Limits. The descriptions below quote them.
local exec = { default_s = 30, max_s = 300, output_bytes = 10 * 1024 * 1024 }
local install_timeout_s = 120
local info_timeout_s = 30

local function text(...) return string.format(...) end

--- The schema of a result: its text as `result` and more for programs; `required` names what is always there.
local function output(properties, required)
    properties.result = { type = "string", description = "The text of the answer" }
    return { type = "object", properties = properties, required = { "result", table.unpack(required or {}) } }
end

local absolute_path = { type = "string", description = "Absolute path" }
local path_note = "; relative to the workspace or absolute inside it"
local name_note = "; a name that is not UTF-8 is written as listed, like $'a\\xff'"

tool {
    name = "file_read",
    title = "Read a file",
    description = "Returns the text of a file as it is on disk, or a range of its lines. Bytes that are not UTF-8 are shown"
        .. " as U+FFFD, and the answer says so. Whole files up to 16 MiB; use offset and limit for larger ones.",
    annotations = { readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false },
    input = {
        type = "object",
        properties = {
            path = { type = "string", description = "File to read" .. path_note .. name_note },
            offset = { type = { "integer", "null" }, minimum = 1, description = "First line to return, from 1 (default 1)" },
            limit = { type = { "integer", "null" }, minimum = 1, description = "Number of lines to return (default: all)" },
        },
        required = { "path" },
        additionalProperties = false,
    },
    output = output({
        path = absolute_path,
        size = { type = "integer", description = "Size of the whole file in bytes" },
        replaced = { type = "integer", description = "How many byte sequences were not UTF-8" },
        first_line = { type = "integer", description = "Of a range" },
        last_line = { type = "integer", description = "Of a range" },
        more = { type = "boolean", description = "Whether lines follow the range" },
    }, { "path", "size", "replaced" }),
    handler = function(args) return files.read(args.path, args.offset, args.limit) end,
}

tool {
    name = "file_write",
    title = "Write a file",
    description = "Creates a file, with its parent directories, or replaces its whole content. Readers see the old content or"
        .. " the new one, never a part. Mode and links of an existing file are kept.",
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = true, openWorldHint = false },
    input = {
        type = "object",
        properties = {
            path = { type = "string", description = "File to write" .. path_note },
            content = { type = "string", description = "The new content" },
        },
        required = { "path", "content" },
        additionalProperties = false,
    },
    output = output({
        path = absolute_path,
        bytes = { type = "integer", description = "Bytes written" },
        created = { type = "boolean", description = "Whether the file is new" },
    }, { "path", "bytes", "created" }),
    handler = function(args) return files.write(args.path, args.content) end,
}

tool {
    name = "file_delete",
    title = "Delete a file",
    description = "Deletes a file or a symbolic link (not its target). A file that is not there counts as deleted;"
        .. " directories are refused.",
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = true, openWorldHint = false },
    input = {
        type = "object",
        properties = { path = { type = "string", description = "File to delete" .. path_note .. name_note } },
        required = { "path" },
        additionalProperties = false,
    },
    output = output({
        path = absolute_path,
        existed = { type = "boolean", description = "Whether there was anything to delete" },
    }, { "path", "existed" }),
    handler = function(args) return files.delete(args.path) end,
}

tool {
    name = "file_list",
    title = "List a directory",
    description = "Lists a directory like `ls -la`, at most 10000 entries. With recursive=true, one absolute path a line"
        .. " instead: at most 500, five levels deep, without what is inside .git and node_modules; the answer says what was"
        .. " left out.",
    annotations = { readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false },
    input = {
        type = "object",
        properties = {
            path = {
                type = "string", default = fs.root(),
                description = "Directory to list" .. path_note .. " (default: the workspace)" .. name_note,
            },
            recursive = { type = "boolean", default = false, description = "List everything below it (default false)" },
        },
        additionalProperties = false,
    },
    output = output({
        path = absolute_path,
        entries = { type = "integer", description = "Number of entries in the listing" },
        complete = { type = "boolean", description = "Whether the listing has everything" },
        unreadable = { type = "array", items = { type = "string" }, description = "Directories that could not be read" },
    }, { "path", "entries", "complete" }),
    handler = function(args) return files.list(args.path or "", args.recursive) end,
}

tool {
    name = "file_move",
    title = "Move or rename",
    description = "Moves or renames a file, link or directory; parent directories of the destination are created. If the"
        .. " destination is a directory, moves into it, where the name must be free. An existing file is replaced.",
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = false, openWorldHint = false },
    input = {
        type = "object",
        properties = {
            source = { type = "string", description = "What to move" .. path_note .. name_note },
            dest = { type = "string", description = "New path, or a directory to move into" .. path_note },
        },
        required = { "source", "dest" },
        additionalProperties = false,
    },
    output = output({
        source = { type = "string", description = "Absolute path before" },
        dest = { type = "string", description = "Absolute path after" },
        replaced = { type = "boolean", description = "Whether a file was replaced" },
    }, { "source", "dest", "replaced" }),
    handler = function(args) return files.move(args.source, args.dest) end,
}

tool {
    name = "file_mkdir",
    title = "Create a directory",
    description = "Creates a directory and its missing parents. One that exists is fine.",
    annotations = { readOnlyHint = false, destructiveHint = false, idempotentHint = true, openWorldHint = false },
    input = {
        type = "object",
        properties = { path = { type = "string", description = "Directory to create" .. path_note } },
        required = { "path" },
        additionalProperties = false,
    },
    output = output({
        path = absolute_path,
        created = { type = "boolean", description = "False when it was there" },
    }, { "path", "created" }),
    handler = function(args) return files.mkdir(args.path) end,
}

tool {
    name = "terminal_exec",
    title = "Run a command",
    description = text("Runs a bash command line and returns stdout, stderr and exit code. stdin is empty, nothing is kept"
        .. " between calls. Ends when the shell ends: processes it left in the background live on. At most %d bytes of each"
        .. " stream are returned.", exec.output_bytes),
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = false, openWorldHint = true },
    input = {
        type = "object",
        properties = {
            command = { type = "string", description = "Command line for /bin/bash -c" },
            cwd = {
                type = { "string", "null" }, default = json.null,
                description = "Existing directory to run in" .. path_note .. " (default: the workspace)",
            },
            timeout = {
                type = { "number", "null" }, default = json.null, minimum = 0,
                description = text("Time limit in seconds, at least 0: fractions allowed, 0 means the default of %g, more than"
                    .. " %g is lowered to %g. The command is killed then and its output so far returned, exit code 124",
                    exec.default_s, exec.max_s, exec.max_s),
            },
        },
        required = { "command" },
        additionalProperties = false,
    },
    output = {
        type = "object",
        properties = {
            stdout = { type = "string" },
            stderr = { type = "string" },
            exit_code = { type = "integer", description = "124 after a timeout, minus the signal's number for a killed shell" },
            signal = { type = { "string", "null" }, description = "Name of the signal that ended the shell" },
            timed_out = { type = "boolean" },
            truncated = { type = "boolean", description = "Whether stdout or stderr is not complete" },
            duration_ms = { type = "integer", description = "In milliseconds" },
        },
        required = { "stdout", "stderr", "exit_code", "signal", "timed_out", "truncated", "duration_ms" },
    },
    handler = function(args) return terminal.exec(args, exec) end,
}

tool {
    name = "terminal_exec_background",
    title = "Start a background command",
    description = "Starts a bash command line and returns its process id at once. workspace_info with jobs=true tells state,"
        .. " exit and last output; terminal_kill ends it.",
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = false, openWorldHint = true },
    input = {
        type = "object",
        properties = {
            command = { type = "string", description = "Command line for /bin/bash -c" },
            cwd = {
                type = { "string", "null" }, default = json.null,
                description = "Existing directory to run in" .. path_note .. " (default: the workspace)",
            },
        },
        required = { "command" },
        additionalProperties = false,
    },
    output = output({ pid = { type = "integer", description = "Process id" } }, { "pid" }),
    handler = function(args) return terminal.start(args) end,
}

tool {
    name = "terminal_kill",
    title = "End a background command",
    description = "Sends SIGTERM to a process that terminal_exec_background started, and to everything it started.",
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = false, openWorldHint = false },
    input = {
        type = "object",
        properties = { pid = { type = "integer", minimum = 1, description = "Process id from terminal_exec_background" } },
        required = { "pid" },
        additionalProperties = false,
    },
    output = output({ pid = { type = "integer", description = "Process id" } }, { "pid" }),
    handler = function(args) return terminal.kill(args.pid) end,
}

tool {
    name = "workspace_info",
    title = "Describe the workspace",
    description = "Reports operating system, node and git versions, disk space, workspace directory, installed tools and memory;"
        .. " with jobs=true also the background commands of this server with state, exit and last output.",
    annotations = { readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false },
    input = {
        type = "object",
        properties = {
            jobs = {
                type = { "boolean", "null" }, default = false,
                description = "Also report background commands (default false)",
            },
        },
        additionalProperties = false,
    },
    output = output({
        complete = {
            type = "boolean", description = text("False when a program did not answer within %g seconds", info_timeout_s),
        },
        jobs = { type = "array", items = { type = "object" }, description = "Background commands, newest first" },
    }, { "complete" }),
    handler = function(args) return workspace.info(args.jobs, info_timeout_s) end,
}

tool {
    name = "workspace_install",
    title = "Install packages",
    description = text("Installs packages with a package manager, in the workspace. Ends after %g seconds at the latest.",
        install_timeout_s),
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = false, openWorldHint = true },
    input = {
        type = "object",
        properties = {
            packages = {
                type = "string",
                description = "Package names, versions and options of the manager, separated by blanks; no shell reads them",
            },
            manager = {
                type = { "string", "null" }, enum = { "npm", "bun", "pip", "pip3", "dnf", "apt", "auto", json.null },
                default = json.null,
                description = "Package manager; auto or none takes the first found of bun, npm, pip, pip3, dnf, apt",
            },
        },
        required = { "packages" },
        additionalProperties = false,
    },
    output = output({
        exit_code = { type = "integer", description = "Of the package manager; 124 after a timeout" },
    }, { "exit_code" }),
    handler = function(args) return workspace.install(args.packages, args.manager, install_timeout_s) end,
}
