--- What the workspace tools do: describe the machine, install packages.
local clock = require("clock")
local exit_status = require("exit_status")
local host = require("host")
local json = require("json")
local process = require("process")
local text = require("text")

local workspace = {}

local JOBS = 50 -- shown, the newest ones
local JOB_OUTPUT_BYTES = 4096 -- shown of each, from its end

-- The sections and their order are what scripts of earlier versions look for. $0 is the workspace.
local INFO = [==[
echo "=== OS ==="; head -n 5 /etc/os-release
echo "=== Node ==="; if command -v node >/dev/null; then node --version; else echo "node not installed"; fi
echo "=== Git ==="; if command -v git >/dev/null; then git --version; else echo "git not installed"; fi
echo "=== Disk ==="; df -h . 2>/dev/null
echo "=== CWD ==="; pwd
echo "=== Tools ==="; for tool in bun npm yarn pip3 python3 curl wget; do command -v "$tool"; done
echo "=== Memory ==="; free -h
exit 0
]==]

local function seconds_label(seconds) return ("timeout after %gs"):format(seconds) end

local function how_it_stands(job)
    if job.signal then return "killed by " .. job.signal end
    return job.exit_code and ("exited with %d"):format(job.exit_code) or job.state
end

-- The end of the output as text, and how many bytes came before it.
local function tail(job)
    local bytes = job.output:sub(-JOB_OUTPUT_BYTES)
    if #bytes < #job.output then bytes = bytes:gsub("^[\x80-\xBF]+", "") end -- not in the middle of a character
    return (text.clean(bytes)), job.output_dropped + #job.output - #bytes
end

local function iso(ms) return ms and os.date("!%Y-%m-%dT%H:%M:%SZ", ms // 1000) or json.null end

---@return table fields
local function job_fields(job)
    local output, left_out = tail(job)
    return {
        pid = job.pid, command = job.command, cwd = job.cwd, state = job.state,
        exit_code = job.exit_code or json.null, signal = job.signal or json.null,
        started_at = iso(job.started_ms), ended_at = iso(job.ended_ms), output = output,
        output_left_out_bytes = left_out,
    }
end

local function job_text(job, fields)
    local seconds = ((job.ended_ms or clock.now_ms()) - job.started_ms) / 1000
    local output = fields.output ~= "" and "\n" .. fields.output:gsub("\n$", "") or ""
    local left_out = fields.output_left_out_bytes
    if left_out > 0 then output = ("\n[%d bytes before are left out]"):format(left_out) .. output end
    return ("PID %d %s, %.1f s: %s%s\n"):format(job.pid, how_it_stands(job), seconds, job.command, output)
end

-- The section about background jobs, and its fields.
local function describe_jobs()
    local lines, list, jobs = { "=== Jobs ===\n" }, json.array({}), process.jobs()
    for position = 1, math.min(#jobs, JOBS) do
        local job = process.job(jobs[position].pid)
        list[position] = job_fields(job)
        lines[#lines + 1] = job_text(job, list[position])
    end
    if #jobs == 0 then lines[2] = "no background process was started\n" end
    if #jobs > JOBS then lines[#lines + 1] = ("and %d older ones\n"):format(#jobs - JOBS) end
    return table.concat(lines), list
end

--- Describes the machine and, if asked, this server's background jobs.
---@param with_jobs? boolean
---@param timeout_s number
function workspace.info(with_jobs, timeout_s)
    local run, message = process.run({ command = INFO, timeout_ms = timeout_s * 1000 })
    if not run then return nil, "Error: " .. message end
    local main, jobs = (text.clean(run.stdout)), nil
    if with_jobs then
        local section
        section, jobs = describe_jobs()
        main = main .. section
    end
    local incomplete = run.timed_out and seconds_label(timeout_s) .. "; what follows the last section is missing"
    return {
        content = incomplete and { main, incomplete } or main,
        structured = { complete = not run.timed_out, jobs = jobs },
    }
end

-- Programs and first words per manager; the first one found is used when the agent leaves the choice to us.
local ORDER = { "bun", "npm", "pip", "pip3", "dnf", "apt" }
local MANAGERS = {
    bun = { program = "bun", argv = { "bun", "add" } },
    npm = { program = "npm", argv = { "npm", "install" } },
    pip = { program = "pip", argv = { "pip", "install" } },
    pip3 = { program = "pip3", argv = { "pip3", "install" } },
    dnf = { program = "dnf", argv = { "sudo", "dnf", "install", "-y" } },
    apt = { program = "apt-get", argv = { "sudo", "apt-get", "install", "-y" } },
}

local function detect()
    local programs = {}
    for position, name in ipairs(ORDER) do programs[position] = MANAGERS[name].program end
    local found = host.which(programs)[1]
    for _, name in ipairs(ORDER) do
        if MANAGERS[name].program == found then return MANAGERS[name] end
    end
    return nil
end

-- Package names are data: each word becomes one argument, no shell reads it.
local function argv_of(manager, packages)
    local argv = table.move(manager.argv, 1, #manager.argv, 1, {})
    for word in packages:gmatch("%S+") do argv[#argv + 1] = word end
    return argv
end

local function trim(value) return (value:gsub("^%s+", ""):gsub("%s+$", "")) end

local function install_report(run, timeout_s)
    local stdout, stderr = text.clean(run.stdout), text.clean(run.stderr)
    if run.timed_out then stderr = stderr .. seconds_label(timeout_s) end
    local main = trim(stdout .. "\n" .. stderr)
    local code = exit_status.code(run)
    return { content = main, structured = { exit_code = code, result = main }, isError = code ~= 0 }
end

--- Installs packages with a package manager.
---@param packages string words separated by blanks
---@param name? string a manager, or nil or "auto" for the first one that is there
---@param timeout_s number
function workspace.install(packages, name, timeout_s)
    if packages:find("[%c\127]") and packages:find("[^%C%s]") then
        return nil, "packages: expected names separated by blanks, got a control character"
    end
    local manager = MANAGERS[name] or detect()
    if not manager then return nil, "No package manager found" end
    local argv = argv_of(manager, packages)
    local run, message, code = process.run({ argv = argv, timeout_ms = timeout_s * 1000 })
    if code == "ENOENT" then return nil, ("/bin/bash: line 1: %s: command not found"):format(argv[1]) end
    if not run then return nil, "Error: " .. message end
    return install_report(run, timeout_s)
end

return workspace
