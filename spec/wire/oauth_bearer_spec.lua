local cjson = require("cjson")
local exposition = require("spec.support.exposition")
local mcp = require("spec.support.mcp")
local oauth = require("spec.support.oauth")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

local OLD = cjson.decode(tmp.read("spec/fixtures/parity/tokens.json"))
local DAY_MS = 86400000

describe("Access tokens of v0.1.0", function()
    local s, app

    setup(function()
        s = oauth.start({ token = OLD.secret })
        app = oauth.new(s)
    end)
    teardown(function() s:stop() end)

    --- A token of v0.1.0 with any payload, signed with the raw secret.
    local function sign(payload)
        return app:mint([[
            local crypto = require("crypto")
            return crypto.base64url(crypto.secret_hmac(args[1])) .. "." .. crypto.base64url(args[1])
        ]], 0, payload)
    end

    local function now_ms() return os.time() * 1000 end

    it("A01 the recorded ones are made as these are, so that what holds for these holds for them", function()
        local ours = 0
        for _, sample in ipairs(OLD.access_tokens) do
            if sample.secret == OLD.secret then
                assert.equal(sample.token, sign(sample.payload), sample.what)
                ours = ours + 1
            else
                assert.equal(401, app:ping(sample.token).status, sample.what)
            end
        end
        assert.is_true(ours > 0)
    end)

    it("A01 A02 what they must say, and when they end", function()
        local function status(payload) return app:ping(sign(payload)).status end
        local function at(ms) return ('{"t":%d,"c":"x","k":"access"}'):format(now_ms() + ms) end
        assert.equal(200, status(at(0)))
        assert.equal(200, status(at(-29 * DAY_MS)))
        assert.equal(200, status(at(240000)))
        assert.equal(200, status(('{ "k" : "access", "t":%d,  "c":"\\u00fc", "more":[1] }'):format(now_ms())))
        for _, payload in ipairs({
            at(-30 * DAY_MS - 60000), at(360000), at(-400 * DAY_MS), '{"t":"1","c":"x","k":"access"}', "[]", "null", "{}", "x",
            ('{"t":%d.5,"c":"x","k":"access"}'):format(now_ms()), ('{"t":%d,"c":1,"k":"access"}'):format(now_ms()),
            ('{"t":%d,"k":"access"}'):format(now_ms()), ('{"t":%d,"c":"x"}'):format(now_ms()),
            ('{"t":%d,"c":"x","k":"code"}'):format(now_ms()), ('{"t":%d,"c":"x","k":"access"'):format(now_ms()),
            '{"t":-1,"c":"x","k":"access"}', '{"c":"x","k":"access"}',
        }) do
            assert.equal(401, status(payload), payload)
        end
    end)

    it("A02 a token has one text only", function()
        local good = sign(('{"t":%d,"c":"xy","k":"access"}'):format(now_ms()))
        local signature, payload = good:match("^(.*)%.(.*)$")
        assert.equal(43, #signature)
        assert.equal(200, app:ping(good).status)
        local last = signature:sub(-1)
        local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        local place = alphabet:find(last, 1, true)
        local stray = alphabet:sub(place + 1, place + 1) -- the same bytes with a stray bit behind them
        for name, text in pairs({
            padded = signature .. "=." .. payload, ["padded payload"] = good .. "=", ["stray bits"] = signature:sub(1, -2) ..
                stray .. "." .. payload,
            ["a dot more"] = good .. ".", ["three parts"] = good .. ".x", ["no signature"] = "." .. payload,
                ["no payload"] = signature .. ".",
            ["another alphabet"] = signature .. "." .. payload:gsub(".$", "+"), ["something behind it"] = good .. "A",
            ["a short signature"] = signature:sub(2) .. "." .. payload, ["too long"] = good .. ("A"):rep(60000),
            ["swapped"] = payload .. "." .. signature,
        }) do
            assert.equal(401, app:ping(text).status, name)
        end
    end)

    it("A01 the switch turns them off, A03 the raw secret stays", function()
        local good = sign(('{"t":%d,"c":"x","k":"access"}'):format(now_ms()))
        local other = oauth.start({ token = OLD.secret, env = { SANDSTORM_OLD_TOKENS = "off" } })
        local with = oauth.new(other)
        assert.same({ 401, 200 }, { with:ping(good).status, with:ping(OLD.secret).status })
        other:stop()
    end)

    it("A51 whoever holds one can end it, and ends no other with it", function()
        local one, two = sign(('{"t":%d,"c":"held","k":"access"}'):format(now_ms())),
            sign(('{"t":%d,"c":"other","k":"access"}'):format(now_ms()))
        local signature = one:match("^(.*)%.")
        for _, text in ipairs({ one .. "A", (one:gsub("^.", "-")), signature .. "." .. two:match("%.(.*)$") }) do
            assert.equal(200, app:post("/oauth/revoke", { token = text }).status)
        end
        assert.equal(200, app:ping(one).status)
        assert.equal(200, app:post("/oauth/revoke", { token = one }).status)
        assert.same({ 401, 200 }, { app:ping(one).status, app:ping(two).status })
    end)

    it("A51 one can be revoked alone, and they end with all others", function()
        local one, two = sign(('{"t":%d,"c":"one","k":"access"}'):format(now_ms())),
            sign(('{"t":%d,"c":"two","k":"access"}'):format(now_ms()))
        local function token(...)
            local env = { SANDSTORM_STATE_DIR = s.workspace .. "/.sandstorm-mcp" }
            return program.run({ args = { "token", ... }, env = env, workspace = s.workspace })
        end
        local before = token("list").stdout
        assert.equal(200, app:ping(one).status)
        local id
        for line in token("list").stdout:gmatch("[^\n]+") do
            local seen = line:match("^(old%-[%w_-]+)")
            if seen and not before:find(seen, 1, true) then id = seen end
        end
        assert.equal(0, token("revoke", id).code)
        assert.same({ 401, 200 }, { app:ping(one).status, app:ping(two).status })
        assert.equal(0, token("revoke", "all").code)
        assert.same({ 401, 200 }, { app:ping(two).status, app:ping(OLD.secret).status })
    end)

    it("are listed in a file that another process may hold locked for ever: an error says so, nobody waits for it", function()
        local grants = s.workspace .. "/.sandstorm-mcp/grants"
        local held = program.run({
            wrap = { "flock", grants }, args = { "token", "generate", "held", "1" },
            env = { SANDSTORM_STATE_DIR = s.workspace .. "/.sandstorm-mcp", SANDSTORM_MCP_TOKEN = s.token },
            workspace = s.workspace,
        })
        assert.equal(1, held.code)
        assert.matches("cannot be written", held.stderr)
        assert.is_nil(tmp.read(grants):find("held", 1, true))
    end)
end)

describe("Access tokens", function()
    local s, app

    setup(function()
        s = oauth.start()
        app = oauth.new(s)
    end)
    teardown(function() s:stop() end)

    it("A06 one of another kind is refused everywhere: the full matrix", function()
        local tokens, id = app:sign_in()
        local code = app:code(id)
        local form = oauth.blob(app:page(id))
        local secret = app:register({ token_endpoint_auth_method = "client_secret_post" }).json.client_secret
        local kinds = {
            access = tokens.access_token, refresh = tokens.refresh_token, code = code, client = id, form = form, secret = secret,
        }
        for kind, text in pairs(kinds) do
            local seen = {
                access = app:ping(text).status == 200,
                refresh = app:refresh(id, text).status == 200,
                code = kind ~= "code" and app:exchange(id, text).status == 200,
                client = app:page(text).status == 200,
                form = app:decide(text).status == 302,
            }
            for place, passed in pairs(seen) do
                if place ~= "code" then assert.equal(place == kind, passed, kind .. " as " .. place) end
            end
            assert.is_false(seen.code)
        end
        assert.equal(200, app:exchange(id, code).status)
        local old = cjson.decode(tmp.read("spec/fixtures/parity/tokens.json")).codes[1].code
        assert.same({ 401, 400 }, { app:ping(old).status, app:exchange(id, old).status })
    end)

    it("A02 a token has one text only", function()
        local good = app:sign_in().access_token
        for name, text in pairs({
            padded = good .. "=", ["a dot more"] = good .. ".", ["behind it"] = good .. "A",
                ["another letter"] = good:gsub("^sa", "sr"),
            ["no prefix"] = good:sub(5), ["no signature"] = good:match("^(.*%.)"), ["a blank"] = good:gsub("%.", ". ", 1),
            ["another version"] = good:gsub("^sa1", "sa2"), upper = good:upper(),
        }) do
            assert.equal(401, app:ping(text).status, name)
        end
    end)

    it("A18 an expired one is told so; a forged one is not valid", function()
        local function why(token) return app:ping(token).headers["www-authenticate"]:match('error_description="([^"]*)"') end
        assert.equal(200, app:ping(app:access()).status)
        assert.equal("The access token has expired", why(app:access(nil, -3700000)))
        local metrics = exposition.read(s:request({ path = "/metrics" }).body)
        assert.equal(1, exposition.value(metrics, "sandstorm_auth_total", { area = "mcp", outcome = "expired" }))
        assert.equal("The access token is not valid here", why(app:access({ kind = "refresh" })))
        local challenge = app:ping("x").headers["www-authenticate"]
        assert.matches('^Bearer error="invalid_token", error_description="[^="]*", resource_metadata="[^"]+", scope="mcp"$',
            challenge)
    end)

    it("A02 one of ours that lacks what it must say is refused, and so is one that is far too long", function()
        local function status(name, value)
            return app:ping(app:mint([[
                local claims = { f = "family", h = args[1], b = now, e = now // 1000 + 3600, s = "mcp" }
                local name, value = args[2], args[3]
                claims[name] = tonumber(value) or value
                return artifact.make("access", claims)]], 0, ("http://127.0.0.1:%d"):format(s.port), name, value)).status
        end
        assert.equal(200, status("s", "mcp"))
        for _, wrong in ipairs({ "f=1", "f=", "h=1", "b=x", "e=x", "e=9999999999.5" }) do
            assert.equal(401, status(wrong:match("^(.)=(.*)$")), wrong)
        end
        assert.equal(401, app:ping("sa1." .. ("A"):rep(60000) .. "." .. ("A"):rep(43)).status)
    end)

    it("A52 what was begun with one grant is neither seen nor continued with another", function()
        local first, second = app:sign_in().access_token, app:sign_in().access_token
        local session = mcp.session(s, "2025-11-25", {}, nil, first)
        assert.is_table(session:result("tools/list").tools)
        session.token = second
        assert.equal(404, select(2, session:failure("tools/list")))
        session.token = first
        assert.is_table(session:result("tools/list").tools)
    end)

    it("A52 a token for another address is refused", function()
        assert.equal(401, app:ping(app:access({ h = "https://other.example" })).status)
        assert.equal(401, app:ping(app:access(), { Host = "localhost:" .. s.port }).status)
        assert.equal(401, app:ping(app:access(), { Host = "evil.example" }).status)
    end)

    it("A08 tokens, clients and refresh tokens outlive a restart; A44 codes do not", function()
        local tokens, id = app:sign_in()
        local code = app:code(id)
        s:stop()
        s = oauth.start({ workspace = s.workspace, port = s.port })
        app = oauth.new(s)
        assert.equal(200, app:ping(tokens.access_token).status)
        assert.equal(200, app:page(id).status)
        assert.equal(200, app:refresh(id, tokens.refresh_token).status)
        assert.same({ 400, "invalid_grant" }, { app:exchange(id, code).status, app:exchange(id, code).json.error })
    end)

    it("A05 A08 without a folder to write to they outlive a restart all the same", function()
        local function start(port) return oauth.start({ port = port, env = { SANDSTORM_STATE_DIR = "/proc/none" } }) end
        local first = start()
        local with = oauth.new(first)
        local tokens, id = with:sign_in()
        first:stop()
        local second = start(first.port)
        with = oauth.new(second)
        assert.equal(200, with:ping(tokens.access_token).status)
        assert.equal(200, with:refresh(id, tokens.refresh_token).status)
        -- Refused from here on, but that could not be written down.
        assert.equal(503, with:post("/oauth/revoke", { token = tokens.refresh_token }).status)
        assert.equal(401, with:ping(tokens.access_token).status)
        second:stop()
    end)

    it("A05 keys come from secret and key file: another of either refuses everything; the file is closed to others", function()
        local tokens, id = app:sign_in()
        assert.equal("600\n", tmp.shell("stat -c %a " .. s.workspace .. "/.sandstorm-mcp/key"))
        local folder = tmp.dir("other")
        for _, change in ipairs({
            { token = "another-secret-0123456789", workspace = s.workspace,
                env = { SANDSTORM_PUBLIC_URL = "http://127.0.0.1:" .. s.port } },
            { env = { SANDSTORM_STATE_DIR = folder, SANDSTORM_PUBLIC_URL = "http://127.0.0.1:" .. s.port } },
        }) do
            local other = oauth.start(change)
            local with = oauth.new(other)
            assert.equal(401, with:ping(tokens.access_token).status)
            assert.equal(400, with:page(id).status)
            assert.same({ 401, "invalid_client" }, { with:refresh(id, tokens.refresh_token).status,
                with:refresh(id, tokens.refresh_token).json.error })
            other:stop()
        end
        local twin = oauth.start({ workspace = s.workspace, env = { SANDSTORM_PUBLIC_URL = "http://127.0.0.1:" .. s.port } })
        assert.equal(200, oauth.new(twin):ping(tokens.access_token).status)
        assert.equal(200, oauth.new(twin):page(id).status) -- A26
        twin:stop()
    end)

    it("A03 a secret is bytes: one beyond ASCII is a bearer and a password", function()
        local secret = "g\xC3\xA9heimnis-\xFF-\xE6\x97\xA5\xE6\x9C\xAC"
        local other = oauth.start({ token = secret })
        local with = oauth.new(other)
        assert.equal(200, with:ping(secret).status)
        assert.equal(401, with:ping(secret:sub(1, -2)).status)
        local id = with:client()
        assert.equal(302, with:decide(oauth.blob(with:page(id))).status)
        local tokens = with:exchange(id, with:code(id)).json
        assert.equal(200, with:ping(tokens.access_token).status)
        other:stop()
    end)

    it("A04 no server starts without a secret, and a short one is warned of", function()
        for _, secret in ipairs({ "", false }) do
            local run = program.run({ args = { "serve" }, env = { SANDSTORM_MCP_TOKEN = secret, MCP_AUTH_TOKEN = secret } })
            assert.equal(1, run.code)
            assert.matches("SANDSTORM_MCP_TOKEN", run.stderr)
        end
        local short = oauth.start({ token = "0123456789abcde" })
        assert.matches("WARNING: the secret has fewer than 16 characters", short.process:stderr())
        short:stop()
        assert.equal("", s.process:stderr())
    end)

    it("A19 a token in the query is no token, and neither are two headers", function()
        local token = app:access()
        assert.equal(401, app:ping(nil, nil, "/mcp?access_token=" .. token).status)
        local connection = s:connect()
        local response = connection:request({ method = "POST", path = "/mcp", headers = {
            { "Authorization", "Bearer " .. token }, { "Authorization", "Bearer " .. token }, { "Content-Type",
                "application/json" },
        } })
        connection:close()
        assert.equal(401, response.status)
    end)

    it("A17 comes before method, body and Accept, for every method but OPTIONS", function()
        for _, method in ipairs({ "GET", "HEAD", "POST", "DELETE", "PUT", "PATCH" }) do
            local headers = { Authorization = "Bearer x", Accept = "image/png", ["Content-Type"] = "text/plain" }
            local connection = s:connect()
            local response = connection:request({ method = method, path = "/mcp", headers = headers, body = "no json" })
            connection:close()
            assert.equal(401, response.status, method)
            assert.matches("resource_metadata=", response.headers["www-authenticate"])
        end
        assert.equal(204, app:request("OPTIONS", "/mcp").status)
    end)
end)

describe("Limits of bearers", function()
    local s, app

    before_each(function()
        s = oauth.start({ env = { SANDSTORM_RATE_LIMIT = false } })
        app = oauth.new(s)
    end)
    after_each(function() s:stop() end)

    --- Statuses of `count` pings on one connection, as {[status] = count}, and the last response.
    local function many(count, bearer, forwarded)
        local connection, seen, response = s:connect(), {}, nil
        local headers = { Authorization = "Bearer " .. bearer, ["Content-Type"] = "application/json",
            ["X-Forwarded-For"] = forwarded }
        for _ = 1, count do
            response = connection:request({ method = "GET", path = "/mcp", headers = headers })
            seen[response.status] = (seen[response.status] or 0) + 1
        end
        connection:close()
        return seen, response
    end

    it("A54 only failures of one address are counted, and a valid bearer always passes", function()
        local seen, last = many(310, "wrong", "203.0.113.7")
        assert.same({ [401] = 300, [429] = 10 }, seen)
        assert.equal("too_many_requests", cjson.decode(last.body).error)
        assert.matches("^%d+$", last.headers["retry-after"])
        assert.same({ [405] = 5 }, (many(5, s.token, "203.0.113.7")))
        assert.same({ [401] = 1 }, (many(1, "wrong", "203.0.113.8")))
        assert.same({ [401] = 1 }, (many(1, "wrong", "203.0.113.7, 203.0.113.9"))) -- the last hop counts
        assert.equal(401, app:get("/mcp", { ["X-Forwarded-For"] = "203.0.113.7" }).status) -- without a bearer: discovery
    end)

    it("A54 an IPv6 caller is its /64", function()
        local total = 0
        for block = 1, 31 do
            local seen = many(10, "wrong", ("2001:db8:1:2:%x::1"):format(block))
            total = total + (seen[401] or 0)
        end
        assert.equal(300, total)
        assert.same({ [401] = 1 }, (many(1, "wrong", "[2001:db8:1:3::1]:443")))
    end)

    it("A54 guesses at the session API's token count as well, whoever has it passes; all is told by /metrics", function()
        local connection, seen = s:connect(), {}
        local function ask(bearer, from)
            local response = connection:request({ method = "DELETE", path = "/session/none", headers = {
                Authorization = bearer, ["X-Forwarded-For"] = from } })
            seen[response.status] = (seen[response.status] or 0) + 1
            return response
        end
        for _ = 1, 305 do ask("Bearer wrong", "203.0.113.20") end
        assert.same({ [401] = 300, [429] = 5 }, seen)
        assert.equal(401, ask(nil, "203.0.113.20").status)
        assert.equal(404, ask("Bearer " .. s.token, "203.0.113.20").status)
        assert.same({ [429] = 1 }, (many(1, "wrong", "203.0.113.20"))) -- one count for both
        connection:close()
        local metrics = exposition.read(s:request({ path = "/metrics" }).body)
        assert.equal(6, exposition.value(metrics, "sandstorm_limited_total", { what = "bearers" }))
    end)

    it("A54 IPv4 addresses that a proxy writes in the way of IPv6 are counted one by one", function()
        assert.same({ [401] = 300, [429] = 1 }, (many(301, "wrong", "::ffff:203.0.113.30")))
        assert.same({ [401] = 1 }, (many(1, "wrong", "::ffff:203.0.113.31")))
        assert.same({ [429] = 1 }, (many(1, "wrong", "203.0.113.30")))
    end)

    it("A55 successes are not limited unless the operator says so, and then each grant for itself", function()
        assert.same({ [405] = 1500 }, (many(1500, s.token)))
        local other = oauth.start({ env = { SANDSTORM_RATE_LIMIT = "20" } })
        local with = oauth.new(other)
        local one, two = with:sign_in().access_token, with:sign_in().access_token
        local seen = {}
        for _ = 1, 22 do seen[#seen + 1] = with:ping(one).status end
        local limited = with:ping(one)
        assert.same({ 200, 200, 429, 429 }, { seen[1], seen[20], seen[21], seen[22] })
        assert.equal("too_many_requests", limited.json.error)
        assert.is_truthy(limited.headers["retry-after"])
        assert.equal(200, with:ping(two).status)
        local metrics = exposition.read(other:request({ path = "/metrics" }).body)
        assert.equal(3, exposition.value(metrics, "sandstorm_limited_total", { what = "calls" }))
        other:stop()
    end)
end)
