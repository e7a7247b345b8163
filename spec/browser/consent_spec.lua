local caddy = require("spec.support.caddy")
local oauth = require("spec.support.oauth")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

describe("The consent page in Chromium", function()
    local back

    setup(function()
        back = caddy.start(function(port)
            return ("https://localhost:%d {\n    tls internal\n    respond back\n}\n"):format(port)
        end)
    end)
    teardown(function() back:stop() end)

    local function run(s, origin)
        local node = tmp.shell("ls spec/clients/node_modules/node-linux-*/bin/node"):match("[^\n]+")
        local result = program.run({
            command = { program.root .. "/" .. node, program.root .. "/spec/browser/consent.mjs", origin,
                ("https://localhost:%d/callback"):format(back.port) },
            env = { SANDSTORM_TOKEN = s.token }, seconds = 600,
        })
        assert(result.code == 0, "\n" .. result.stdout .. result.stderr)
        assert.matches("ok  .*A40", result.stdout)
    end

    it("A36 to A41 on plain loopback", function()
        local s = oauth.start()
        run(s, "http://127.0.0.1:" .. s.port)
        s:stop()
    end)

    it("A36 to A41 through Caddy, over HTTP/2 with TLS", function()
        local s = oauth.start()
        local proxy = caddy.start(caddy.proxy(s.port))
        run(s, "https://localhost:" .. proxy.port)
        proxy:stop()
        s:stop()
    end)
end)
