--- A stand-in for the program git in specs of lib/git: it answers what the spec says and keeps how it was called.
local fake_host = require("spec.support.fake_host")

local fake_git = {}

-- The words behind `git` and its settings; all of them for another program.
local function words_of(argv)
    local from = 1
    while argv[from] and argv[from] ~= "git" do from = from + 1 end
    if not argv[from] then return argv end
    from = from + 1
    while argv[from] == "-c" do from = from + 2 end
    return table.move(argv, from, #argv, 1, {})
end

local function answer_to(answers, words)
    local said, best = table.concat(words, " "), ""
    for beginning in pairs(answers) do
        if said:sub(1, #beginning) == beginning and #beginning >= #best then best = beginning end
    end
    return answers[best]
end

--- Beside what fake_host.install gives: `answers`, what git does by the beginning of its words (stdout, or a table with
--- stdout, stderr, exit_code ...; or a function that gives one of them) and what was asked of it in `asked`, each with
--- `words` and the options of process.run. What has no answer fails in silence.
---@return table
function fake_git.install()
    local host = fake_host.install()
    host.answers, host.asked = {}, {}
    function host.process.run(options)
        local words = words_of(options.argv)
        host.asked[#host.asked + 1] = { words = words, options = options }
        local given = answer_to(host.answers, words) or { exit_code = 1 }
        if type(given) == "function" then given = given(words, options) end
        if type(given) == "string" then given = { stdout = given } end
        local run = { stdout = "", stderr = "", duration_ms = 1 }
        for name, value in pairs(given) do run[name] = value end
        if not run.exit_code and not run.signal then run.exit_code = 0 end
        run.stdout_bytes, run.stderr_bytes = run.stdout_bytes or #run.stdout, run.stderr_bytes or #run.stderr
        if options.on_output then options.on_output(run.stdout, run.stderr) end
        return run
    end
    host.git.locate = function() return nil, "no repository", "ENOREPO" end
    host.git.plain_status = function() return false end
    host.fs.stat = function(path)
        if path == "/w" then return { type = "directory" } end
        return nil, path .. ": No such file or directory", "ENOENT"
    end
    host.fs.list = function() return { entries = {} } end
    return host
end

--- A call of a tool in the folder `repo`, with 60 seconds.
function fake_git.call() return require("git.program").call("repo", 60) end

--- What was asked of git that begins with these words: a list of texts.
function fake_git.commands(host, beginning)
    local list = {}
    for _, asked in ipairs(host.asked) do
        local text = table.concat(asked.words, " ")
        if text:sub(1, #beginning) == beginning then list[#list + 1] = text end
    end
    return list
end

return fake_git
