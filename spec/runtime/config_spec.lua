local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

--- A run of the program that is over at once; returns its exit code and what it said on stderr.
local function start(args, env)
    local result = program.run({ args = args, env = env })
    return result.code, result.stderr, result.stdout
end

--- The value of a setting under these options and variables.
local function setting(name, args, env)
    local file = tmp.file("chunk.lua", ('return require("host").setting(%q)'):format(name))
    local all = { "run" }
    table.move(args or {}, 1, #(args or {}), 2, all)
    all[#all + 1] = file
    local code, said, out = start(all, env)
    assert.equal(0, code, said)
    return out:gsub("\n$", ""), said
end

local TOKEN = { SANDSTORM_MCP_TOKEN = "spec-token-0123456789" }

--- The environment of TOKEN and these.
local function with(env)
    local all = { SANDSTORM_MCP_TOKEN = TOKEN.SANDSTORM_MCP_TOKEN }
    for name, value in pairs(env) do all[name] = value end
    return all
end

describe("command line and environment", function()
    it("--help names every option with its variable, and the secrets without one", function()
        local code, said, help = start({ "--help" })
        assert.same({ 0, "" }, { code, said })
        local options = 0
        for option, variable in help:gmatch("\n  (%-%-%S+) %S+, (%S+)\n") do
            options = options + 1
            local name = option:sub(3):gsub("-", "_")
            assert.not_matches("unknown setting", (setting(name)))
            assert.matches("^[A-Z_]+$", variable)
        end
        assert.is_true(options > 15, help)
        for _, secret in ipairs({ "SANDSTORM_MCP_TOKEN", "MCP_AUTH_TOKEN", "SESSION_AUTH_TOKEN" }) do
            assert.matches("\n  " .. secret .. "\n", help)
        end
        assert.not_matches("%-%-token", help)
        assert.equal(help, select(3, start({ "serve", "-h" })))
    end)

    it("--version tells the version", function()
        local code, _, out = start({ "--version" })
        assert.equal(0, code)
        assert.matches("^sandstorm%-mcp %d+%.%d+%.%d+\n$", out)
    end)

    it("what is wrong names the nearest valid one", function()
        for _, case in ipairs({
            { { "--prot", "1" }, "unknown option %-%-prot; did you mean %-%-port%?" },
            { { "serve", "--workspace_root=x" }, "unknown option %-%-workspace_root; did you mean %-%-workspace%-root%?" },
            { { "--token", "x" }, "unknown option %-%-token; did you mean " },
            { { "--halp" }, "unknown option %-%-halp; did you mean %-%-help%?" },
            { { "surve" }, "unknown command surve; did you mean serve%?" },
            { { "chekc" }, "unknown command chekc; did you mean check%?" },
            { { "serve", "more" }, "unexpected argument more" },
            { { "--port" }, "%-%-port: expected a value behind it" },
            { { "call" }, "call: expected the name of a tool" },
            { { "run" }, "run: expected a Lua file" },
            { { "--json", "{}" }, "%-%-json belongs to call" },
        }) do
            local code, said = start(case[1], TOKEN)
            assert.equal(1, code)
            assert.matches("^sandstorm%-mcp: " .. case[2], said)
        end
    end)

    it("an unknown variable is a warning that names the nearest valid one", function()
        local value, said = setting("port", nil, { SANDSTORM_MPC_PORT = "9", SANDSTORM_TOOL = "x", SANDSTORM_DOMAIN = "x" })
        assert.equal("8080", value)
        assert.matches("unknown variable SANDSTORM_MPC_PORT is ignored; did you mean SANDSTORM_MCP_PORT%?\n", said)
        assert.matches("unknown variable SANDSTORM_TOOL is ignored; did you mean SANDSTORM_TOOLS%?\n", said)
        assert.not_matches("SANDSTORM_DOMAIN", said)
    end)

    it("an option wins over its variable, a variable over the default, the last of two options", function()
        local env = { SANDSTORM_MCP_PORT = "2" }
        assert.equal("8080", (setting("port")))
        assert.equal("2", (setting("port", nil, env)))
        assert.equal("3", (setting("port", { "--port", "3" }, env)))
        assert.equal("4", (setting("port", { "--port=3", "--port=4" }, env)))
    end)

    it("options behind the file of run are the file's own", function()
        local file = tmp.file("chunk.lua", "return table.concat({ ... }, ' ')")
        local code, _, out = start({ "run", "--port", "5", file, "--port", "6", "--", "-x" })
        assert.same({ 0, '"--port 6 -- -x"\n' }, { code, out })
    end)

    it("reads numbers as v0.1.0 did and refuses what does not fit", function()
        local fit = { ["18151"] = "18151", [" 18152 "] = "18152", ["18_153"] = "18153", ["0"] = "0", ["007"] = "7" }
        for text, value in pairs(fit) do
            assert.equal(value, (setting("port", nil, { SANDSTORM_MCP_PORT = text })))
        end
        for text, value in pairs({ ["7"] = "7", ["0"] = "0", ["-3"] = "-3", [" 7 "] = "7" }) do
            assert.equal(value, (setting("max_instances", nil, { MAX_INSTANCES = text })))
        end
        local unfit = { "", "abc", "8080.5", "-1", "70000", "1_", "_1", "1__0", "0x10", "99999999999999999999", "80 80" }
        for _, text in ipairs(unfit) do
            local code, said = start({}, with({ SANDSTORM_MCP_PORT = text }))
            assert.equal(1, code)
            assert.equal("sandstorm-mcp: SANDSTORM_MCP_PORT: expected a whole number from 0 to 65535, got " ..
                ('"%s"\n'):format(text), said)
        end
        for _, text in ipairs({ "", "abc", "2.5" }) do
            local code, said = start({}, with({ MAX_INSTANCES = text }))
            assert.equal(1, code)
            assert.matches("MAX_INSTANCES: expected a whole number", said)
        end
    end)

    it("reads sizes with a unit", function()
        for text, value in pairs({ ["4096"] = "4096", ["64K"] = "65536", ["2m"] = "2097152", ["64M"] = "67108864" }) do
            assert.equal(value, (setting("body_limit", { "--body-limit", text })))
        end
        for _, text in ipairs({ "2T", "2MB", "K", "1", "9999999999G", "65M", "1G" }) do
            local code, said = start({ "--body-limit", text }, TOKEN)
            assert.equal(1, code)
            assert.equal("sandstorm-mcp: --body-limit: expected a whole number from 1024 to 67108864, " ..
                ('K, M or G may follow, got "%s"\n'):format(text), said)
        end
    end)

    it("makes paths absolute, keeps ~ as it is, and takes an empty one for none", function()
        local folder = tmp.dir("run")
        local file = tmp.file("chunk.lua", [[
            local setting = require("host").setting
            return { setting("state_dir"), setting("workspace_root") }
        ]])
        local function paths(env)
            tmp.shell("mkdir -p " .. folder .. "/sub/ws '" .. folder .. "/~/ws'")
            local result = program.run({ args = { "run", file }, env = env, cwd = folder })
            assert.equal(0, result.code, result.stderr)
            return (result.stdout:gsub("\n$", ""))
        end
        assert.equal(('["%s/st","%s/sub/ws"]'):format(folder, folder),
            paths({ SANDSTORM_STATE_DIR = "st", SANDSTORM_WORKSPACE_ROOT = "sub/ws" }))
        assert.equal(('["%s/~/ws/.sandstorm-mcp","%s/~/ws"]'):format(folder, folder),
            paths({ SANDSTORM_STATE_DIR = "", SANDSTORM_WORKSPACE_ROOT = "~/ws" }))
        assert.equal('"/home/dev"', (tmp.read("runtime/config_table.c"):match('"workspace_root".-("/home/dev")')))
    end)

    it("takes log levels in any case and names the nearest of a wrong one", function()
        for _, level in ipairs({ "critical", "ERROR", "Warning", "info", "debug", "trace" }) do
            assert.equal('"' .. level:upper() .. '"', (setting("log_level", nil, { SANDSTORM_LOG_LEVEL = level })))
        end
        for text, near in pairs({ WARN = "WARNING", inf = "INFO", debg = "DEBUG", [""] = "INFO" }) do
            local code, said = start({}, with({ SANDSTORM_LOG_LEVEL = text }))
            assert.equal(1, code)
            assert.equal(("sandstorm-mcp: SANDSTORM_LOG_LEVEL: expected critical, error, warning, info, debug or trace, " ..
                'got "%s"; did you mean %s?\n'):format(text, near), said)
        end
    end)

    it("serves only with a token, and says which variable to set", function()
        local missing = "sandstorm-mcp: SANDSTORM_MCP_TOKEN (or MCP_AUTH_TOKEN) must be set in the environment; " ..
            "it is the bearer token of /mcp\n"
        for _, env in ipairs({ {}, { SANDSTORM_MCP_TOKEN = "" }, { SANDSTORM_MCP_TOKEN = "", MCP_AUTH_TOKEN = "" } }) do
            local code, said = start({}, env)
            assert.same({ 1, missing }, { code, said })
        end
    end)

    it("refuses a token that no client could send", function()
        local blanks = " has blanks around it, which no bearer header can carry\n"
        for _, case in ipairs({
            { { SANDSTORM_MCP_TOKEN = " a" }, "SANDSTORM_MCP_TOKEN" .. blanks },
            { { SANDSTORM_MCP_TOKEN = "a " }, "SANDSTORM_MCP_TOKEN" .. blanks },
            { { SANDSTORM_MCP_TOKEN = "a\n" }, "SANDSTORM_MCP_TOKEN" .. blanks },
            { { SANDSTORM_MCP_TOKEN = "", MCP_AUTH_TOKEN = "a\t" }, "MCP_AUTH_TOKEN" .. blanks },
            { { SANDSTORM_MCP_TOKEN = "a\1b" }, "SANDSTORM_MCP_TOKEN holds a control character, which no header can carry\n" },
            { with({ SESSION_AUTH_TOKEN = "é " }), "SESSION_AUTH_TOKEN" .. blanks },
        }) do
            local code, said = start({}, case[1])
            assert.same({ 1, "sandstorm-mcp: " .. case[2] }, { code, said })
        end
    end)

    it("says what is wrong with public URL and origins", function()
        local url = "SANDSTORM_PUBLIC_URL: expected https, or http on loopback, and a host without path or slash " ..
            "behind it, such as https://mcp.example.com; got "
        for _, case in ipairs({
            { { SANDSTORM_PUBLIC_URL = "mcp.example.com" }, url .. '"mcp.example.com"' },
            { { SANDSTORM_PUBLIC_URL = "ftp://x" }, url .. '"ftp://x"' },
            { { SANDSTORM_ALLOWED_ORIGINS = "https://a.example, claude.ai" },
                'SANDSTORM_ALLOWED_ORIGINS: expected origins such as https://example.com, got "claude.ai"' },
        }) do
            local code, said = start({}, with(case[1]))
            assert.same({ 1, "sandstorm-mcp: " .. case[2] .. "\n" }, { code, said })
        end
    end)
end)
