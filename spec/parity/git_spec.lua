--- The nine git tools against the recorded answers.
local parity = require("spec.support.parity")

local SHORT = "short_tools" -- the same tools with lower limits, as an operator may set them
local NO_REPOSITORY = "fatal: not a git repository (or any of the parent directories): .git"

-- The recorded text, but as the error that it is.
local function as_error(world, answer, case)
    parity.error(case.result.content[1].text)(world, answer, case)
end

-- git is replaced by a script that sleeps.
local function times_out(world, answer, case) parity.error("timeout after 1s")(world, answer, case) end

local timeout = { tools = SHORT, answer = times_out }

-- Nothing is created.
local missing = {
    answer = parity.error("Error: <WORKSPACE>/nope: No such file or directory"), after = { "" },
}

-- An option of the name that the value looks like is not taken.
local function refuses_dash(argument)
    return parity.error_like("^" .. argument .. ': expected .*, got "%-x", which begins with "%-"')
end

local function replay(tool, better)
    describe("parity: " .. tool, function()
        parity.replay(tool, better, function(world)
            world:make_tools(SHORT, {
                ["local_s = 30, commit_s = 60, network_s = 60, clone_s = 120"] =
                    "local_s = 1, commit_s = 1, network_s = 1, clone_s = 1",
            })
        end)
    end)
end

replay("git_clone", {
    ["url-begins-with-dash"] = refuses_dash("repo_url"),
    ["timeout-120"] = timeout,
})

replay("git_status", {
    ["not-a-repository"] = as_error,
    bare = as_error,
    ["broken-head"] = as_error,
    ["missing-directory"] = {
        answer = parity.error("Error: <WORKSPACE>/nope/deep: No such file or directory"), after = { ".\n" },
    },
    ["path-is-file"] = parity.error("Error: <WORKSPACE>/f: Not a directory"),
    ["timeout-30"] = timeout,
})

replay("git_commit", {
    ["concludes-merge-with-markers"] = {
        answer = parity.error_like("hold conflict markers:\n\ta%.txt\n", "Nothing was staged or committed"),
        after = { "mine 96fa208\n", "1\n" },
    },
    ["missing-directory"] = missing,
})

replay("git_push", {
    ["value-begins-with-dash"] = refuses_dash("branch"),
    ["missing-directory"] = missing,
    ["timeout-60"] = timeout,
})

replay("git_pull", {
    ["value-begins-with-dash"] = refuses_dash("remote"),
    ["diverged-merge"] = { -- the name of the merge depends on the place of the remote
        after = { "^%x+ Merge branch 'main' of %S+/r bc9bf43 7dc198b\nbc9bf43 mine 96fa208\n7dc198b commit 3" },
    },
    ["missing-directory"] = missing,
    ["timeout-60"] = timeout,
})

replay("git_branch", {
    ["value-begins-with-dash"] = refuses_dash("name"),
    ["missing-directory"] = missing,
    ["timeout-30"] = timeout,
})

local keeps_changes = parity.error_like("is a path, not a branch, tag or commit")

replay("git_checkout", {
    ["file-name-is-no-branch"] = { answer = keeps_changes, after = { " M a.txt\n", "line 1\nprecious\n" } },
    ["dot-is-no-branch"] = { answer = keeps_changes, after = { " M a.txt\n", "line 1\nprecious\n" } },
    ["value-begins-with-dash"] = refuses_dash("branch"),
    ["missing-directory"] = missing,
    ["timeout-30"] = timeout,
})

replay("git_diff", {
    ["not-a-repository"] = parity.error(NO_REPOSITORY .. "\n"),
    ["missing-directory"] = missing,
    ["path-is-file"] = parity.error("Error: <WORKSPACE>/repo/a.txt: Not a directory"),
    ["broken-repository"] = parity.error_like("^fatal: .*index file"),
    ["unknown-argument"] = parity.success("(no changes)"), -- staged is an argument now
    ["timeout-30"] = timeout,
})

replay("git_log", {
    merge = function(world, answer)
        assert.is_false(answer.result.isError)
        assert.matches("^%x+ Merge branch 'main' of <REMOTES>/r\nbc9bf43 mine\n7dc198b commit 3\n", world:blank(answer.text))
    end,
    ["n-negative"] = parity.error_like("^n: ", "%-3"),
    ["n-true"] = parity.error_like("^n: "),
    ["no-commits"] = as_error,
    ["not-a-repository"] = as_error,
    ["missing-directory"] = missing,
    ["timeout-30"] = timeout,
})
