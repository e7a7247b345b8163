local caddy = require("spec.support.caddy")
local cjson = require("cjson")
local oauth = require("spec.support.oauth")
local program = require("spec.support.program")
local socket = require("socket")
local stand_in = require("spec.support.stand_in")

local METADATA = "/.well-known/oauth-authorization-server"

describe("Behind Caddy", function()
    local s, proxy, origin

    setup(function()
        s = oauth.start()
        proxy = caddy.start(caddy.proxy(s.port))
        origin = "https://localhost:" .. proxy.port
    end)
    teardown(function()
        proxy:stop()
        s:stop()
    end)

    for name, option in pairs({ ["HTTP/1.1"] = "--http1.1", ["HTTP/2"] = "--http2" }) do
        it("A61 every address is https, and what clients forge has no effect, over " .. name, function()
            local answer = proxy:curl(METADATA, option, "-H", "X-Forwarded-Proto: http", "-H", "X-Forwarded-Host: evil.example",
                "-H", "X-Forwarded-For: 203.0.113.1", "-H", "Forwarded: proto=http;host=evil.example")
            assert.equal(name, "HTTP/" .. (answer.version == "2" and "2" or answer.version))
            local document = cjson.decode(answer.body)
            assert.equal(origin, document.issuer)
            for member, value in pairs(document) do
                if member:find("endpoint$") then assert.equal(origin, value:match("^(https://[^/]+)/")) end
            end
            local refused = proxy:curl("/mcp", option, "-X", "POST")
            assert.equal(401, refused.status)
            assert.matches('resource_metadata="' .. origin:gsub("%p", "%%%0"), refused.headers["www-authenticate"])
            assert.equal("*", answer.headers["access-control-allow-origin"])
        end)

        it("A61 A21 a hostile authority is refused over " .. name, function()
            for _, host in ipairs({ "localhost:1?", "localhost:1#x", "x@y", "localhost:1/x?", "[" }) do
                assert.equal(400, proxy:curl("/mcp", option, "-H", "Host: " .. host).status, host)
            end
        end)

        it("A61 somebody signs in over " .. name, function()
            local function post(path, fields) return proxy:curl(path, option, "--data", oauth.form(fields)) end
            local registered = proxy:curl("/oauth/register", option, "-H", "Content-Type: application/json", "--data",
                '{"client_name":"c","redirect_uris":["https://app.example/callback"]}')
            local id = cjson.decode(registered.body).client_id
            local page = proxy:curl("/oauth/authorize?" .. oauth.form({ client_id = id, redirect_uri = oauth.REDIRECT,
                response_type = "code", code_challenge = oauth.CHALLENGE }), option)
            local answer = proxy:curl("/oauth/authorize", option, "-H", "Origin: " .. origin, "--data",
                oauth.form({ request = oauth.blob(page), password = s.token }))
            assert.equal(302, answer.status)
            local told = oauth.query(answer.headers.location)
            assert.equal(origin, told.iss)
            local tokens = post("/oauth/token", { grant_type = "authorization_code", code = told.code, client_id = id,
                redirect_uri = oauth.REDIRECT, code_verifier = oauth.VERIFIER })
            assert.equal(200, tokens.status)
            local access = cjson.decode(tokens.body).access_token
            local function ping(host)
                return proxy:curl("/mcp", option, "-H", "Authorization: Bearer " .. access, "-H",
                    "Content-Type: application/json",
                    "-H", host or "X-None: 1", "--data", '{"jsonrpc":"2.0","id":1,"method":"ping"}').status
            end
            assert.equal(200, ping())
        end)
    end

    it("A53 the proxy's address is not the client's: what clients claim to be is dropped", function()
        local app = oauth.new(s)
        local page = proxy:curl("/oauth/authorize?" .. oauth.form({ client_id = app:client(), redirect_uri = oauth.REDIRECT,
            response_type = "code", code_challenge = oauth.CHALLENGE }))
        local function try(claimed)
            return proxy:curl("/oauth/authorize", "-H", "X-Forwarded-For: " .. claimed, "--data",
                oauth.form({ request = oauth.blob(page), password = "wrong" })).status
        end
        for number = 1, 5 do assert.equal(401, try("203.0.113." .. number)) end
        assert.equal(429, try("203.0.113.99"))
    end)
end)

describe("Behind a proxy that does not pass Host on", function()
    it("A61 the public URL is what counts, and so it is on plain loopback", function()
        local s = oauth.start({ env = { SANDSTORM_PUBLIC_URL = "https://mcp.example.com" } })
        local app = oauth.new(s)
        local upstream = { Host = "127.0.0.1:" .. s.port, ["X-Forwarded-Proto"] = "https", ["X-Real-IP"] = "203.0.113.1" }
        assert.equal("https://mcp.example.com", app:get(METADATA, upstream).json.issuer)
        local tokens = app:sign_in()
        assert.equal(200, app:ping(tokens.access_token, upstream).status)
        s:stop()
        local plain = oauth.start()
        local issuer = oauth.new(plain):get(METADATA).json.issuer
        plain:stop()
        assert.equal("http://127.0.0.1:" .. plain.port, issuer)
    end)
end)

describe("Clients that describe themselves at an address (CIMD)", function()
    local s, app, web, base

    local function site(port)
        local origin = "https://localhost:" .. port
        local function respond(path, body, status, header, kind)
            local block = "    handle %s {\n        header Content-Type %s\n%s        respond `%s` %d\n    }\n"
            return block:format(path, kind or "application/json", header or "", body, status or 200)
        end
        local function document(path, more)
            local members = { client_id = origin .. path, client_name = "Fetched",
                redirect_uris = { "https://app.example/callback" } }
            for name, value in pairs(more or {}) do members[name] = value end
            return cjson.encode(members)
        end
        return ("https://localhost:%d {\n    tls internal\n"):format(port) ..
            respond("/good.json", document("/good.json")) ..
            respond("/wide.json", document("/wide.json", { client_name = "\u{202E} Wide\27[1m " }), 200, nil,
                '"Application/vnd.x+JSON; charset=utf-8"') ..
            respond("/page.html", document("/page.html"), 200, nil, "text/html") ..
            respond("/plain.txt", document("/plain.txt"), 200, nil, '"text/plain; charset=utf-8"') ..
            respond("/other.json", document("/good.json")) ..
            respond("/nameless.json", document("/nameless.json", { client_name = false })) ..
            respond("/uris.json", document("/uris.json", { redirect_uris = { "http://evil.example/" } })) ..
            respond("/list.json", "[]") .. respond("/text.json", "hello") .. respond("/missing.json", "{}", 404) ..
            respond("/moved.json", "", 302, "        header Location " .. origin .. "/good.json\n") ..
            respond("/large.json", document("/large.json", { x = ("x"):rep(70000) })) .. "    respond 404\n}\n"
    end

    setup(function()
        web = caddy.start(site)
        base = "https://localhost:" .. web.port
        s = oauth.start({ env = { SANDSTORM_CA_FILE = web.ca, SANDSTORM_FETCH_PRIVATE = "localhost" } })
        app = oauth.new(s)
    end)
    teardown(function()
        s:stop()
        web:stop()
    end)

    it("A28 A30 a document is fetched, shown with its host, and signs in without a secret", function()
        local id = base .. "/good.json"
        local page = app:page(id)
        assert.equal(200, page.status, page.body)
        assert.matches("Give “<bdi>Fetched</bdi>” access", page.body)
        assert.matches("The name is what localhost:" .. web.port .. " says of itself", page.body)
        assert.matches("The name is not verified", page.body) -- its codes go to another host than its own
        local tokens = app:exchange(id, app:code(id))
        assert.equal(200, tokens.status)
        assert.equal(200, app:refresh(id, tokens.json.refresh_token).status)
        assert.equal(400, app:page(id, { redirect_uri = "https://evil.example/" }).status)
        assert.matches("Give “<bdi>localhost:%d+</bdi>” access", app:page(base .. "/nameless.json").body)
        assert.matches("Give “<bdi>%? Wide%?%[1m</bdi>” access", app:page(base .. "/wide.json").body)
    end)

    it("A30 what cannot be used is explained on a page: no 5xx and no redirect", function()
        for path, why in pairs({
            ["/other.json"] = "its client_id is another one", ["/uris.json"] = "redirect_uris%[0%]",
                ["/list.json"] = "no JSON object",
            ["/text.json"] = "no JSON object", ["/missing.json"] = "status 404", ["/moved.json"] = "status 302",
            ["/large.json"] = "too large", ["/page.html"] = "not served as", ["/plain.txt"] = "not served as",
        }) do
            local page = app:page(base .. path)
            assert.equal(400, page.status, path)
            assert.is_nil(page.headers.location)
            assert.matches("could not be used: [^<]*" .. why, page.body)
        end
    end)

    it("A30 it is remembered: a document that is gone serves on, and a failure is not tried again at once", function()
        local second = caddy.start(site)
        local id = ("https://localhost:%d/good.json"):format(second.port)
        local with = oauth.start({ env = { SANDSTORM_CA_FILE = second.ca, SANDSTORM_FETCH_PRIVATE = "localhost" } })
        local client = oauth.new(with)
        local missing = ("https://localhost:%d/missing.json"):format(second.port)
        assert.same({ 200, 400 }, { client:page(id).status, client:page(missing).status })
        second:stop()
        assert.equal(200, client:page(id).status)
        assert.matches("status 404", client:page(missing).body)
        with:stop()
    end)

    it("A30 two are fetched at a time; whoever comes meanwhile is told so, and is not refused afterwards; others do not wait",
        function()
        local deaf = assert(socket.bind("127.0.0.1", 0)) -- takes connections and never answers
        local stuck = ("https://localhost:%d/x"):format(select(2, deaf:getsockname()))
        local busy = {}
        for number = 1, 2 do
            busy[number] = s:connect()
            busy[number]:send(("GET /oauth/authorize?%s HTTP/1.1\r\nHost: x\r\n\r\n"):format(
                oauth.form({ client_id = stuck .. number, redirect_uri = oauth.REDIRECT })))
        end
        local id, refused, tries = nil, nil, 0
        program.wait_until(function()
            tries = tries + 1
            id = ("%s/late%d.json"):format(base, tries)
            refused = app:page(id)
            return refused.body:find("too many are being fetched", 1, true)
        end, 4)
        assert.matches("too many are being fetched", refused.body)
        assert.equal(200, app:get(METADATA).status)
        for _, connection in ipairs(busy) do
            local response = connection:read_response()
            assert.equal(400, response.status)
            assert.matches("could not be used", response.body)
            connection:close()
        end
        deaf:close()
        assert.equal(200, app:page(base .. "/nameless.json").status)
        assert.matches("status 404", app:page(id).body) -- now it was asked for
    end)

    it("A30 strangers cannot fill the memory with documents: they take the places of documents", function()
        local seen = program.lua(stand_in .. [[
            local kept, fakes = {}, {}
            fakes.shared = { get = function() end, put = function(key) kept[key] = true end }
            fakes.fetch = { get = function(id)
                return { status = 200, content_type = "application/json", cache_control = "",
                    body = require("json").encode({ client_id = id, redirect_uris = { "https://a.example/" } }) }
            end }
            local cimd, read, places = standing_in(fakes, "^oauth%.cimd$")("oauth.cimd"), 0, 0
            for number = 1, 3000 do read = read + (cimd.find("https://a.example/" .. number) and 1 or 0) end
            for _ in pairs(kept) do places = places + 1 end
            return { read, places }
        ]])
        assert.equal(3000, seen[1])
        assert.is_true(seen[2] <= 256)
    end)

    it("A30 a document is kept for 5 minutes to a day, a failure for 30 seconds, a full house not at all", function()
        assert.same({ 300000, 300000, 3600000, 86400000, 86400000, 300000, 30000, 30000, 0 }, program.lua(stand_in .. [[
            local header, body, busy, seen, fakes = "", nil, false, {}, {}
            fakes.shared = { get = function() end, put = function(_, _, ttl) seen[#seen + 1] = ttl end }
            fakes.fetch = { get = function(id)
                if busy then return nil, "busy", "EBUSY" end
                return { status = 200, content_type = "application/json", cache_control = header,
                    body = body or require("json").encode({ client_id = id, redirect_uris = { "https://a.example/" } }) }
            end }
            local cimd = standing_in(fakes, "^oauth%.cimd$")("oauth.cimd")
            for _, text in ipairs({ "", "max-age=1", "public, Max-Age=3600", "max-age=86401", "max-age=99999999999999999999",
                "no-store" }) do
                header = text
                cimd.find("https://a.example/x")
            end
            body = "{"
            cimd.find("https://a.example/x")
            body = "[]"
            cimd.find("https://a.example/x")
            busy = true
            cimd.find("https://a.example/x")
            seen[9] = #seen == 8 and 0 or seen[9]
            return seen
        ]]))
    end)

    it("A30 hosts on private networks are not asked, nor those with unknown certificates", function()
        local strict = oauth.start({ env = { SANDSTORM_CA_FILE = web.ca } })
        local page = oauth.new(strict):page(base .. "/good.json")
        strict:stop()
        assert.equal(400, page.status)
        assert.matches("not of the public internet", page.body)
        local unsure = oauth.start({ env = { SANDSTORM_FETCH_PRIVATE = "localhost" } })
        page = oauth.new(unsure):page(base .. "/good.json")
        unsure:stop()
        assert.equal(400, page.status)
        assert.matches("could not be used", page.body)
    end)

    it("A29 can be limited to the table of known clients, or turned off", function()
        for mode, known in pairs({ table = 200, off = 400 }) do
            local other = oauth.start({ env = { SANDSTORM_CIMD = mode, SANDSTORM_CA_FILE = web.ca,
                SANDSTORM_FETCH_PRIVATE = "localhost" } })
            local with = oauth.new(other)
            assert.equal(400, with:page(base .. "/good.json").status)
            assert.equal(known, with:page("https://claude.ai/oauth/claude-code-client-metadata",
                { redirect_uri = "http://localhost:50123/callback" }).status)
            assert.equal(mode == "table", with:get(METADATA).json.client_id_metadata_document_supported)
            other:stop()
        end
    end)

    it("A29 the table knows the clients that many people use", function()
        for id, redirect in pairs({
            ["https://claude.ai/oauth/mcp-oauth-client-metadata"] = "https://claude.com/api/mcp/auth_callback",
            ["https://claude.ai/oauth/claude-code-client-metadata"] = "http://127.0.0.1:61234/callback",
            ["https://vscode.dev/oauth/client-metadata.json"] = "http://127.0.0.1:33418/",
            ["https://chatgpt.com/oauth/abc_1/client.json"] = "https://chatgpt.com/connector/oauth/xyz",
        }) do
            assert.equal(200, app:page(id, { redirect_uri = redirect }).status, id)
            assert.equal(400, app:page(id, { redirect_uri = "https://evil.example/cb" }).status)
        end
        assert.equal(400, app:page("https://chatgpt.com/oauth/abc_1/client.json",
            { redirect_uri = "https://chatgpt.com/connector/oauth/x/y" }).status)
    end)

    it("A28 an id is https with a path, without fragment, user info and dot segments", function()
        local valid = program.lua([[
            local cimd, valid = require("oauth.cimd"), {}
            for position, id in ipairs({ ... }) do valid[position] = cimd.is_id(id) end
            return valid
        ]], { args = { "https://a.example/x", "https://a.example/x?y=1", "https://a.example:8443/a/b.json",
            "https://a.example", "https://a.example/", "http://a.example/x", "https://a.example/x#y", "https://u@a.example/x",
            "https://a.example/../x", "https://a.example/x/./y", "https://a.example/x/..", "https://a.example/%2e%2E/x",
                "HTTPS://a.example/x",
            "https:///x", "https://a.example/x y" } })
        for position, is in ipairs(valid) do assert.equal(position <= 3, is, "id " .. position) end
    end)

    it("A30 public is what the registries of special addresses do not list", function()
        local source = [[
            local fetch, seen = require("fetch"), {}
            for position, address in ipairs({ ... }) do seen[position] = fetch.is_public(address) end
            return seen
        ]]
        local function all(wanted, addresses)
            for position, is in ipairs(program.lua(source, { args = addresses })) do assert.equal(wanted, is,
                addresses[position]) end
        end
        all(true, { "1.1.1.1", "160.79.104.10", "172.15.0.1", "172.32.0.1", "192.167.1.1", "100.63.0.1", "100.128.0.1",
            "2606:4700::1",
            "2a00:1450::1", "2002:101:101::1", "::ffff:8.8.8.8", "64:ff9b::808:808" })
        all(false, { "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1", "192.0.2.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
                "224.0.0.1", "240.0.0.1",
            "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1", "2001::1",
                "2002:7f00:1::1",
            "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "::127.0.0.1", "3fff::1", "100::1", "fec0::1" })
    end)
end)
