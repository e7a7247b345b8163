--- Libraries that come when they are needed: the program does without them until then, and says which one is missing.
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

-- Where the loader looks first lie files of the libraries' names that are none.
local function without(names)
    local folder = tmp.dir("libraries")
    for _, name in ipairs(names) do tmp.write(folder .. "/" .. name, "no library") end
    return { LD_LIBRARY_PATH = folder }
end

-- The names that this build asks for, from the file itself.
local function name_of(library)
    return (assert(tmp.read(program.path):match("[%z\n](" .. library .. "%.so[%d.]*)%z"), library))
end

describe("a library that comes late", function()
    local git, curl = name_of("libgit2"), name_of("libcurl")
    local env = without({ git, curl })

    it("is not needed by what does not use it", function()
        local result = program.run({ args = { "call", "file_write", "path=a", "content=x" }, env = env })
        assert.same({ 0, "" }, { result.code, result.stderr })
        assert.equal(0, program.run({ args = { "check" }, env = env }).code)
    end)

    it("is named where it cannot be loaded, and git does not run without it", function()
        for _, tool in ipairs({ "git_status", "git_log", "git_branch" }) do
            local result = program.run({ args = { "call", tool }, env = env })
            assert.equal(1, result.code)
            assert.matches("^Error: cannot load a library: .*" .. git:gsub("%p", "%%%0") .. ": file too short", result.stderr)
        end
    end)

    it("is named where an address is to be fetched", function()
        local answer = program.lua([[
            local _, message, code = require("fetch").get("https://localhost:9/", { timeout_ms = 1000, limit = 10 })
            return { code, message }
        ]], { env = env })
        assert.equal("EFETCH", answer[1])
        assert.matches("^cannot load a library: .*" .. curl:gsub("%p", "%%%0") .. ": file too short", answer[2])
    end)
end)
