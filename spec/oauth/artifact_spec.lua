local cjson = require("cjson")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

--- Runs Lua with artifacts at hand, read anew for a clock that `at(ms)` sets. `text` is its second argument; what is run
--- in one workspace has the keys of one server.
local function run(source, workspace, text)
    return (program.lua([[
        local library, json = (...), require("json")
        local now = 1796000000000
        local run_for = 0
        local fakes = { clock = { now_ms = function() return now end, monotonic_ms = function() return run_for end } }
        local function at(ms) now = ms end
        local env = setmetatable({ require = function(name) return fakes[name] or require(name) end }, { __index = _G })
        local artifact = assert(loadfile(library .. "/oauth/artifact.lua", "t", env))()
    ]] .. source, {
        workspace = workspace, args = { program.root .. "/lib", text },
        env = { SANDSTORM_MCP_TOKEN = "spec-token-0123456789abcdef" },
    }))
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

    it("A44 a code does not live longer where the clock is set back", function()
        assert.same({ true, false }, run([[
            local text = artifact.make("code", { e = artifact.now() + 60 })
            at(now - 3600000)
            run_for = 59999
            local before = artifact.read("code", text) ~= nil
            run_for = 60000
            return { before, artifact.read("code", text) ~= nil }
        ]]))
    end)

    it("A44 a code ends with the process, and nothing else does", function()
        local workspace = tmp.dir("workspace")
        local made = run([[
            local texts = {}
            for _, kind in ipairs({ "access", "client", "code", "form", "refresh" }) do
                texts[kind] = artifact.make(kind, { e = 0 })
            end
            return texts
        ]], workspace)
        assert.same({ access = true, client = true, code = false, form = true, refresh = true }, run([[
            local read = {}
            for kind, text in pairs(json.decode(select(2, ...))) do read[kind] = artifact.read(kind, text) ~= nil end
            return read
        ]], workspace, cjson.encode(made)))
    end)

    it("A06 of one kind are none of another", function()
        assert.is_false(run([[
            local other = artifact.make("client", { e = 0 }):gsub("^sc", "so")
            return artifact.read("code", other) ~= nil
        ]]))
    end)

    it("A06 are not read where they are longer than any that is made", function()
        assert.same({ true, false, true, false }, run([[
            local read = {}
            for _, case in ipairs({ { "client", 2900 }, { "client", 3100 }, { "form", 3100 }, { "form", 9200 } }) do
                read[#read + 1] = artifact.read(case[1], artifact.make(case[1], { e = 0, n = ("x"):rep(case[2]) })) ~= nil
            end
            return read
        ]]))
    end)

    it("are bound to long texts by fingerprints that stay the same from version to version", function()
        assert.equal("ungWv48Bz-pBQUDe", run([[return artifact.fingerprint("abc")]]))
    end)
end)
