--- Real clients: the SDKs of the protocol in JavaScript and Python, and the Inspector.
local cjson = require("cjson")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local PRINTS_ITS_ARGUMENTS = [[#!/bin/sh
printf npm; for a in "$@"; do printf " [%s]" "$a"; done; echo
]]

local FOLDER = program.root .. "/spec/clients"
local FIXTURE = "spec/fixtures/tools/protocol.lua"

local function node() return tmp.shell("ls " .. FOLDER .. "/node_modules/node-linux-*/bin/node"):match("[^\n]+") end

local function environment(s)
    return {
        SANDSTORM_URL = s and ("http://127.0.0.1:%d/mcp"):format(s.port), SANDSTORM_TOKEN = s and s.token,
        SANDSTORM_WORKSPACE = s and s.workspace, SANDSTORM_PROGRAM = program.path,
        SANDSTORM_FIXTURE = program.root .. "/" .. FIXTURE, PYTHONDONTWRITEBYTECODE = "1", PYTHONWARNINGS = "ignore",
    }
end

local function run(command, s)
    local result = program.run({ command = command, env = environment(s), seconds = 120 })
    assert(result.code == 0, "\n" .. result.stdout .. result.stderr)
    assert.matches("ok      ", result.stdout, 1, true)
end

-- What the Inspector prints for a method of the server that `target` names.
local function inspect(target, ...)
    local command = { node(), FOLDER .. "/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli" }
    for _, words in ipairs({ target, { "--method", ... } }) do table.move(words, 1, #words, #command + 1, command) end
    local result = program.run({ command = command, seconds = 120 })
    assert(result.code == 0, "\n" .. result.stdout .. result.stderr)
    return cjson.decode(result.stdout)
end

local function by_http(s)
    return {
        ("http://127.0.0.1:%d/mcp"):format(s.port), "--transport", "http", "--header", "Authorization: Bearer " .. s.token,
    }
end

describe("MCP client with the shipped tools:", function()
    local s

    before_each(function()
        local bin = tmp.dir("bin")
        tmp.write(bin .. "/npm", PRINTS_ITS_ARGUMENTS)
        tmp.shell("chmod +x " .. bin .. "/npm")
        s = server.start({ env = { PATH = bin .. ":/usr/bin:/bin" } })
    end)
    after_each(function() s:stop() end)

    local function javascript(script, ...) run({ node(), FOLDER .. "/" .. script, ... }, s) end

    it("@modelcontextprotocol/sdk connects, lists and calls every tool", function() javascript("sdk1.mjs") end)

    it("@modelcontextprotocol/client does so without a handshake", function() javascript("sdk2.mjs", "modern") end)

    it("@modelcontextprotocol/client does so with a handshake", function() javascript("sdk2.mjs", "legacy") end)

    it("the Inspector lists and calls", function()
        assert.equal("file_read", inspect(by_http(s), "tools/list").tools[1].name)
        local arguments = { "tools/call", "--tool-name", "file_write", "--tool-arg", "path=a", "content=x" }
        assert.matches("Written 1 bytes", inspect(by_http(s), table.unpack(arguments)).content[1].text)
    end)
end)

describe("MCP client with all that the protocol has:", function()
    local s

    setup(function() s = server.start({ tools = FIXTURE }) end)
    teardown(function() s:stop() end)

    for kind, target in pairs({
        http = by_http, stdio = function() return { program.path, "stdio", "--tools", program.root .. "/" .. FIXTURE } end,
    }) do
        it("the Inspector over " .. kind, function()
            local function ask(...) return inspect(target(s), ...) end
            assert.equal("echo", ask("tools/list").tools[1].name)
            assert.equal("héllo", ask("tools/call", "--tool-name", "echo", "--tool-arg", "text=héllo").content[1].text)
            assert.equal("test://text", ask("resources/list").resources[1].uri)
            assert.equal("test://item/{id}", ask("resources/templates/list").resourceTemplates[1].uriTemplate)
            assert.equal("7 of test://item/7", ask("resources/read", "--uri", "test://item/7").contents[1].text)
            assert.equal("greet", ask("prompts/list").prompts[1].name)
            local prompt = ask("prompts/get", "--prompt-name", "greet", "--prompt-args", "name=Ann")
            assert.equal("Hello Ann", prompt.messages[1].content.text)
        end)
    end

    it("@modelcontextprotocol/ext-tasks over http", function() run({ node(), FOLDER .. "/tasks.mjs" }, s) end)

    for _, kind in ipairs({ "http", "stdio" }) do
        it("@modelcontextprotocol/sdk over " .. kind, function() run({ node(), FOLDER .. "/features1.mjs", kind }, s) end)
        for _, era in ipairs({ "modern", "legacy" }) do
            it(("@modelcontextprotocol/client over %s, %s"):format(kind, era), function()
                run({ node(), FOLDER .. "/features2.mjs", kind, era }, s)
            end)
        end
        for _, package in ipairs({ "mcp", "fastmcp" }) do
            for _, era in ipairs({ "auto", "legacy" }) do
                it(("%s of Python over %s, %s"):format(package, kind, era), function()
                    local python = FOLDER .. "/python"
                    run({ python .. "/.venv/bin/python", ("%s/with_%s.py"):format(python, package), kind, era }, s)
                end)
            end
        end
    end
end)
