local exposition = require("spec.support.exposition")
local oauth = require("spec.support.oauth")
local tmp = require("spec.support.tmp")
local uv = require("luv")

local LOOPBACK = "http://localhost:4711/callback"

describe("The authorization endpoint", function()
    local s, app, origin, client

    setup(function()
        s = oauth.start()
        app, origin = oauth.new(s), ("http://127.0.0.1:%d"):format(s.port)
        client = app:client({ client_name = "Spec <app>", redirect_uris = { oauth.REDIRECT, LOOPBACK, "https://q.example/cb?a=1",
            "cursor://anysphere.cursor-mcp/oauth/callback" } })
    end)
    teardown(function() s:stop() end)

    --- It is a page for people, and sends nobody anywhere.
    local function is_page(response, status, text)
        assert.equal(status, response.status, response.body)
        assert.equal("text/html; charset=utf-8", response.headers["content-type"])
        assert.is_nil(response.headers.location)
        if text then assert.matches(text, response.body) end
    end

    --- It sends an error to the client.
    local function is_error(response, code, state)
        assert.equal(302, response.status, response.body)
        local told = oauth.query(response.headers.location)
        assert.same({ code, state, origin }, { told.error, told.state, told.iss })
        assert.is_nil(told.code)
    end

    it("A31 unknown clients and addresses get a page, never a redirect", function()
        is_page(app:page("unknown"), 400, "not registered")
        is_page(app:page(client, { redirect_uri = "https://evil.example/" }), 400, "did not register")
        is_page(app:page(client, { redirect_uri = "javascript:alert(1)" }), 400)
        is_page(app:page(client, { redirect_uri = false }), 400)
        is_page(app:page(false), 400)
        is_page(app:page(client .. "x"), 400)
        is_page(app:get("/oauth/authorize"), 400)
        is_page(app:get("/oauth/authorize?%zz"), 400)
    end)

    it("A31 GET and HEAD change nothing: the same address works again and again", function()
        for _ = 1, 3 do is_page(app:page(client), 200) end
        local connection = s:connect()
        local query = oauth.form({ client_id = client, redirect_uri = oauth.REDIRECT, response_type = "code",
            code_challenge = oauth.CHALLENGE })
        local response = connection:request({ method = "HEAD", path = "/oauth/authorize?" .. query, host = "127.0.0.1:" ..
            s.port })
        connection:close()
        assert.same({ 200, "" }, { response.status, response.body })
    end)

    it("A31 later errors go to the client with state and iss", function()
        is_error(app:page(client, { response_type = "token" }), "unsupported_response_type", "state-1")
        is_error(app:page(client, { response_type = false, state = false }), "invalid_request")
    end)

    it("A32 the address must be a registered one; on loopback the port and an empty path do not count", function()
        local mine = app:client({ redirect_uris = { "http://localhost/callback", "http://127.0.0.1:33418",
            "https://a.example/cb" } })
        for _, redirect in ipairs({ "http://localhost/callback", "http://localhost:51234/callback", "http://127.0.0.1:1/",
            "http://127.0.0.1", "https://a.example/cb" }) do
            assert.equal(200, app:page(mine, { redirect_uri = redirect }).status, redirect)
        end
        for _, redirect in ipairs({ "http://127.0.0.1/callback", "http://localhost/", "http://localhost/callback/",
            "http://localhost/callback?x=1", "https://a.example/cb/", "https://a.example:444/cb", "https://A.example/cb",
            "https://a.example/cb?x", "http://[::1]/callback", "https://localhost/callback" }) do
            is_page(app:page(mine, { redirect_uri = redirect }), 400)
        end
    end)

    it("A32 no way of writing another address is taken for a registered one", function()
        local mine = app:client({ redirect_uris = { "http://localhost/callback", "https://a.example/cb" } })
        for _, redirect in ipairs({
            "https://a.example./cb", "https://a.example/%63b", "https://a.example/cb%00", "https://a.example/x/../cb",
            "https://a.example:443/cb", "HTTPS://a.example/cb", "https://a.example//cb", "https://a.example/cb#",
            "https://a.example/cb?", "https://a.example\\@evil.example/cb", "https://u@a.example/cb",
            "https://a.example@evil.example/cb", "https://a.example.evil.example/cb",
            "https://evil.example/https://a.example/cb", "https://a\u{AD}.example/cb",
            "https://\u{FF41}.example/cb", "http://a.example/cb", " https://a.example/cb", "https://a.example/cb\n",
            "http://localhost./callback", "http://LOCALHOST/callback", "http://localhost:1@evil.example/callback",
            "http://localhost%00.evil.example/callback", "http://localhost.evil.example/callback", "http://localhost:/callback/",
            "http://localhost:99999/callback", "http://localhost:0x50/callback", "http://localhost:-1/callback",
            "http://127.1/callback", "http://[::ffff:127.0.0.1]/callback", "http://0.0.0.0/callback",
            "http://2130706433/callback", "http://localhost/Callback", "http://localhost//callback",
            "http://localhost/callback;x", "https://localhost/callback",
        }) do
            is_page(app:page(mine, { redirect_uri = redirect }), 400)
        end
    end)

    it("A33 S256 only, and a challenge of 43 characters, before a password is asked for", function()
        assert.equal(200, app:page(client, { code_challenge_method = false }).status)
        for _, changes in ipairs({
            { code_challenge_method = "plain" }, { code_challenge_method = "s256" }, { code_challenge_method = "" },
            { code_challenge = false }, { code_challenge = "" }, { code_challenge = oauth.CHALLENGE .. "A" },
            { code_challenge = oauth.CHALLENGE:sub(2) }, { code_challenge = (oauth.CHALLENGE:gsub("^.", "=")) },
        }) do
            is_error(app:page(client, changes), "invalid_request", "state-1")
        end
    end)

    it("A34 repeated parameters are invalid, unknown ones do not matter, state comes back as it was", function()
        local base = { client_id = client, redirect_uri = oauth.REDIRECT, response_type = "code",
            code_challenge = oauth.CHALLENGE }
        local function get(more)
            local fields = { table.unpack(more) }
            for name, value in pairs(base) do fields[#fields + 1] = { name, value } end
            return app:get("/oauth/authorize?" .. oauth.form(fields))
        end
        for _, name in ipairs({ "response_type", "state", "scope", "code_challenge", "resource", "code_challenge_method" }) do
            local again = base[name] and {} or { { name, "x" } }
            again[#again + 1] = { name, base[name] or "x" }
            is_error(get(again), "invalid_request", name == "state" and "x" or nil)
        end
        is_page(get({ { "client_id", client } }), 400)
        is_page(get({ { "redirect_uri", oauth.REDIRECT } }), 400)
        is_page(get({ { "prompt", "consent" }, { "prompt", "x" }, { "nonce", "1" }, { "login_hint", "x" } }), 200)
        is_error(get({ { "response_mode", "fragment" } }), "invalid_request")
        is_page(get({ { "response_mode", "query" } }), 200)
        for _, state in ipairs({ "", "a b&c=d#e?f", "ümläut 日本", "\xFF\xFE", "a+b", "%41", "<b>\"'", ("s"):rep(4096) }) do
            local location = app:decide(oauth.blob(app:page(client, { state = state }))).headers.location
            assert.equal(state, oauth.query(location .. "&").state or "", state)
            assert.matches("[?&]state=", location)
            assert.not_matches("[^%w%-._~:/?&=%%]", location)
        end
        is_error(app:page(client, { state = ("s"):rep(4097) }), "invalid_request")
        assert.not_matches("state=", app:decide(oauth.blob(app:page(client, { state = false }))).headers.location)
    end)

    it("A34 any scope is accepted; granted is mcp, and offline_access if asked", function()
        for asked, granted in pairs({ ["openid email profile"] = "mcp", ["mcp offline_access"] = "mcp offline_access",
            [""] = "mcp",
            ["offline_access"] = "mcp offline_access", ['""'] = "mcp" }) do
            local scope = { scope = asked }
            assert.equal(granted, app:exchange(client, app:code(client, scope)).json.scope)
        end
    end)

    it("A35 the resource is this server's, however it is written", function()
        for _, resource in ipairs({ origin, origin .. "/", origin .. "/mcp", origin .. "/mcp/", (origin:gsub("^http",
            "HTTP")) }) do
            assert.equal(200, app:page(client, { resource = resource }).status, resource)
        end
        for _, resource in ipairs({ "https://127.0.0.1:" .. s.port, "http://127.0.0.1", origin .. "/x", origin .. "/mcp?x", "",
            origin .. "/mcp#x", "http://evil.example/mcp", "x", "http://u@127.0.0.1:" .. s.port, origin .. ".evil.example" }) do
            is_error(app:page(client, { resource = resource }), "invalid_target", "state-1")
        end
    end)

    it("A36 the form trusts nothing but its protected part", function()
        local blob = oauth.blob(app:page(client))
        local answer = app:decide(blob, { client_id = "x", redirect_uri = "https://evil.example/", state = "other", scope = "y" })
        assert.matches("^" .. oauth.REDIRECT:gsub("%p", "%%%0") .. "%?code=", answer.headers.location)
        assert.equal("state-1", oauth.query(answer.headers.location).state)
        local broken = (blob:gsub("....$", "AAAA"))
        for _, bad in ipairs({ broken, "", "x", blob:sub(1, -2), blob .. "A", (blob:gsub("^sf1", "so1")) }) do
            is_page(app:decide(bad), 400, "connect again")
        end
        is_page(app:post("/oauth/authorize", { password = s.token }), 400)
        is_page(app:decide(blob, nil, { Host = "localhost:" .. s.port }), 400)
    end)

    it("A34 A36 the longest of everything at once signs in", function()
        local redirect = "https://a.example/" .. ("r"):rep(2030)
        local long = app:client({ redirect_uris = { redirect }, client_name = ("\u{65E5}"):rep(33) })
        local state = ("s"):rep(4096) -- and all of it within the 8 KB of a request target
        local changes = { redirect_uri = redirect, state = state, scope = ("mcp "):rep(64), resource = origin .. "/mcp" }
        local function post(fields) return app:post("/oauth/token", fields) end
        local page = app:page(long, changes)
        assert.equal(200, page.status, page.body)
        local answer = app:decide(oauth.blob(page))
        assert.equal(302, answer.status, answer.body)
        local told = oauth.query(answer.headers.location)
        assert.equal(state, told.state)
        assert.equal(200, post({ grant_type = "authorization_code", code = told.code, client_id = long, redirect_uri = redirect,
            code_verifier = oauth.VERIFIER }).status)
    end)

    it("A36 it can be used for ten minutes", function()
        local function made(ms)
            return app:mint([[return artifact.make("form", { h = args[1], client = args[2], kind = "registered", name = "n",
                redirect = args[3], challenge = args[4], scope = "mcp", e = artifact.now() + 600 })]],
                ms, origin, client, oauth.REDIRECT, oauth.CHALLENGE)
        end
        assert.equal(302, app:decide(made(-590000)).status)
        is_page(app:decide(made(-610000)), 400, "This page has expired")
    end)

    it("A37 says who asks, where the code goes, what access means, and warns", function()
        local page = app:page(client, { redirect_uri = LOOPBACK }).body
        assert.matches("Give “<bdi>Spec &lt;app&gt;</bdi>” access", page)
        assert.matches('<b dir="ltr">localhost:4711</b>', page)
        assert.matches("A shell on this host", page)
        assert.matches("Any program here could be asking", page)
        local custom = app:page(client, { redirect_uri = "cursor://anysphere.cursor-mcp/oauth/callback" }).body
        assert.matches('<b dir="ltr">cursor://anysphere.cursor%-mcp/oauth/callback</b>', custom)
        assert.matches("Any app here could be asking", custom)
        assert.matches("The name is not verified", app:page(client).body)
        local known = app:page("https://claude.ai/oauth/mcp-oauth-client-metadata",
            { redirect_uri = "https://claude.ai/api/mcp/auth_callback" }).body
        assert.matches("Give “<bdi>Claude</bdi>” access", known)
        assert.not_matches('class="note"', known)
    end)

    it("A37 hidden and turning characters in a name are shown for what they are", function()
        local id = app:client({ client_name = "A\u{202E}B\u{200F}\u{2066}C</h1><script>x" })
        local page = app:page(id).body
        assert.matches("Give “<bdi>A%?B%?%?C&lt;/h1&gt;&lt;script&gt;x</bdi>” access", page)
    end)

    it("A37 Deny tells the client, and needs no token", function()
        is_error(app:decide(oauth.blob(app:page(client)), { decision = "deny", password = false }), "access_denied", "state-1")
    end)

    it("A38 the form is a form, small, and comes from its own page", function()
        local blob = oauth.blob(app:page(client))
        for _, headers in ipairs({ { Origin = "https://evil.example" }, { Origin = "http://127.0.0.1" }, { Origin = origin ..
            "/" },
            { Origin = origin .. ".evil.example" }, { ["Sec-Fetch-Site"] = "cross-site" }, { Origin = "x" }, { Origin = "" },
            { Origin = origin, ["Sec-Fetch-Site"] = "cross-site" } }) do
            is_page(app:decide(blob, nil, headers), 403, "another page")
        end
        for _, headers in ipairs({ { Origin = origin }, { Origin = "null" }, { Origin = origin,
            ["Sec-Fetch-Site"] = "same-origin" },
            { ["Sec-Fetch-Site"] = "none" }, { ["Content-Type"] = "Application/X-WWW-Form-Urlencoded; charset=utf-8" } }) do
            assert.equal(302, app:decide(blob, nil, headers).status)
        end
        for _, kind in ipairs({ "application/json", "multipart/form-data; boundary=x", "text/plain", "" }) do
            is_page(app:decide(blob, nil, { ["Content-Type"] = kind }), 400)
        end
        assert.equal(413, app:decide(blob, { more = ("x"):rep(16384) }).status)
        is_page(app:post("/oauth/authorize", "%%%"), 400)
        assert.is_nil(app:page(client).headers["set-cookie"])
    end)

    it("A39 the way back is a 302 with code, state and iss behind whatever query is there", function()
        local answer = app:decide(oauth.blob(app:page(client, { redirect_uri = "https://q.example/cb?a=1" })))
        assert.equal(302, answer.status)
        local told = oauth.query(answer.headers.location)
        assert.matches("^https://q%.example/cb%?a=1&code=", answer.headers.location)
        assert.same({ "1", "state-1", origin }, { told.a, told.state, told.iss })
    end)

    it("A40 headers of every page", function()
        local blob = oauth.blob(app:page(client))
        for name, response in pairs({
            consent = app:page(client), wrong = app:decide(blob, { password = "" }), unknown = app:page("x"),
                expired = app:decide("x"),
            back = app:decide(blob), denied = app:decide(blob, { decision = "deny" }),
        }) do
            local headers = response.headers
            local nonce = headers["content-security-policy"]:match("^default%-src 'none'; style%-src 'nonce%-([%w_-]+)'; " ..
                "base%-uri 'none'; frame%-ancestors 'none'$")
            assert.is_string(nonce, name)
            assert.matches('<style nonce="' .. nonce:gsub("%p", "%%%0") .. '">', response.body)
            assert.same({ "DENY", "nosniff", "same-origin", "no-store" }, { headers["x-frame-options"],
                headers["x-content-type-options"], headers["referrer-policy"], headers["cache-control"] })
            assert.is_nil(headers["cross-origin-opener-policy"])
            assert.is_nil(headers["access-control-allow-origin"]) -- A58
            assert.not_matches("<script", response.body)
            assert.not_matches(" on%w+=", response.body)
            assert.not_matches(" style=", response.body)
            assert.not_matches("src=", response.body)
            assert.not_matches("url%(", response.body)
        end
        assert.not_equal(app:page(client).headers["content-security-policy"], app:page(client).headers["content-security-policy"])
    end)

    it("A41 works with password managers, and a pasted token may have blanks around it", function()
        local page = app:page(client)
        assert.matches('<input type="password"[^>]*autofocus', page.body)
        assert.matches('autocomplete="current%-password"', page.body)
        assert.equal(302, app:decide(oauth.blob(page), { password = " \t" .. s.token .. "\r\n" }).status)
        local wrong = app:decide(oauth.blob(page), { password = "wrong" })
        is_page(wrong, 401, "not the token")
        assert.matches("Give “<bdi>Spec &lt;app&gt;</bdi>” access", wrong.body)
        assert.equal(302, app:decide(oauth.blob(wrong)).status)
    end)
end)

describe("When the server itself is at fault", function()
    it("A31 A40 people get a page, the log has the reason, and nothing is granted", function()
        local library = tmp.dir("library")
        tmp.shell("cp -r lib/. " .. library)
        tmp.write(library .. "/oauth/consent.lua", [[
            local function fail() error("broken for the spec") end return { page = fail, back = fail }]])
        local s = oauth.start({ env = { SANDSTORM_LIBRARY = library } })
        local app = oauth.new(s)
        local page = app:page(app:client())
        assert.equal(500, page.status)
        assert.equal("text/html; charset=utf-8", page.headers["content-type"])
        assert.matches("<h1>Something went wrong here</h1>", page.body)
        assert.matches("frame%-ancestors 'none'", page.headers["content-security-policy"])
        assert.not_matches("broken for the spec", page.body)
        s:wait_log(function(line) return line.level == "ERROR" and line.reason:find("broken for the spec", 1, true) end)
        s:stop()
    end)
end)

describe("Guessing the token", function()
    it("A53 five a minute for an address or an IPv6 /64, then a page with Retry-After; others and bearers go on", function()
        local s = oauth.start()
        local app = oauth.new(s)
        local client = app:client()
        local blob = oauth.blob(app:page(client))
        local function try(from, password) return app:decide(blob, { password = password }, { ["X-Forwarded-For"] = from }) end
        for _ = 1, 5 do assert.equal(401, try("203.0.113.1", "wrong").status) end
        local refused = try("203.0.113.1", s.token)
        assert.equal(429, refused.status)
        assert.matches("^%d+$", refused.headers["retry-after"])
        assert.matches("Too many wrong tokens", refused.body)
        local metrics = exposition.read(s:request({ path = "/metrics" }).body)
        assert.equal(1, exposition.value(metrics, "sandstorm_limited_total", { what = "passwords" }))
        assert.equal(302, try("203.0.113.2", s.token).status)
        assert.equal(302, try("203.0.113.1, 203.0.113.3", s.token).status)
        assert.equal(200, app:ping(s.token, { ["X-Forwarded-For"] = "203.0.113.1" }).status)
        for host = 1, 5 do assert.equal(401, try("2001:db8:0:9::" .. host, "wrong").status) end
        assert.equal(429, try("2001:db8:0:9:8::1", s.token).status)
        assert.equal(302, try("2001:db8:0:a::1", s.token).status)
        assert.equal(401, try("2001:db8:0:a::1", "\xFF wrong").status)
        s:stop()
    end)

    it("A53 what a peer that is not trusted says of addresses does not count", function()
        local s = oauth.start({ env = { FORWARDED_ALLOW_IPS = "203.0.113.77" } })
        local app = oauth.new(s)
        local blob = oauth.blob(app:page(app:client()))
        local function try(from) return app:decide(blob, { password = "wrong" }, { ["X-Forwarded-For"] = from }).status end
        for number = 1, 5 do assert.equal(401, try("198.51.100." .. number)) end
        assert.equal(429, try("198.51.100.99"))
        s:stop()
    end)

    it("A53 many addresses at once only slow it down: nobody is locked out, and other requests do not wait", function()
        local s = oauth.start()
        local app = oauth.new(s)
        local blob = oauth.blob(app:page(app:client()))
        for host = 1, 31 do
            app:decide(blob, { password = "wrong" }, { ["X-Forwarded-For"] = "198.51.100." .. host })
        end
        local body = oauth.form({ request = blob, password = s.token })
        local slow, since = s:connect(), uv.hrtime()
        slow:send(("POST /oauth/authorize HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Forwarded-For: 192.0.2.1\r\n" ..
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s"):format(s.port, #body, body))
        assert.equal(200, app:ping(s.token).status)
        assert.equal(302, slow:read_response().status)
        assert.is_true(uv.hrtime() - since >= 1e9, "it did not wait a second")
        slow:close()
        s:stop()
    end)
end)
