local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("workspace", function()
    local host, workspace, asked

    before_each(function()
        host = fake_host.install()
        workspace = require("workspace")
        host.process.jobs = function() return {} end
        asked = nil
    end)

    local function runs(changes)
        local run = { stdout = "", stderr = "", exit_code = 0, timed_out = false }
        for name, value in pairs(changes or {}) do run[name] = value end
        host.process.run = function(options)
            asked = options
            return run
        end
    end

    describe("info", function()
        it("gives what the machine says, and runs no longer than it may", function()
            runs({ stdout = "=== OS ===\n" })
            assert.same({ content = "=== OS ===\n", structured = { complete = true } }, workspace.info(nil, 30))
            assert.equal(30000, asked.timeout_ms)
        end)

        it("gives the parts that were there when a program did not answer", function()
            runs({ stdout = "=== OS ===\n", timed_out = true })
            local result = workspace.info(false, 30)
            assert.equal("=== OS ===\n", result.content[1])
            assert.matches("timeout after 30s", result.content[2])
            assert.is_false(result.structured.complete)
        end)

        it("tells why nothing could be run", function()
            host.process.run = function() return nil, "bash: too many open files", "EMFILE" end
            assert.equal("Error: bash: too many open files", select(2, workspace.info(nil, 30)))
        end)
    end)

    describe("info about background jobs", function()
        local function with_jobs(jobs)
            runs({ stdout = "" })
            host.now = 5000
            host.process.jobs = function() return jobs end
            host.process.job = function(pid)
                for _, job in ipairs(jobs) do
                    if job.pid == pid then return job end
                end
            end
            local result = workspace.info(true, 30)
            return result.content, result.structured.jobs
        end

        it("P27 tells state, exit and last output, of those that have ended too", function()
            local text, jobs = with_jobs({
                {
                    pid = 7, command = "serve", cwd = "/w/app", state = "running", started_ms = 2000,
                    output = "up\n", output_dropped = 0,
                },
                {
                    pid = 6, command = "false", cwd = "/w", state = "exited", exit_code = 3, started_ms = 1000, ended_ms = 1500,
                    output = "", output_dropped = 0,
                },
                {
                    pid = 5, command = "x", cwd = "/w", state = "killed", signal = "SIGTERM", started_ms = 1000, ended_ms = 1500,
                    output = "a\xff", output_dropped = 10,
                },
                {
                    pid = 4, command = "y", cwd = "/w", state = "lost", started_ms = 1000, ended_ms = 1500,
                    output = "", output_dropped = 0,
                },
            })
            assert.equal("=== Jobs ===\nPID 7 running, 3.0 s: serve\nup\nPID 6 exited with 3, 0.5 s: false\n"
                .. "PID 5 killed by SIGTERM, 0.5 s: x\n[10 bytes before are left out]\na\u{FFFD}\nPID 4 lost, 0.5 s: y\n", text)
            assert.same({
                pid = 7, command = "serve", cwd = "/w/app", state = "running", exit_code = json.null, signal = json.null,
                started_at = "1970-01-01T00:00:02Z", ended_at = json.null, output = "up\n", output_left_out_bytes = 0,
            }, jobs[1])
            assert.equal(3, jobs[2].exit_code)
            assert.equal("SIGTERM", jobs[3].signal)
        end)

        it("shows the end of long output, whole characters", function()
            local text, jobs = with_jobs({
                {
                    pid = 7, command = "c", cwd = "/w", state = "running", started_ms = 0,
                    output = ("€"):rep(2000), output_dropped = 5,
                },
            })
            assert.equal(("€"):rep(1365), jobs[1].output)
            assert.equal(5 + 6000 - 4095, jobs[1].output_left_out_bytes)
            assert.matches("[1910 bytes before are left out]", text, 1, true)
        end)

        it("shows no more than the newest fifty", function()
            local many = {}
            for pid = 1, 60 do
                many[pid] = {
                    pid = pid, command = "c", cwd = "/w", state = "running", started_ms = 0, output = "", output_dropped = 0,
                }
            end
            local text, jobs = with_jobs(many)
            assert.equal(50, #jobs)
            assert.matches("and 10 older ones\n$", text)
        end)

        it("J02 has none as []", function()
            local text, jobs = with_jobs({})
            assert.equal("[]", json.encode(jobs))
            assert.equal("=== Jobs ===\nno background process was started\n", text)
        end)
    end)

    describe("install", function()
        local function install(packages, manager)
            local result, message = workspace.install(packages, manager, 120)
            return result, message, asked and asked.argv
        end

        it("hands each word to the manager as one argument", function()
            runs()
            for manager, words in pairs({
                npm = { "npm", "install" }, bun = { "bun", "add" }, pip = { "pip", "install" }, pip3 = { "pip3", "install" },
                dnf = { "sudo", "dnf", "install", "-y" }, apt = { "sudo", "apt-get", "install", "-y" },
            }) do
                local argv = select(3, install("  six>=1.16\t$(id) ;rm\n-D ", manager))
                table.move({ "six>=1.16", "$(id)", ";rm", "-D" }, 1, 4, #words + 1, words)
                assert.same(words, argv)
                assert.is_nil(asked.command)
                assert.equal(120000, asked.timeout_ms)
            end
        end)

        it("takes the first manager that is there", function()
            runs()
            for _, name in ipairs({ "auto", false }) do
                host.host.which = function(names)
                    assert.same({ "bun", "npm", "pip", "pip3", "dnf", "apt-get" }, names)
                    return { "pip3", "apt-get" }
                end
                assert.same({ "pip3", "install", "x" }, select(3, install("x", name or nil)))
            end
        end)

        it("says so when there is none", function()
            host.host.which = function() return {} end
            assert.equal("No package manager found", select(2, install("x")))
        end)

        it("tells a manager that is not there as the shell did", function()
            host.process.run = function() return nil, "bun: No such file or directory", "ENOENT" end
            assert.equal("/bin/bash: line 1: bun: command not found", select(2, install("x", "bun")))
            assert.equal("/bin/bash: line 1: sudo: command not found", select(2, install("x", "dnf")))
            host.process.run = function() return nil, "bun: Permission denied", "EACCES" end
            assert.equal("Error: bun: Permission denied", select(2, install("x", "bun")))
        end)

        it("gives both streams, trimmed, and how it ended", function()
            runs({ stdout = "added\n", stderr = "note\n" })
            assert.same({
                content = "added\n\nnote", structured = { exit_code = 0, result = "added\n\nnote" }, isError = false,
            }, (install("x", "npm")))
            runs({ stdout = "", stderr = "npm ERR\n", exit_code = 1 })
            local failed = install("x", "npm")
            assert.equal("npm ERR", failed.content)
            assert.is_true(failed.isError)
        end)

        it("keeps the output of a run that took too long", function()
            runs({ stdout = "half\n", timed_out = true })
            local result = install("x", "npm")
            assert.equal("half\n\ntimeout after 120s", result.content)
            assert.equal(124, result.structured.exit_code)
        end)

        it("refuses control characters, and runs nothing", function()
            host.process.run = function() error("was run") end
            for _, packages in ipairs({ "a\0b", "a\27[31m", "a\127" }) do
                assert.matches("^packages: ", select(2, install(packages, "npm")))
            end
        end)
    end)
end)
