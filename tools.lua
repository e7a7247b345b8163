--- The tools that this server offers, in the order in which agents see them.
---
--- Each is one table: what an agent reads (name, title, description, annotations, schemas) and a handler, which gets the
--- checked arguments. A handler returns a text, a content list, a table { content =, structured = }, or nil and a
--- message. Edit this file and the running server offers the change; `sandstorm-mcp check` says what is wrong.
--- Types for your editor: lib/_meta/tool.lua.
local files = require("files")
local fs = require("fs")
local git = require("git.tools")
local terminal = require("terminal")
local workspace = require("workspace")

-- Limits. The descriptions below quote them.
local exec = { default_s = 30, max_s = 300, output_bytes = 10 * 1024 * 1024 }
local install_timeout_s = 120
local info_timeout_s = 30
local git_limits = { local_s = 30, commit_s = 60, network_s = 60, clone_s = 120 }

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
    task = { support = "optional", start = "slow" },
    handler = function(args, ctx) return terminal.exec(args, exec, ctx) end,
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

local engine = { type = "string", description = "native, or git and why the git program answered" }
local git_path = {
    type = { "string", "null" }, default = json.null,
    description = "Directory in the repository" .. path_note .. " (default: the workspace)",
}
local git_paths = {
    type = { "array", "null" }, items = { type = "string" }, default = json.null,
    description = "Only these files, directories or git pathspecs, relative to path (default: everything)",
}
local remote_name = {
    type = { "string", "null" }, default = json.null, description = "Remote name or URL (default: origin)",
}

local function optional(description) return { type = { "string", "null" }, default = json.null, description = description } end
local function known(type_name, description) return { type = { type_name, "null" }, description = description } end
local function strings(description) return { type = "array", items = { type = "string" }, description = description } end

local head_commit = known("string", "Full id of the commit at HEAD")
local current_branch = known("string", "Current branch; null when HEAD is detached")

tool {
    name = "git_clone",
    title = "Clone a repository",
    description = text("Clones a repository into a new or empty directory. Never asks for a password: credentials come from the"
        .. " credential helper, ssh agent or keys of the server's user. A failed clone leaves nothing behind. Ends after %g"
        .. " seconds at the latest.", git_limits.clone_s),
    annotations = { readOnlyHint = false, destructiveHint = false, idempotentHint = false, openWorldHint = true },
    input = {
        type = "object",
        properties = {
            repo_url = { type = "string", description = "URL or path of the repository" },
            path = optional("New or empty directory" .. path_note .. " (default: named as the repository, in the workspace)"),
            branch = optional("Branch or tag to check out (default: what the remote's HEAD names)"),
        },
        required = { "repo_url" },
        additionalProperties = false,
    },
    output = output({
        path = known("string", "Absolute path of the new repository"),
        url = { type = "string", description = "Where it came from, without credentials" },
        branch = current_branch, commit = head_commit, engine = engine,
    }, { "path", "url", "branch", "commit", "engine" }),
    handler = function(args, ctx) return git.clone(args, git_limits.clone_s, ctx) end,
}

tool {
    name = "git_status",
    title = "Show the state of a repository",
    description = "Shows what `git status` prints: branch, upstream, and what is staged, changed, untracked or in conflict.",
    annotations = { readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false },
    input = { type = "object", properties = { path = git_path }, additionalProperties = false },
    output = output({
        branch = current_branch, commit = known("string", "Full id of HEAD's commit; null before the first one"),
        upstream = known("string", "Such as origin/main"),
        ahead = known("integer", "Commits that the upstream lacks"),
        behind = known("integer", "Commits of the upstream that the branch lacks"),
        entries = {
            type = "array",
            items = {
                type = "object",
                properties = {
                    path = { type = "string", description = "From the top of the work tree" },
                    index = { type = "string", description = "Staged: letter as in git status --short, . for unchanged" },
                    worktree = { type = "string", description = "Not staged: likewise; ? for untracked" },
                    from = { type = "string", description = "The path before a rename or copy" },
                    conflict = { type = "boolean" },
                },
                required = { "path", "index", "worktree" },
            },
        },
        entries_left_out = { type = "integer", description = "Entries beyond those listed here" },
        complete = { type = "boolean", description = "False when there are too many entries to count" },
        engine = engine,
    }, { "branch", "commit", "upstream", "ahead", "behind", "entries", "entries_left_out", "complete", "engine" }),
    handler = function(args) return git.status(args, git_limits.local_s) end,
}

tool {
    name = "git_commit",
    title = "Commit changes",
    description = text("Stages all changes of the work tree, or those below the given paths, and commits them; hooks run. During"
        .. " a merge it concludes the merge, but refuses while files still hold conflict markers. Ends after %g seconds at the"
        .. " latest.", git_limits.commit_s),
    annotations = { readOnlyHint = false, destructiveHint = false, idempotentHint = false, openWorldHint = false },
    input = {
        type = "object",
        properties = {
            message = { type = "string", description = "Commit message" }, path = git_path, paths = git_paths,
        },
        required = { "message" },
        additionalProperties = false,
    },
    output = output({
        commit = known("string", "Full id of the new commit"), branch = current_branch,
        resolved = strings("Paths that were in conflict and are committed as they stand"),
        conflicts = strings("Paths that still hold conflict markers; nothing was committed"),
        engine = engine,
    }, { "engine" }),
    handler = function(args) return git.commit(args, git_limits.commit_s) end,
}

tool {
    name = "git_push",
    title = "Push to a remote",
    description = text("Pushes the current branch, or the given one, to a remote. Any ref that the remote refuses makes the call"
        .. " an error with the remote's reason. Never asks for a password. Ends after %g seconds at the latest.",
        git_limits.network_s),
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = true, openWorldHint = true },
    input = {
        type = "object",
        properties = {
            remote = remote_name,
            branch = optional("Branch, tag or refspec such as main:renamed (default: as configured, mostly the current branch)"),
            path = git_path,
        },
        additionalProperties = false,
    },
    output = output({
        remote = { type = "string" },
        refs = {
            type = "array", description = "What became of each ref that is not up to date",
            items = {
                type = "object",
                properties = {
                    from = { type = "string" }, to = { type = "string" },
                    state = { enum = { "updated", "forced", "created", "deleted", "unchanged", "refused" } },
                    summary = { type = "string" }, reason = { type = "string", description = "Why it was refused" },
                },
                required = { "to", "state", "summary" },
            },
        },
        engine = engine,
    }, { "remote", "refs", "engine" }),
    handler = function(args, ctx) return git.push(args, git_limits.network_s, ctx) end,
}

tool {
    name = "git_pull",
    title = "Pull from a remote",
    description = text("Fetches from a remote and brings the current branch up to date, by fast-forward, merge or rebase as the"
        .. " repository is configured. Local changes are never overwritten; conflicts are an error that lists the paths. Never"
        .. " asks for a password. Ends after %g seconds at the latest.", git_limits.network_s),
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = true, openWorldHint = true },
    input = {
        type = "object",
        properties = {
            remote = remote_name, branch = optional("Branch of the remote (default: the upstream of the current one)"),
            path = git_path,
        },
        additionalProperties = false,
    },
    output = output({
        branch = current_branch, commit = head_commit, commit_before = known("string", "Full id of HEAD before"),
        conflicts = strings("Paths with conflicts to resolve"), engine = engine,
    }, { "branch", "commit", "commit_before", "conflicts", "engine" }),
    handler = function(args, ctx) return git.pull(args, git_limits.network_s, ctx) end,
}

tool {
    name = "git_branch",
    title = "List or create branches",
    description = "Lists local and remote-tracking branches, the current one marked with *; with a name, creates that branch at"
        .. " HEAD without switching to it.",
    annotations = { readOnlyHint = false, destructiveHint = false, idempotentHint = false, openWorldHint = false },
    input = {
        type = "object",
        properties = { name = optional("Branch to create (default: list)"), path = git_path },
        additionalProperties = false,
    },
    output = output({
        branches = {
            type = "array",
            items = {
                type = "object",
                properties = {
                    name = { type = "string" }, commit = { type = "string" }, current = { type = "boolean" },
                    remote = { type = "boolean", description = "Remote-tracking" },
                    upstream = { type = "string" }, points_to = { type = "string" },
                },
                required = { "name", "commit", "current", "remote" },
            },
        },
        current = known("string", "Current branch of a listing"),
        created = { type = "string" }, commit = known("string", "Where the new branch begins"), engine = engine,
    }, { "engine" }),
    handler = function(args) return git.branch(args, git_limits.local_s) end,
}

tool {
    name = "git_checkout",
    title = "Switch branches",
    description = "Switches to a branch, or to a tag or commit with a detached HEAD; a branch that only a remote has is created"
        .. " to track it. Never restores files: uncommitted changes are kept, or the switch is refused.",
    annotations = { readOnlyHint = false, destructiveHint = true, idempotentHint = true, openWorldHint = false },
    input = {
        type = "object",
        properties = {
            branch = { type = "string", description = "Branch, tag or commit; - is the previous branch" }, path = git_path,
        },
        required = { "branch" },
        additionalProperties = false,
    },
    output = output({
        branch = current_branch, commit = head_commit, detached = { type = "boolean" }, engine = engine,
    }, { "branch", "commit", "detached", "engine" }),
    handler = function(args) return git.checkout(args, git_limits.local_s) end,
}

tool {
    name = "git_diff",
    title = "Show changes",
    description = "Shows changes as a patch: by default what is changed and not staged; staged=true what would be committed; from"
        .. " alone a commit against the work tree; from and to two commits. Untracked files are not shown.",
    annotations = { readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false },
    input = {
        type = "object",
        properties = {
            path = git_path,
            staged = { type = { "boolean", "null" }, default = json.null, description = "What is staged (default false)" },
            from = optional("Branch, tag, commit or range such as main...feature"),
            to = optional("Branch, tag or commit; needs from"),
            paths = git_paths,
        },
        additionalProperties = false,
    },
    output = output({
        changed = { type = "boolean" },
        complete = { type = "boolean", description = "False when the patch was too long and cut" },
        engine = engine,
    }, { "changed", "complete", "engine" }),
    handler = function(args) return git.diff(args, git_limits.local_s) end,
}

tool {
    name = "git_log",
    title = "Show the history",
    description = "Lists the newest commits, one a line: short id and subject.",
    annotations = { readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false },
    input = {
        type = "object",
        properties = {
            n = {
                type = { "integer", "null" }, minimum = 0, default = json.null,
                description = "Number of commits, at most 100 (default 10; 0 is the default too)",
            },
            path = git_path,
            ref = optional("Branch, tag, commit or range such as main..feature (default: HEAD)"),
            paths = git_paths,
        },
        additionalProperties = false,
    },
    output = output({
        commits = {
            type = "array",
            items = {
                type = "object",
                properties = {
                    id = { type = "string" }, parents = strings("Full ids"), author = { type = "string" },
                    email = { type = "string" }, date = { type = "string", description = "Author date, ISO 8601" },
                    subject = { type = "string" },
                },
                required = { "id", "parents", "author", "email", "date", "subject" },
            },
        },
        engine = engine,
    }, { "commits", "engine" }),
    handler = function(args) return git.log(args, git_limits.local_s) end,
}
