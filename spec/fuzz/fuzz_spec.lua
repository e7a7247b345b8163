--- The fuzz targets, each for a bounded number of inputs from a fixed start. Whoever looks for more runs them for hours; what
--- they find belongs into a spec.
local cjson = require("cjson")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

-- What requests are made of, so that the first inputs are close to real ones: the number of the door in fuzz_endpoints.c, and
-- what goes in there.
local CODE = ("A"):rep(43)
local QUERY = "response_type=code&client_id=" .. CODE .. "&redirect_uri=http%3A%2F%2Flocalhost%3A1%2Fcb&state=s&scope=mcp" ..
    "&code_challenge=" .. CODE .. "&code_challenge_method=S256&resource=http%3A%2F%2Flocalhost%2Fmcp"
local TOKEN = "grant_type=authorization_code&code=so1.e30.x&client_id=" .. CODE .. "&redirect_uri=https%3A%2F%2Fa.example%2F" ..
    "&code_verifier=" .. CODE
local SEEDS = {
    { 0, "POST /oauth/token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n" },
    { 0, "GET http://a.example/mcp?x HTTP/1.1\r\nHost: b\r\nAuthorization: Bearer x\r\n\r\nGET /health HTTP/1.0\r\n\r\n" },
    { 1, QUERY },
    { 1, "client_id=https%3A%2F%2Fclaude.ai%2Foauth%2Fclaude-code-client-metadata&redirect_uri=http://localhost/callback" },
    { 2, "request=sf1.e30.AAAA&password=x&decision=allow" }, { 3, TOKEN },
    { 3, "grant_type=refresh_token&refresh_token=sr1.e30.x&client_id=x" },
    { 4, '{"grant_type":"refresh_token","refresh_token":"sr1.e30.AAAA","client_id":"x","scope":"mcp"}' },
    { 5, '{"client_name":"n","redirect_uris":["http://localhost:1/cb","a.b:/c"],"grant_types":["authorization_code"],' ..
        '"response_types":["code"],"token_endpoint_auth_method":"client_secret_basic","scope":"mcp"}' },
    { 6, "token=sa1.e30.AAAA&token_type_hint=access_token" },
    { 7, '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}' },
    { 7, '{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},' ..
        '"clientInfo":{"name":"x","version":"1"}}}' },
    { 11, "Bearer sa1." .. cjson.encode({ f = "x" }) .. "." .. CODE }, { 12, "Basic eDp5" }, { 13, "[::1]:80" },
    { 14, "a.example:1" }, { 15, "https" }, { 16, "1.2.3.4, [2001:db8::1]:80, ::ffff:1.2.3.4" }, { 17, "vscode-webview://x" },
    { 18, "2025-06-18" }, { 19, "x" }, { 20, "1" }, { 21, "application/json; charset=utf-8" }, { 22, "authorization,x-y" },
}

local function corpus()
    local folder = tmp.dir("corpus")
    for number, seed in ipairs(SEEDS) do tmp.write(folder .. "/" .. number, string.char(seed[1]) .. seed[2]) end
    return folder
end

describe("Fuzz target", function()
    local function run(name, runs, ...)
        local result = program.run({
            command = {
                program.root .. "/build-fuzz/spec/fuzz/fuzz_" .. name, "-runs=" .. runs, "-seed=20261130", "-max_len=4096",
                "-len_control=0", "-detect_leaks=0", ...,
            },
            env = { TMPDIR = tmp.dir("fuzz") }, cwd = tmp.dir("fuzz"), seconds = 300,
        })
        assert(result.code == 0, result.stderr:sub(-4000))
        assert.is_truthy(tonumber(result.stderr:match("Done (%d+) runs")) >= runs)
    end

    it("endpoints: A56 no input of any endpoint, and no header, is answered with a 5xx", function()
        run("endpoints", 8000, corpus())
    end)

    it("json", function() run("json", 20000) end)

    it("origin", function() run("origin", 20000) end)

    it("token", function() run("token", 2000) end)
end)
