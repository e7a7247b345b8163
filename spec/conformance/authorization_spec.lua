--- The official scenarios of authorization servers. A person is played by the spec: it opens the printed address.
local cjson = require("cjson")
local oauth = require("spec.support.oauth")
local program = require("spec.support.program")
local servers = require("spec.support.server")
local tmp = require("spec.support.tmp")

describe("conformance suite, authorization", function()
    local s, app

    setup(function()
        s = oauth.start()
        app = oauth.new(s)
    end)
    teardown(function() s:stop() end)

    --- Runs the suite as a client; returns its checks.
    local function run(client, more)
        local folder, port, out = program.root .. "/spec/conformance", client.port, tmp.dir("conformance-authorization")
        local node = tmp.shell("ls " .. folder .. "/node_modules/node-linux-*/bin/node"):match("[^\n]+")
        local args = { folder .. "/node_modules/@modelcontextprotocol/conformance/dist/index.js", "authorization", "--url",
            "http://127.0.0.1:" .. s.port, "--client-id", client.id, "--port", tostring(port), "-o", out }
        table.move(more or {}, 1, #(more or {}), #args + 1, args)
        local process = program.spawn({ command = { node }, args = args })
        local url
        program.wait_until(function()
            url = process:stdout():match("(http://127%.0%.0%.1:" .. s.port .. "/oauth/authorize%?[^%s\27]+)")
            return url or not process:running()
        end)
        assert(url, process:stdout() .. process:stderr())
        local page = app:get(url:match("^http://[^/]+(.*)$"))
        local location = app:decide(oauth.blob(page)).headers.location
        tmp.shell("curl --silent --fail --noproxy '*' " .. tmp.quote(location))
        local code = process:wait()
        assert.equal(0, code, process:stdout() .. tmp.shell("cat " .. out .. "/*/checks.json"))
        local checks = {}
        for path in tmp.shell("find " .. out .. " -name checks.json | sort"):gmatch("[^\n]+") do
            for _, check in ipairs(cjson.decode(tmp.read(path))) do checks[#checks + 1] = check end
        end
        return checks, process:stdout()
    end

    local function client()
        local port = servers.free_port()
        local made = app:register({ redirect_uris = { ("http://127.0.0.1:%d/callback"):format(port),
            ("http://localhost:%d/callback"):format(port) }, }).json
        return { id = made.client_id, port = port }
    end

    local function all_passed(checks, output)
        local passed = 0
        for _, check in ipairs(checks) do
            if check.status == "SUCCESS" then passed = passed + 1 end
            assert.is_true(check.status == "SUCCESS" or check.status == "INFO" or check.status == "SKIPPED",
                check.id .. " " .. check.status .. " " .. (check.errorMessage or ""))
        end
        assert.is_true(passed >= 2, output)
    end

    it("metadata and code grant of a public client, without failure and warning", function() all_passed(run(client())) end)

    -- A secret is never sent by the suite where a server offers clients to have none.
    it("the same with the resource", function()
        all_passed(run(client(), { "--resource", "http://127.0.0.1:" .. s.port .. "/mcp" }))
    end)
end)
