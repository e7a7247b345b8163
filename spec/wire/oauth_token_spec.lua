local exposition = require("spec.support.exposition")
local oauth = require("spec.support.oauth")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

local GRANT = '{"op":"grant","id":"id%d","name":"n","where":"w","start_ms":%d,"finish":9999999999}'

describe("The token endpoint", function()
    local s, app, origin, client

    setup(function()
        s = oauth.start()
        app, origin = oauth.new(s), ("http://127.0.0.1:%d"):format(s.port)
        client = app:client()
    end)
    teardown(function() s:stop() end)

    local function refused(response, code, status)
        assert.same({ status or 400, code }, { response.status, response.json and response.json.error }, response.body)
        assert.equal("no-store", response.headers["cache-control"])
        assert.is_string(response.json.error_description)
    end

    local function basic(id, secret)
        local encoded = app:mint('return require("crypto").base64(args[1])', 0, id .. ":" .. secret)
        return { Authorization = "Basic " .. encoded }
    end

    it("A42 takes forms and JSON objects of any media type spelling, and nothing else", function()
        local kinds = { "application/json", "Application/JSON; charset=utf-8" }
        for _, kind in ipairs(kinds) do
            local body = ('{"grant_type":"authorization_code","code":"%s","client_id":"%s","redirect_uri":"%s",' ..
                '"code_verifier":"%s","scope":null}'):format(app:code(client), client, oauth.REDIRECT, oauth.VERIFIER)
            assert.equal(200, app:post("/oauth/token", body, { ["Content-Type"] = kind }).status, kind)
        end
        local form = { ["Content-Type"] = "APPLICATION/x-www-form-urlencoded;charset=UTF-8" }
        assert.equal(200, app:exchange(client, app:code(client), nil, form).status)
        local code = app:code(client)
        for _, kind in ipairs({ "multipart/form-data; boundary=x", "text/plain", "application/xml", "" }) do
            refused(app:exchange(client, code, nil, { ["Content-Type"] = kind }), "invalid_request")
        end
        for _, body in ipairs({ "[]", "null", "1", "{", "", '{"code":1,"grant_type":"authorization_code"}',
            '{"grant_type":["authorization_code"]}' }) do
            refused(app:post("/oauth/token", body, { ["Content-Type"] = "application/json" }), "invalid_request")
        end
        refused(app:post("/oauth/token", "grant_type=%"), "invalid_request")
        refused(app:post("/oauth/token", "grant_type=authorization_code&grant_type=authorization_code"), "invalid_request")
        assert.equal(413, app:post("/oauth/token", ("x"):rep(65537)).status)
        assert.equal(200, app:exchange(client, code).status)
    end)

    it("A43 public clients by their id, confidential ones by post or Basic, raw or encoded", function()
        for _, method in ipairs({ "client_secret_post", "client_secret_basic" }) do
            local made = app:register({ token_endpoint_auth_method = method }).json
            local id, secret = made.client_id, made.client_secret
            assert.equal(200, app:exchange(id, app:code(id), { client_secret = secret }).status)
            assert.equal(200, app:exchange(id, app:code(id), { client_id = false }, basic(id, secret)).status)
            assert.equal(200, app:exchange(id, app:code(id), { client_id = id }, basic(id, secret)).status)
            local encoded = basic((id:gsub("%.", "%%2E")), (secret:gsub("^.",
                function(c) return ("%%%02x"):format(c:byte()) end)))
            assert.equal(200, app:exchange(id, app:code(id), { client_id = false }, encoded).status)
            local code = app:code(id)
            refused(app:exchange(id, code, { client_secret = secret }, basic(id, secret)), "invalid_request")
            refused(app:exchange(id, code), "invalid_client", 401)
            refused(app:exchange(id, code, { client_secret = secret .. "x" }), "invalid_client", 401)
            refused(app:exchange(id, code, { client_secret = "" }), "invalid_client", 401)
            local wrong = app:exchange(id, code, { client_id = false }, basic(id, "wrong"))
            refused(wrong, "invalid_client", 401)
            assert.matches("^Basic realm=", wrong.headers["www-authenticate"])
            refused(app:exchange(client, code, nil, basic(id, secret)), "invalid_request")
            assert.equal(200, app:exchange(id, code, { client_secret = secret }).status)
        end
        refused(app:exchange("unknown", "x"), "invalid_client", 401)
        refused(app:exchange(client, "x", nil, { Authorization = "Bearer x" }), "invalid_client", 401)
        refused(app:exchange(client, "x", nil, { Authorization = "Basic %%%" }), "invalid_client", 401)
        refused(app:exchange(client, "x", { client_id = false }), "invalid_request")
    end)

    it("A44 a code is bound to client, address, challenge and server; a wrong request does not use it up", function()
        local code, other = app:code(client), app:client({ client_name = "Other" })
        for _, changes in ipairs({
            { code_verifier = oauth.VERIFIER .. "x" }, { code_verifier = false }, { code_verifier = "" },
            { code_verifier = oauth.VERIFIER:sub(1, 42) }, { code_verifier = ("v"):rep(129) },
                { code_verifier = oauth.VERIFIER .. "é" },
            { redirect_uri = false }, { redirect_uri = oauth.REDIRECT .. "/" }, { redirect_uri = "https://evil.example/" },
            { client_id = other }, { code = code .. "x" }, { code = "" }, { code = false }, { code = "\xFF" },
        }) do
            refused(app:exchange(client, code, changes), "invalid_grant")
        end
        refused(app:exchange(client, code, { resource = "https://other.example/mcp" }), "invalid_target")
        refused(app:exchange(client, code, nil, { Host = "localhost:" .. s.port }), "invalid_grant")
        assert.equal(200, app:exchange(client, code).status)
    end)

    it("A44 verifiers of 43 to 128 unreserved characters", function()
        for _, verifier in ipairs({ ("aZ9-._~"):rep(18) .. "ab", ("~"):rep(43) }) do
            local challenge = app:mint('local c = require("crypto") return c.base64url(c.sha256(args[1]))', 0, verifier)
            local code = app:code(client, { code_challenge = challenge })
            assert.equal(200, app:exchange(client, code, { code_verifier = verifier }).status)
        end
    end)

    it("A44 a verifier of other characters is refused although its challenge fits", function()
        for _, verifier in ipairs({ ("é"):rep(30), ("v "):rep(30), ("v"):rep(50) .. "+" }) do
            local challenge = app:mint('local c = require("crypto") return c.base64url(c.sha256(args[1]))', 0, verifier)
            local code = app:code(client, { code_challenge = challenge })
            refused(app:exchange(client, code, { code_verifier = verifier }), "invalid_grant")
        end
    end)

    it("A42 a parameter that is given twice is refused, whichever of the two is right", function()
        local body = oauth.form({ grant_type = "authorization_code", code = app:code(client), client_id = client,
            redirect_uri = oauth.REDIRECT, code_verifier = oauth.VERIFIER })
        refused(app:post("/oauth/token", body .. "&code=x"), "invalid_request")
        refused(app:post("/oauth/token", "code=x&" .. body), "invalid_request")
        assert.equal(200, app:post("/oauth/token", body).status)
    end)

    it("A44 of many exchanges at once exactly one succeeds, and a complete repetition ends what the first got", function()
        local code = app:code(client)
        local body = oauth.form({ grant_type = "authorization_code", code = code, client_id = client,
            redirect_uri = oauth.REDIRECT, code_verifier = oauth.VERIFIER })
        local connections = {}
        for number = 1, 20 do
            connections[number] = s:connect()
            connections[number]:send(("POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %d\r\n" ..
                "Content-Type: application/x-www-form-urlencoded\r\n\r\n"):format(s.port, #body))
        end
        for _, connection in ipairs(connections) do connection:send(body) end
        local good, bad = 0, 0
        for _, connection in ipairs(connections) do
            local response = connection:read_response()
            if response.status == 200 then good = good + 1 else bad = bad + 1 end
            connection:close()
        end
        assert.same({ 1, 19 }, { good, bad })

        local tokens, id = app:sign_in()
        local again = app:code(id)
        local first = app:exchange(id, again).json
        refused(app:exchange(id, again, { code_verifier = "x" }), "invalid_grant")
        assert.equal(200, app:ping(first.access_token).status) -- whoever lacks the verifier ends nothing
        refused(app:exchange(id, again), "invalid_grant")
        assert.equal(401, app:ping(first.access_token).status)
        refused(app:refresh(id, first.refresh_token), "invalid_grant")
        assert.equal(200, app:ping(tokens.access_token).status)
    end)

    it("A44 A47 A06 what is handed out says when it ends: a code after a minute, a refresh token after 90 days", function()
        local function claims(text)
            return app:mint([[
                local payload = args[1]:match("^s%l1%.([%w_-]+)%.")
                return require("json").decode(require("crypto").unbase64url(payload))
            ]], 0, text)
        end
        local function assert_lives(seconds, of) -- the clock is read for each end, and may tick in between
            assert.is_true(of.e - of.t == seconds or of.e - of.t == seconds - 1, ("%d of %d s"):format(of.e - of.t, seconds))
        end
        local text = app:code(client)
        assert_lives(60, claims(text))
        local first = app:exchange(client, text).json
        local refresh, access = claims(first.refresh_token), claims(first.access_token)
        assert_lives(90 * 86400, refresh)
        assert_lives(86400, access)
        assert.is_true(refresh.x > refresh.e) -- the end for good, which no refresh moves
        local later = claims(app:refresh(client, first.refresh_token).json.refresh_token)
        assert.same({ refresh.x, refresh.g + 1 }, { later.x, later.g })
        assert_lives(600, claims(oauth.blob(app:page(client))))
    end)

    it("A45 A46 A47 the answer: a bearer for a day, always a refresh token, the scope; kept by nobody", function()
        local response = app:exchange(client, app:code(client))
        local tokens = response.json
        assert.same({ "Bearer", 86400, "mcp" }, { tokens.token_type, tokens.expires_in, tokens.scope })
        assert.matches('"expires_in":86400[,}]', response.body)
        assert.is_string(tokens.refresh_token)
        assert.same({ "no-store", "no-cache" }, { response.headers["cache-control"], response.headers.pragma })
        assert.equal(200, app:ping(tokens.access_token).status)
    end)

    it("A48 each refresh makes a new generation; two at once both succeed; the one before is good while the new is fresh",
        function()
        local tokens, id = app:sign_in()
        local one = tokens.refresh_token
        local first, second = app:refresh(id, one), app:refresh(id, one)
        assert.same({ 200, 200 }, { first.status, second.status })
        local two = first.json.refresh_token
        assert.not_equal(one, two)
        local three = app:refresh(id, two).json.refresh_token
        assert.equal(200, app:refresh(id, one).status)
        assert.equal(200, app:refresh(id, three).status)
        refused(app:refresh(id, one), "invalid_grant") -- two generations old: copied
        refused(app:refresh(id, three), "invalid_grant") -- the family ended
        assert.equal(401, app:ping(first.json.access_token).status)
    end)

    it("A48 after a restart nobody is locked out", function()
        local tokens, id = app:sign_in()
        local two = app:refresh(id, tokens.refresh_token).json.refresh_token
        local three = app:refresh(id, two).json.refresh_token
        assert.equal(200, app:refresh(id, three).status)
        s:stop()
        s = oauth.start({ workspace = s.workspace, port = s.port })
        app = oauth.new(s)
        assert.equal(200, app:refresh(id, tokens.refresh_token).status)
    end)

    it("A49 A35 a refresh is bound to the client; its resource may be written otherwise; scope never grows", function()
        local tokens, id = app:sign_in({ resource = origin .. "/" })
        local other = app:client({ client_name = "Other" })
        refused(app:refresh(other, tokens.refresh_token), "invalid_grant")
        refused(app:refresh(id, tokens.refresh_token, nil, { Host = "localhost:" .. s.port }), "invalid_grant")
        refused(app:refresh(id, tokens.refresh_token, { resource = "https://other.example" }), "invalid_target")
        for _, resource in ipairs({ origin, origin .. "/mcp", origin .. "/mcp/" }) do
            assert.equal(200, app:refresh(id, tokens.refresh_token, { resource = resource }).status)
        end
        assert.equal("mcp", app:refresh(id, tokens.refresh_token, { scope = "mcp admin offline_access" }).json.scope)
        assert.equal("mcp", app:refresh(id, tokens.refresh_token, { scope = "openid" }).json.scope)
        local both, whose = app:sign_in({ scope = "mcp offline_access" })
        assert.equal("mcp offline_access", both.scope)
        assert.equal("mcp", app:refresh(whose, both.refresh_token, { scope = "mcp" }).json.scope)
        local made = app:register({ token_endpoint_auth_method = "client_secret_post" }).json
        local theirs = app:exchange(made.client_id, app:code(made.client_id), { client_secret = made.client_secret }).json
        refused(app:refresh(made.client_id, theirs.refresh_token), "invalid_client", 401)
        assert.equal(200, app:refresh(made.client_id, theirs.refresh_token, { client_secret = made.client_secret }).status)
    end)

    it("A50 what is wrong with a refresh is invalid_grant, invalid_client or invalid_target", function()
        for _, token in ipairs({ "", "x", ("x"):rep(5000), "sr1.e30.AAAA", "\xFF", app:access() }) do
            refused(app:refresh(client, token), "invalid_grant")
        end
        refused(app:refresh(client, false), "invalid_grant")
        refused(app:post("/oauth/token", { grant_type = "password", client_id = client }), "unsupported_grant_type")
        refused(app:post("/oauth/token", { client_id = client }), "invalid_request")
    end)

    it("A47 A48 an expired refresh token is refused, and a family ends for good", function()
        local function token(ms, finish)
            return app:mint([[return artifact.make("refresh", { f = "family", b = now, x = artifact.now() + tonumber(args[3]),
                h = args[1], c = artifact.fingerprint(args[2]), s = "mcp", g = 1,
                e = math.min(artifact.now() + 7776000, artifact.now() + tonumber(args[3])) })]], ms, origin, client, finish)
        end
        local day = 86400000
        assert.equal(200, app:refresh(client, token(-89 * day, "31536000")).status)
        refused(app:refresh(client, token(-91 * day, "31536000")), "invalid_grant")
        refused(app:refresh(client, token(-day, "80000")), "invalid_grant")
        local last = app:refresh(client, token(0, "1000")).json
        assert.is_true(last.expires_in <= 1000)
    end)

    it("A51 revocation: either token ends the family, whoever holds it; what is unknown is 200", function()
        for _, kind in ipairs({ "access_token", "refresh_token" }) do
            local tokens, id = app:sign_in()
            local response = app:post("/oauth/revoke", { token = tokens[kind], token_type_hint = "anything", client_id = id })
            assert.same({ 200, "no-store" }, { response.status, response.headers["cache-control"] })
            assert.equal(401, app:ping(tokens.access_token).status)
            refused(app:refresh(id, tokens.refresh_token), "invalid_grant")
            assert.equal(200, app:post("/revoke", { token = tokens[kind] }).status)
        end
        assert.equal(200, app:post("/oauth/revoke", { token = "unknown" }).status)
        refused(app:post("/oauth/revoke", {}), "invalid_request")
        assert.equal(200, app:post("/oauth/revoke", '{"token":"x"}', { ["Content-Type"] = "application/json" }).status)
    end)

    it("A54 failed calls are limited by address and only they; the answer is OAuth's", function()
        local from = { ["X-Forwarded-For"] = "203.0.113.50" }
        local statuses = {}
        for _ = 1, 122 do
            local response = app:exchange(client, "x", nil, from)
            statuses[#statuses + 1] = response.status
            if response.status == 429 then
                refused(response, "too_many_requests", 429)
                assert.matches("^%d+$", response.headers["retry-after"])
            end
        end
        assert.same({ 400, 400, 429 }, { statuses[1], statuses[120], statuses[121] })
        local metrics = exposition.read(s:request({ path = "/metrics" }).body)
        assert.equal(2, exposition.value(metrics, "sandstorm_limited_total", { what = "token calls" }))
        assert.equal(200, app:exchange(client, app:code(client), nil, from).status)
        refused(app:exchange(client, "x", nil, { ["X-Forwarded-For"] = "203.0.113.51" }), "invalid_grant")
    end)
end)

describe("Lifetimes", function()
    it("A47 A48 nothing that a sign-in gives outlives it, however often it is refreshed", function()
        local s = oauth.start({ env = { SANDSTORM_GRANT_TTL = "3600" } })
        local app = oauth.new(s)
        local function claims(text)
            return app:mint([[
                local payload = args[1]:match("^s%l1%.([%w_-]+)%.")
                return require("json").decode(require("crypto").unbase64url(payload))
            ]], 0, text)
        end
        local tokens, id = app:sign_in()
        local finish = claims(tokens.refresh_token).x
        for _ = 1, 2 do
            local refresh, access = claims(tokens.refresh_token), claims(tokens.access_token)
            assert.same({ finish, finish, finish }, { refresh.x, refresh.e, access.e })
            assert.is_true(tokens.expires_in <= 3600)
            tokens = app:refresh(id, tokens.refresh_token).json
        end
        s:stop()
    end)

    it("A47 can be set, but never to less than ten minutes", function()
        local s = oauth.start({ env = { SANDSTORM_ACCESS_TTL = "600" } })
        assert.equal(600, oauth.new(s):sign_in().expires_in)
        s:stop()
        local run = program.run({ args = { "serve" }, env = { SANDSTORM_MCP_TOKEN = "spec-token-0123456789",
            SANDSTORM_ACCESS_TTL = "599" } })
        assert.equal(1, run.code)
        assert.matches("SANDSTORM_ACCESS_TTL: expected a whole number from 600 to 2592000", run.stderr)
    end)
end)

describe("sandstorm-mcp token", function()
    local s, app

    before_each(function()
        s = oauth.start()
        app = oauth.new(s)
    end)
    after_each(function() s:stop() end)

    local function token(...)
        local env = { SANDSTORM_MCP_TOKEN = s.token, SANDSTORM_MCP_PORT = tostring(s.port) }
        env.SANDSTORM_STATE_DIR = s.workspace .. "/.sandstorm-mcp"
        return program.run({ args = { "token", ... }, env = env, workspace = s.workspace })
    end

    it("A51 lists who signed in, with first and last use, and ends one while the server runs", function()
        assert.equal("No grants.\n", token("list").stdout)
        local one, two = app:sign_in(), app:sign_in()
        local unused = token("list").stdout
        assert.matches("Spec +app%.example +%d+-%d+-%d+ %d+:%d+ +never +%d+%-%d+%-%d+ %d+:%d+\n", unused)
        app:ping(one.access_token)
        local list = token("list").stdout
        assert.matches("Spec +app%.example +%d+-%d+-%d+ %d+:%d+ +%d+-%d+-%d+ %d+:%d+ +%d+%-%d+%-%d+ %d+:%d+\n", list)
        local id
        for line in list:gmatch("[^\n]+") do id = not line:find("never") and line:match("^([%w_-]+) +Spec") or id end
        assert.equal("Revoked: Spec\n", token("revoke", id).stdout)
        assert.same({ 401, 200 }, { app:ping(one.access_token).status, app:ping(two.access_token).status })
        assert.matches(id .. " .*revoked", token("list").stdout)
    end)

    it("A51 ends all; what comes after counts again", function()
        local tokens, id = app:sign_in()
        assert.equal(0, token("revoke", "all").code)
        assert.same({ 401, 200 }, { app:ping(tokens.access_token).status, app:ping(s.token).status })
        assert.matches("\n%x+ +Spec [^\n]* revoked\n$", token("list").stdout)
        assert.equal("invalid_grant", app:refresh(id, tokens.refresh_token).json.error)
        assert.equal(200, app:ping(app:sign_in().access_token).status)
    end)

    it("A51 generates a token for a script, which is a grant like others", function()
        local made = token("generate", "backup", "2")
        assert.equal(0, made.code, made.stderr)
        local bearer = made.stdout:gsub("\n", "")
        assert.equal(200, app:ping(bearer).status)
        local id = token("list").stdout:match("\n([%w_-]+) +backup +command line")
        assert.equal(0, token("revoke", id).code)
        assert.equal(401, app:ping(bearer).status)
    end)

    it("A51 names of strangers do nothing to the terminal, and columns stay columns", function()
        app:sign_in()
        local id = app:client({ client_name = "a\27]0;x\7\u{202E}b\n日本" })
        app:exchange(id, app:code(id))
        local head, plain, odd = token("list").stdout:match("^([^\n]*)\n([^\n]*)\n([^\n]*)\n$")
        assert.matches("^%x+  a%?%]0;x%?%?b 日本 +app%.example ", odd)
        local column = head:find("CODE WENT TO", 1, true)
        assert.same({ column, column }, { plain:find("app.example", 1, true), utf8.len(odd:match("^(.-)app%.example")) + 1 })
    end)

    it("A51 what root makes belongs to the user of the server, and who may not read is told so", function()
        assert.equal(0, token("generate", "mine").code)
        local state = s.workspace .. "/.sandstorm-mcp"
        if tmp.shell("id -u") ~= "0\n" then return end -- only root can be two users
        tmp.shell(("chown nobody %s && rm %s/grants"):format(state, state))
        assert.equal(0, token("generate", "theirs").code)
        assert.equal("nobody 600\n", tmp.shell(("stat -c '%%U %%a' %s/grants"):format(state)))
    end)

    it("says what is wrong", function()
        local id = program.run({ args = { "token", "generate", "x" }, env = { SANDSTORM_MCP_TOKEN = s.token,
            SANDSTORM_STATE_DIR = s.workspace .. "/.sandstorm-mcp" } }) and token("list").stdout:match("\n(%x+) +x ")
        for _, case in ipairs({
            { { "revoke", id:sub(1, 6) }, "did you mean " .. id .. " %(x%)" }, { { "revoke", "" }, "there is no grant" },
            { { "list", "x" }, "one word too many" }, { { "generate", "a", "1", "https://x.example", "y" }, "one word too many" },
            { { "generate", "" }, "expected a name" }, { { "generate", "x", "1.5" }, "DAYS" },
            { { "generate", "x", "1", "ftp://x" }, "URL" }, { { "generate", "x", "1", "https://x.example/mcp" }, "URL" },
            { { "revoke" }, "expected an id" }, { { "revoke", "nobody" }, "there is no grant" }, { { "generate" },
                "expected a name" },
            { { "generate", "x", "0" }, "DAYS" }, { { "generate", "x", "many" }, "DAYS" }, { { "other" },
                "sandstorm%-mcp token list" },
        }) do
            local run = token(table.unpack(case[1]))
            assert.equal(1, run.code)
            assert.matches(case[2], run.stderr)
        end
        assert.equal("Revoked: x\n", token("revoke", id).stdout)
        assert.equal("Was revoked before: x\n", token("revoke", id).stdout)
        assert.matches("token generate NAME", token().stdout)
        assert.matches("^[%w_-]+\n$", token("secret").stdout)
        assert.is_true(#token("secret").stdout >= 43)
    end)

    it("A51 without a folder that can be written nothing is made that could not be revoked; a list that cannot be read stops",
        function()
        local env = { SANDSTORM_MCP_TOKEN = s.token, SANDSTORM_STATE_DIR = "/proc/none" }
        local run = program.run({ args = { "token", "generate", "x" }, env = env })
        assert.same({ 1, "" }, { run.code, run.stdout })
        assert.matches("cannot be written: .*could not be revoked", run.stderr)
        env.SANDSTORM_STATE_DIR = tmp.dir("state")
        tmp.shell("ln -s loop " .. env.SANDSTORM_STATE_DIR .. "/grants") -- root could read any file
        run = program.run({ args = { "token", "list" }, env = env })
        assert.equal(1, run.code)
        assert.matches("cannot be read: ", run.stderr)
        env.SANDSTORM_MCP_PORT = "0"
        run = program.run({ args = { "serve" }, env = env })
        assert.equal(1, run.code)
        assert.matches("/grants: .*it says whose access ended", run.stderr)
    end)

    it("A51 the file is closed to others, bounded, and forgives a line that a crash cut off", function()
        local tokens = app:sign_in()
        local path = s.workspace .. "/.sandstorm-mcp/grants"
        assert.equal("600\n", tmp.shell("stat -c %a " .. path))
        tmp.shell("printf '{\"op\":\"revo' >> " .. path .. "; printf '\\nno json\\n[1]\\n{\"op\":\"revoke\"}\\n' >> " .. path)
        assert.equal(200, app:ping(tokens.access_token).status)
        local lines = {}
        for number = 1, 12000 do
            lines[number] = GRANT:format(number, number)
        end
        tmp.write(path .. ".more", table.concat(lines, "\n"))
        tmp.shell(("cat %s.more >> %s"):format(path, path))
        assert.equal(200, app:ping(app:sign_in().access_token).status)
        assert.is_true(tonumber(tmp.shell("stat -c %s " .. path)) < 1048576)
        assert.equal(200, app:ping(tokens.access_token).status)
    end)

    it("A51 what could not be written down is, as soon as that can be done, and outlives the server", function()
        local tokens, others = app:sign_in(), app:sign_in()
        local path = s.workspace .. "/.sandstorm-mcp/grants"
        local limit = ("prlimit --pid %d --fsize="):format(s.process.pid)
        tmp.shell(limit .. #tmp.read(path) .. ":unlimited")
        local before = tmp.read(path)
        local answer = app:post("/oauth/revoke", { token = tokens.refresh_token })
        assert.same({ 503, "temporarily_unavailable" }, { answer.status, answer.json.error })
        assert.same({ 401, before }, { app:ping(tokens.access_token).status, tmp.read(path) })
        tmp.shell(("cp %s %s.copy && mv %s.copy %s"):format(path, path, path, path)) -- as who writes it anew does
        assert.equal(401, app:ping(tokens.access_token).status)
        tmp.shell(limit .. "unlimited:unlimited")
        assert(program.wait_until(function()
            app:ping(others.access_token)
            return tmp.read(path):find('"op":"revoke"', 1, true)
        end, 100))
        s:kill()
        s = oauth.start({ workspace = s.workspace, port = s.port })
        app = oauth.new(s)
        assert.same({ 401, 200 }, { app:ping(tokens.access_token).status, app:ping(others.access_token).status })
    end)

    it("A51 a list that somebody takes away is made again as it was", function()
        local tokens = app:sign_in()
        app:post("/oauth/revoke", { token = tokens.refresh_token })
        os.remove(s.workspace .. "/.sandstorm-mcp/grants")
        assert.equal(200, app:ping(app:sign_in().access_token).status)
        assert.equal(401, app:ping(tokens.access_token).status)
    end)

    it("A51 what was revoked stays so when the list is full", function()
        local tokens = app:sign_in()
        app:post("/oauth/revoke", { token = tokens.refresh_token })
        local path, lines = s.workspace .. "/.sandstorm-mcp/grants", {}
        for number = 1, 3000 do
            lines[number] = GRANT:format(number, 9999999999999)
        end
        tmp.write(path .. ".more", table.concat(lines, "\n") .. "\n")
        tmp.shell(("cat %s.more >> %s"):format(path, path))
        assert.equal(401, app:ping(tokens.access_token).status)
    end)
end)
