local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local PRINTS_ITS_ARGUMENTS = [[#!/bin/sh
printf npm; for a in "$@"; do printf " [%s]" "$a"; done; echo
]]

describe("MCP client", function()
    local s

    before_each(function()
        local bin = tmp.dir("bin")
        tmp.write(bin .. "/npm", PRINTS_ITS_ARGUMENTS)
        tmp.shell("chmod +x " .. bin .. "/npm")
        s = server.start({ env = { PATH = bin .. ":/usr/bin:/bin" } })
    end)

    after_each(function() s:stop() end)

    local function run(script, ...)
        local clients = program.root .. "/spec/clients"
        local node = tmp.shell("ls " .. clients .. "/node_modules/node-linux-*/bin/node"):match("[^\n]+")
        local result = program.run({
            command = { node, clients .. "/" .. script, ... },
            env = {
                SANDSTORM_URL = ("http://127.0.0.1:%d/mcp"):format(s.port),
                SANDSTORM_TOKEN = s.token,
                SANDSTORM_WORKSPACE = s.workspace,
            },
        })
        assert(result.code == 0, "\n" .. result.stdout .. result.stderr)
        assert.matches("ok      tools/list", result.stdout)
    end

    it("@modelcontextprotocol/sdk connects, lists and calls every tool", function() run("sdk1.mjs") end)

    it("@modelcontextprotocol/client does so without a handshake", function() run("sdk2.mjs", "modern") end)

    it("@modelcontextprotocol/client does so with a handshake", function() run("sdk2.mjs", "legacy") end)
end)
