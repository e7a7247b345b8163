local fake_host = require("spec.support.fake_host")

describe("git.check", function()
    local check, fail

    setup(function()
        fake_host.install()
        check, fail = require("git.check"), require("fail")
    end)

    --- The value, or the message with which the call ends.
    local function try(name, value)
        local ok, result = pcall(check[name], "x", value)
        return ok and result or fail.message_of(result)
    end

    for _, name in ipairs({ "revision", "source" }) do
        it(name .. " takes absence and empty text for nothing given", function()
            assert.is_nil(try(name, nil))
            assert.is_nil(try(name, ""))
        end)

        it(name .. " refuses what would be an option, a second line, or has no end", function()
            for value, why in pairs({
                ["-x"] = 'begins with "%-"', ["--upload-pack=x"] = 'begins with "%-"', ["a\0b"] = "NUL byte",
                ["a\nb"] = "control character", ["a\127"] = "control character", [("a"):rep(4097)] = "4097 bytes",
            }) do
                assert.matches("^x: expected .*, got .*" .. why, try(name, value))
            end
            assert.equal(("a"):rep(4096), try(name, ("a"):rep(4096)))
        end)
    end

    it("takes names, ranges and addresses as they are", function()
        for _, value in ipairs({ "main", "a-b", "HEAD~1..@{u}", "ü", "refs/heads/x:refs/heads/y" }) do
            assert.equal(value, try("revision", value))
        end
        for _, value in ipairs({ "origin", "https://h/x", "git@h:x", "/w/x", "./a:b" }) do
            assert.equal(value, try("source", value))
        end
    end)

    it("refuses transports that run commands, by name", function()
        for _, value in ipairs({ "ext::sh -c id", "fd::17", "git-remote.x+y::z" }) do
            assert.matches('the transport "' .. value:match("^(.-::)"):gsub("%p", "%%%0") .. '" can run any command',
                try("source", value))
        end
    end)

    it("reads paths as they are listed, and says which one is none", function()
        assert.same({ "a", "-b", "l\xE9" }, check.paths("paths", { "a", "-b", "$'l\\xe9'" }))
        assert.same({}, check.paths("paths", nil))
        for value, why in pairs({ [""] = "empty text", ["a\0"] = "NUL byte", [("a"):rep(4097)] = "4097 bytes" }) do
            local _, raised = pcall(check.paths, "paths", { "good", value })
            assert.matches("^paths%[2%]: expected a path, got .*" .. why, fail.message_of(raised))
        end
    end)
end)
