local cjson = require("cjson")
local oauth = require("spec.support.oauth")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

local EXPOSED = "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After"

describe("What browsers are told (CORS)", function()
    local s, app

    setup(function()
        s = oauth.start()
        app = oauth.new(s)
    end)
    teardown(function() s:stop() end)

    it("A58 metadata and OAuth JSON may be read by every page, errors too, without credentials", function()
        local page = { Origin = "https://any.example" }
        for _, response in ipairs({
            app:get("/.well-known/oauth-authorization-server", page), app:post("/oauth/token", { grant_type = "x" }, page),
            app:post("/oauth/revoke", { token = "x" }, page), app:get("/nowhere", page), app:get("/oauth/token", page),
            app:request("POST", "/oauth/register", "{", { Origin = "https://any.example",
                ["Content-Type"] = "application/json" }),
        }) do
            assert.equal("*", response.headers["access-control-allow-origin"])
            assert.equal(EXPOSED, response.headers["access-control-expose-headers"])
            assert.is_nil(response.headers["access-control-allow-credentials"])
        end
    end)

    it("A58 what the connection itself refuses may be read too", function()
        local large = app:post("/oauth/token", ("x"):rep(65537), { Origin = "https://any.example" })
        local connection = s:connect()
        connection:send("GET /%zz HTTP/1.1\r\nHost: x\r\nOrigin: https://any.example\r\n\r\n")
        local broken = connection:read_response()
        connection:close()
        assert.same({ 413, "*" }, { large.status, large.headers["access-control-allow-origin"] })
        assert.same({ 400, "*" }, { broken.status, broken.headers["access-control-allow-origin"] })
    end)

    it("A58 A59 /mcp follows the origin policy: 401 and 200 are read by allowed pages, others get 403 and no header", function()
        for _, origin in ipairs({ "https://claude.ai", "http://localhost:6274", "vscode-webview://x" }) do
            for _, token in ipairs({ s.token, "wrong" }) do
                local headers = app:ping(token, { Origin = origin }).headers
                assert.same({ origin, EXPOSED, "Origin" }, { headers["access-control-allow-origin"],
                    headers["access-control-expose-headers"], headers.vary })
            end
        end
        local foreign = app:ping(s.token, { Origin = "https://evil.example" })
        assert.equal(403, foreign.status)
        assert.same({ "2.0", "number", "string" }, { foreign.json.jsonrpc, type(foreign.json.error.code),
            type(foreign.json.error.message) })
        assert.is_nil(foreign.json.id)
        assert.is_nil(foreign.headers["access-control-allow-origin"])
        assert.equal("Origin", foreign.headers.vary)
        assert.is_nil(foreign.headers["www-authenticate"])
    end)

    it("A58 preflights are 204 without a bearer and allow the headers of all clients", function()
        local asked = "authorization,content-type,mcp-protocol-version,mcp-session-id," ..
            "mcp-method,mcp-name,mcp-param-x,last-event-id"
        for _, path in ipairs({ "/mcp", "/mcp/", "/oauth/token", "/register", "/.well-known/oauth-protected-resource/mcp",
            "/nowhere" }) do
            local response = app:request("OPTIONS", path, nil, { Origin = "http://localhost:6274",
                ["Access-Control-Request-Method"] = "POST", ["Access-Control-Request-Headers"] = asked })
            local headers = response.headers
            assert.equal(204, response.status, path)
            assert.equal(asked, headers["access-control-allow-headers"])
            assert.equal("GET, POST, DELETE, OPTIONS", headers["access-control-allow-methods"])
            assert.matches("^%d+$", headers["access-control-max-age"])
            assert.matches("Origin", headers.vary)
            assert.is_string(headers["access-control-allow-origin"])
        end
        local plain = app:request("OPTIONS", "/mcp", nil, { Origin = "http://localhost:6274" }).headers
        for _, name in ipairs({ "Authorization", "Content-Type", "Accept", "MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method",
            "Mcp-Name", "Last-Event-ID" }) do
            assert.matches(name:gsub("%p", "%%%0"), plain["access-control-allow-headers"])
        end
        for _, case in ipairs({ { "/mcp", "https://evil.example" }, { "/oauth/authorize", "https://claude.ai" } }) do
            local response = app:request("OPTIONS", case[1], nil, { Origin = case[2],
                ["Access-Control-Request-Method"] = "POST" })
            assert.equal(204, response.status)
            assert.is_nil(response.headers["access-control-allow-origin"])
        end
    end)

    it("A21 a Host that is no host is a bad request on every path; routes come from the target alone", function()
        for _, host in ipairs({ "a?", "a#", "a/b?", "[", "x@y", "a b", "a:b", "host:1?", "[::1", "é" }) do
            for _, path in ipairs({ "/mcp", "/health", "/oauth/authorize", "/.well-known/oauth-authorization-server",
                "/nowhere" }) do
                assert.equal(400, app:get(path, { Host = host }).status, host .. path)
            end
        end
        local connection = s:connect()
        connection:send("GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        assert.equal(400, connection:read_response().status)
        connection:close()
        for target, status in pairs({ ["http://evil.example/mcp"] = 401, ["http://x/health"] = 200, ["//mcp"] = 404,
            ["/mcp?x#y"] = 400,
            ["/%2e%2e/mcp"] = 404, ["/mcp/../health"] = 401 }) do
            local other = s:connect()
            other:send(("GET %s HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"):format(target))
            assert.equal(status, other:read_response().status, target)
            other:close()
        end
    end)
end)

describe("The log", function()
    it("A57 tells client, address, outcome and reason, and no secret of any kind", function()
        local audit = tmp.dir("audit") .. "/audit.log"
        local s = oauth.start({ env = { SANDSTORM_LOG_LEVEL = "trace", SANDSTORM_AUDIT_FILE = audit } })
        local app = oauth.new(s)
        local made = app:register({ client_name = "Logged", token_endpoint_auth_method = "client_secret_post" }).json
        local id, secret = made.client_id, made.client_secret
        local page = app:page(id, { state = "logged-state" })
        app:decide(oauth.blob(page), { password = "guessed-password" })
        app:decide(oauth.blob(page), { decision = "deny" })
        local code = app:code(id, { state = "logged-state" })
        app:exchange(id, code, { client_secret = "guessed-secret" })
        local tokens = app:exchange(id, code, { client_secret = secret }).json
        app:ping(tokens.access_token)
        app:ping("guessed-bearer")
        local newer = app:refresh(id, tokens.refresh_token, { client_secret = secret }).json
        app:exchange(id, code, { client_secret = secret })
        app:post("/oauth/revoke", { token = newer.refresh_token })
        local metrics = s:request({ path = "/metrics" }).body
        s:stop()
        local log, kept = s.process:stdout(), tmp.read(audit)
        for name, text in pairs({
            token = s.token, code = code, verifier = oauth.VERIFIER, access = tokens.access_token, refresh = tokens.refresh_token,
            newer = newer.refresh_token, secret = secret, state = "logged-state", challenge = oauth.CHALLENGE,
                form = oauth.blob(page),
            password = "guessed-password", ["wrong secret"] = "guessed-secret", bearer = "guessed-bearer",
                query = "code_challenge",
        }) do
            for place, written in pairs({ log = log, ["audit log"] = kept, metrics = metrics }) do
                assert.is_nil(written:find(text, 1, true), name .. " in the " .. place)
            end
        end
        for _, action in ipairs({ "client registered", "authorization granted", "signed in", "code used twice", "signed out" }) do
            assert.is_truthy(kept:find('"action":"' .. action .. '"', 1, true), action)
        end
        local seen = {}
        for _, line in ipairs(s:log()) do
            if line.client == "Logged" then seen[#seen + 1] = line.msg .. " " .. (line.redirect or "") .. " " ..
                (line.reason or "") end
        end
        for _, wanted in ipairs({ "client registered app.example ", "authorization refused app.example wrong token",
            "authorization denied app.example ", "authorization granted app.example ", "signed in app.example ",
            "code used twice app.example " }) do
            assert.is_truthy(table.concat(seen, "\n"):find(wanted, 1, true), wanted .. " in\n" .. table.concat(seen, "\n"))
        end
        assert.matches('"msg":"token refused"[^\n]*"reason":"invalid_client"', log)
        assert.matches('"msg":"signed out"', log)
    end)
end)

describe("Hostile input", function()
    -- A fixed sequence: the same inputs at every run.
    local state = 20261130
    local function random(most)
        state = (state * 6364136223846793005 + 1442695040888963407)
        return (state >> 33) % most + 1
    end

    local PIECES = { "", "x", "\0", "\r\n", "%", "%zz", "%00", "&", "=", "+", "\xFF\xC0", "日本", '"', "'", "<", "../", "{",
        "}", "[", "]",
        "null", "1e999", "-1", "true", ".", "..", "sa1.", "sc1.e30.", "sr1.", "so1.", "sf1.", "https://", "http://localhost:",
            "://", "#", "?",
        "javascript:", "Basic ", "Bearer ", ("A"):rep(43), ("A"):rep(5000), "client_id", "redirect_uris", "\u{202E}", "0",
            "-0", "9223372036854775808",
        "https://claude.ai/oauth/mcp-oauth-client-metadata", "https://a.example/../x",
            '{"redirect_uris":["https://a.example/"],"client_name":' }

    local function noise()
        local parts = {}
        for number = 1, random(5) do parts[number] = PIECES[random(#PIECES)] end
        return table.concat(parts)
    end

    it("A56 no input of any endpoint is answered with a 5xx, and the server lives on", function()
        local s = oauth.start({ env = { SANDSTORM_CIMD = "table" } })
        local app = oauth.new(s)
        local tokens, id = app:sign_in()
        local names = { "response_type", "client_id", "redirect_uri", "state", "scope", "code_challenge",
            "code_challenge_method", "resource",
            "request", "password", "decision", "grant_type", "code", "code_verifier", "refresh_token", "client_secret", "token" }
        local good = { client_id = id, redirect_uri = oauth.REDIRECT, response_type = "code", code_challenge = oauth.CHALLENGE,
            refresh_token = tokens.refresh_token, token = "x" }
        local grants = { "authorization_code", "refresh_token", "password" }
        local function fields()
            local list = {}
            for name, value in pairs(good) do list[#list + 1] = { name, value } end
            list[#list + 1] = { "grant_type", grants[random(#grants)] }
            table.sort(list, function(a, b) return a[1] < b[1] end)
            for _ = 1, random(3) do
                local name = names[random(#names)]
                for _, pair in ipairs(list) do if pair[1] == name then pair[2] = noise() end end
                if random(2) == 1 then list[#list + 1] = { name, noise() } end
            end
            return oauth.form(list)
        end
        local connection = s:connect()
        local function send(request)
            request.host = "127.0.0.1:" .. s.port
            local response = connection:request(request)
            if not response or response.headers.connection == "close" then
                connection:close()
                connection = s:connect()
            end
            assert.is_true(not response or response.status < 500, cjson.encode({ request.path, (request.body
                or ""):gsub("[\128-\255%c]", "?") }))
            return response
        end
        for round = 1, 250 do
            local from = { ["X-Forwarded-For"] = "198.51.100." .. round }
            local function typed(kind) return { ["X-Forwarded-For"] = from["X-Forwarded-For"], ["Content-Type"] = kind } end
            local form = typed("application/x-www-form-urlencoded")
            send({ path = "/oauth/authorize?" .. fields():sub(1, 7000), headers = from })
            send({ path = "/oauth/authorize?" .. noise():gsub("[%c \128-\255#]", "%%41"), headers = from })
            send({ method = "POST", path = "/oauth/authorize", body = fields(), headers = form })
            send({ method = "POST", path = "/oauth/token", body = fields(), headers = form })
            send({ method = "POST", path = "/oauth/token", body = noise(), headers = typed("application/json") })
            send({ method = "POST", path = "/oauth/register", body = noise(), headers = typed("application/json") })
            send({ method = "POST", path = "/oauth/register", headers = typed("application/json"),
                body = '{"redirect_uris":["https://a.example/"],"client_name":' .. noise() .. "}" })
            send({ method = "POST", path = "/oauth/revoke", body = fields(), headers = form })
            local clean = noise():gsub("[%z\r\n]", "")
            local bearer = { Authorization = (random(2) == 1 and "Bearer " or "") .. clean, ["X-Forwarded-For"] = clean }
            send({ path = "/mcp", headers = bearer })
        end
        connection:close()
        assert.equal(200, app:ping(tokens.access_token).status)
        for _, line in ipairs(s:log()) do assert.not_equal("ERROR", line.level, cjson.encode(line)) end
        s:stop()
    end)
end)

describe("Every route", function()
    local KINDS = {
        false, "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ";", "\xFF",
    }
    local BODIES = {
        "", "{", "[]", "null", "0", '""', "{}", "[[[]]]", "\0", "\xFF\xFE", "%", "a=%zz", "=&=&", ("a=1&"):rep(200),
        ("["):rep(3000), '{"a":' .. ("9"):rep(400) .. "}", '{"a":1,"a":2}', '"\\ud800"', "1e999", ("x"):rep(20000),
        '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{},"method":1,"params":[]}', '[{"jsonrpc":"2.0","id":1,"method":"ping"},1]',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":[],"arguments":null}}',
        '{"type":1,"command":{},"session_id":[],"context":"x","timeout":-1}', '{"type":"t","context":{"env":[],"cwd":1}}',
        '{"redirect_uris":{},"client_name":[]}', "grant_type=refresh_token&refresh_token=%00&client_id=%FF",
        "request=%00&password=%FF&decision=%0A",
    }
    local HEADERS = {
        {}, { ["MCP-Protocol-Version"] = "\xFF" }, { ["Mcp-Session-Id"] = "\1" }, { ["Last-Event-ID"] = "-1" }, { Accept = "," },
        { ["Content-Encoding"] = "gzip" }, { Origin = "null" }, { Range = "bytes=0-" }, { Expect = "x" },
        { ["X-HTTP-Method"] = "\xFF" },
        { ["X-Forwarded-For"] = ",,[" }, { ["X-Forwarded-Proto"] = ":" }, { traceparent = "00-x" }, { ["Mcp-Method"] = "\xFF" },
    }
    local QUERIES = { "", "?", "?%00=%FF&%=1&a", "?" .. ("a=b&"):rep(300) }

    it("A56 whatever is sent to it, with a bearer or without, no answer is a 5xx", function()
        local routes = program.lua([[
            local seen = {}
            for position, route in ipairs(require("app").load((...)).routes) do
                seen[position] = { path = route.path:gsub("{%w+}", "%%%%ff"), methods = route.methods }
            end
            return seen
        ]], { args = { program.root .. "/tools.lua" } })
        assert.is_true(#routes > 40)
        local s = oauth.start({ env = { SANDSTORM_CIMD = "table" } })
        local connection, sent = s:connect(), 0
        local function send(method, path, headers, body, bearer)
            local all = { Authorization = bearer, ["X-Forwarded-For"] = "2001:db8:" .. ("%x"):format(sent % 60000) .. "::1" }
            for name, value in pairs(headers) do all[name] = value end
            sent = sent + 1
            local response = connection:request({ method = method, path = path, headers = all, body = body,
                host = "127.0.0.1:" .. s.port })
            if not response or response.headers.connection == "close" then
                connection:close()
                connection = s:connect()
            end
            assert.is_true(not response or response.status < 500,
                cjson.encode({ method, path, response and response.status, (body or ""):gsub("[^ -~]", "?") }))
        end
        for _, route in ipairs(routes) do
            for position, body in ipairs(BODIES) do
                local kind = KINDS[position % #KINDS + 1] or nil
                local headers = { ["Content-Type"] = kind }
                for name, value in pairs(HEADERS[position % #HEADERS + 1]) do headers[name] = value end
                local bearer = position % 3 > 0 and "Bearer " .. s.token or nil
                for _, method in ipairs(route.methods) do
                    local query = QUERIES[position % #QUERIES + 1]
                    if method == "GET" then send(method, route.path .. query, HEADERS[position % #HEADERS + 1], nil, bearer) end
                    if method ~= "GET" then send(method, route.path .. query, headers, body, bearer) end
                end
            end
            send("PATCH", route.path, {}, "x", nil)
            send("DELETE", route.path, {}, nil, "Bearer " .. s.token)
        end
        connection:close()
        assert.equal(200, oauth.new(s):ping(s.token).status)
        for _, line in ipairs(s:log()) do assert.not_equal("ERROR", line.level, cjson.encode(line)) end
        s:stop()
    end)
end)

describe("While a tool runs", function()
    --- Every endpoint a client meets on its way, one after the other.
    local function whole_way(app)
        local tokens, id = app:sign_in()
        assert.equal(200, app:refresh(id, tokens.refresh_token).status)
        assert.equal(200, app:get("/.well-known/oauth-authorization-server").status)
        assert.equal(200, app:get("/.well-known/oauth-protected-resource/mcp").status)
    end

    local function start_call(s, name, arguments)
        local busy = s:connect()
        local head = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
        local body = ('%s{"name":"%s","arguments":%s}}'):format(head, name, arguments)
        busy:send(("POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n" ..
            "Content-Length: %d\r\n\r\n%s"):format(s.token, #body, body))
        return busy
    end

    it("A62 the endpoints answer at once: a call that sleeps holds nobody", function()
        local s = oauth.start()
        local busy = start_call(s, "terminal_exec", '{"command":"sleep 300"}')
        for _ = 1, 50 do whole_way(oauth.new(s)) end
        busy:close()
        s:kill()
    end)

    it("A62 nor does a call that computes: it ends only when all of them have answered", function()
        local tools = tmp.file("tools.lua", [[
            -- luacheck: globals tool
            local fs = require("fs")
            tool {
                name = "compute", description = "Computes until told to stop.", input = { type = "object" },
                handler = function()
                    fs.write("computes", "")
                    while not fs.stat("enough") do
                        local sum = 0
                        for number = 1, 10000000 do sum = sum + number end
                    end
                    return "enough"
                end,
            }
        ]])
        local s = oauth.start({ tools = tools, env = { SANDSTORM_SCRIPT_CPU_MS = "300000" } })
        local busy = start_call(s, "compute", "{}")
        assert(program.wait_until(function() return tmp.kind(s.workspace .. "/computes") end))
        for _ = 1, 5 do whole_way(oauth.new(s)) end
        tmp.write(s.workspace .. "/enough", "")
        busy:patience(60)
        local response = busy:read_response()
        assert.equal(200, response.status)
        assert.matches('"text":"enough"', response.body)
        busy:close()
        s:stop()
    end)
end)
