local fake_git = require("spec.support.fake_git")

describe("git.answer", function()
    local host, answer, call

    before_each(function()
        host = fake_git.install()
        answer, call = require("git.answer"), fake_git.call()
    end)

    local function run_of(fields)
        local run = { stdout = "", stderr = "" }
        for name, value in pairs(fields) do run[name] = value end
        run.stdout_bytes, run.stderr_bytes = run.stdout_bytes or #run.stdout, run.stderr_bytes or #run.stderr
        return run
    end

    local function both(fields) return answer.both(run_of(fields), call) end

    local function shown(fields) return answer.shown(run_of(fields), call) end

    it("gives both streams of what does something, trimmed and without credentials", function()
        assert.same({ ok = true, text = "out\n\nTo https://***@h/", notes = {} },
            both({ exit_code = 0, stdout = "\nout\n", stderr = "To https://t@h/\n" }))
        assert.same({ ok = false, text = "fatal: no", notes = {} }, both({ exit_code = 128, stderr = "fatal: no\n" }))
    end)

    it("gives what is shown as it is, and what git said beside it as a note", function()
        assert.same({ ok = true, text = " a https://t@h/ \n", notes = { "warning: https://***@h/" } },
            shown({ exit_code = 0, stdout = " a https://t@h/ \n", stderr = "warning: https://t@h/\n" }))
        assert.same({ ok = false, text = "fatal: https://***@h/\n", notes = {} },
            shown({ exit_code = 128, stderr = "fatal: https://t@h/\n" }))
    end)

    it("notes what is no UTF-8 and what was cut", function()
        assert.same({ "Not UTF-8: 1 byte sequence(s) are shown as U+FFFD." }, shown({ exit_code = 0, stdout = "a\xFF" }).notes)
        assert.equal("a\u{FFFD}", shown({ exit_code = 0, stdout = "a\xFF" }).text)
        local most = require("git.program").OUTPUT_BYTES
        local cut = shown({ exit_code = 0, stdout = ("x"):rep(most - 1) .. "ü", stdout_bytes = most + 7 })
        assert.equal(most - 1, #cut.text)
        assert.same({ ("stdout was cut: the first %d of %d bytes are shown."):format(most - 1, most + 7) }, cut.notes)
        assert.same({ "stderr was cut: the first 1 of 9 bytes are shown." },
            both({ exit_code = 0, stderr = "x", stderr_bytes = 9 }).notes)
    end)

    it("says that time was over or who killed git", function()
        assert.equal("timeout after 60s", both({ timed_out = true, signal = "SIGKILL" }).text)
        assert.equal("half\ntimeout after 60s", shown({ timed_out = true, stdout = "half" }).text)
        assert.equal("half\ntimeout after 60s", shown({ timed_out = true, stdout = "half\n" }).text)
        assert.same({ "git was killed by SIGSEGV." }, both({ signal = "SIGSEGV" }).notes)
        assert.same({}, both({ timed_out = true, signal = "SIGKILL" }).notes)
    end)

    it("tells the age of a lock that is in the way", function()
        host.now = 60000
        local lock = "fatal: Unable to create '/w/repo/.git/index.lock': File exists.\n"
        assert.same({}, both({ exit_code = 128, stderr = lock }).notes)
        call.place = { git_dir = "/w/repo/.git", common_dir = "/w/repo/.git" }
        host.git.locate = function(path) return { directory = path } end
        host.fs.stat = function(path) return path == "/w/repo/.git/index.lock" and { mtime = 50 } or nil end
        assert.matches("^/w/repo/.git/index.lock is 10 s old", both({ exit_code = 128, stderr = lock }).notes[1])
        assert.matches(" is 10 s old", both({ exit_code = 0, stderr = lock }).notes[1]) -- of a push that went well otherwise
    end)

    it("tells whose a repository is that git does not trust", function()
        host.fs.stat = function() return { user = "eve", uid = 1001 } end
        local run = { exit_code = 128, stderr = "fatal: detected dubious ownership in repository" }
        assert.same({}, both(run).notes)
        call.place = { git_dir = "/w/repo/.git" }
        assert.same({ "/w/repo/.git belongs to eve (uid 1001), not to the user of this server." }, both(run).notes)
    end)

    it("notes of text that was made what the program said", function()
        assert.same({ ok = true, text = "a\u{FFFD}", notes = { "Not UTF-8: 1 byte sequence(s) are shown as U+FFFD." } },
            answer.made("a\xFF"))
        assert.same({ "hint" }, answer.made("a", run_of({ stderr = "hint\n" })).notes)
        local cut = run_of({ stdout = "a\xFF", stdout_truncated = true, stdout_bytes = 9, stderr = "hint\n" })
        assert.same({
            "Not UTF-8: 1 byte sequence(s) are shown as U+FFFD.",
            "git's list was cut: it has 9 bytes, and what came after the first 2 is missing.", "hint",
        }, answer.made("a\xFF", cut).notes)
    end)

    it("makes a result: text, notes behind it, and fields with the text and the engine", function()
        call.engine = "native"
        assert.same({ content = { "t", "a\nb" }, structured = { n = 1, result = "t", engine = "native" }, isError = false },
            answer.result(call, { ok = true, text = "t", notes = { "a", "b" } }, { n = 1 }))
        assert.same({ content = { "t" }, isError = true }, answer.result(call, { ok = false, text = "t", notes = {} }))
    end)
end)
