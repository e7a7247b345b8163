local program = require("spec.support.program")

--- Runs Lua with artifacts at hand, read anew for a clock that `at(ms)` sets.
local function run(source)
    return (program.lua([[
        local library = ...
        local now = 1796000000000
        local fakes = { clock = setmetatable({ now_ms = function() return now end }, { __index = require("clock") }) }
        local function at(ms) now = ms end
        local env = setmetatable({ require = function(name) return fakes[name] or require(name) end }, { __index = _G })
        local artifact = assert(loadfile(library .. "/oauth/artifact.lua", "t", env))()
    ]] .. source, { args = { program.root .. "/lib" }, env = { SANDSTORM_MCP_TOKEN = "spec-token-0123456789abcdef" } }))
end

describe("Artifacts", function()
    it("A06 carry version, kind, issue time and expiry, and are good until then", function()
        assert.same({ "sr1.", 1796000000, 1796000010, true, false, true }, run([[
            local text = artifact.make("refresh", { e = artifact.now() + 10 })
            local claims = artifact.read("refresh", text)
            at(1796000009999)
            local before = artifact.read("refresh", text) ~= nil
            at(1796000010000)
            local after, expired = artifact.read("refresh", text)
            return { text:sub(1, 4), claims.t, claims.e, before, after ~= nil, expired }
        ]]))
    end)

    it("A06 A02 every changed letter makes another text worthless", function()
        assert.equal(0, run([[
            local text, read = artifact.make("client", { e = 0, n = "x" }), 0
            for place = 1, #text do
                local other = text:sub(place, place) == "A" and "B" or "A"
                if artifact.read("client", text:sub(1, place - 1) .. other .. text:sub(place + 1)) then read = read + 1 end
            end
            return read
        ]]))
    end)

    it("A44 a code is refused from the second on in which it ends", function()
        assert.same({ true, false }, run([[
            local text = artifact.make("code", { e = artifact.now() + 60 })
            at(now + 59999)
            local before = artifact.read("code", text) ~= nil
            at(now + 1)
            return { before, artifact.read("code", text) ~= nil }
        ]]))
    end)

    it("A44 a code ends with the process", function()
        assert.same({ true, false }, run([[
            local text = artifact.make("code", { e = 0 })
            local other = artifact.make("client", { e = 0 }):gsub("^sc", "so")
            return { artifact.read("code", text) ~= nil, artifact.read("code", other) ~= nil }
        ]]))
    end)
end)
