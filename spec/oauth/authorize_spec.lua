local fake_oauth = require("spec.support.fake_oauth")

describe("oauth.authorize", function()
    local host, authorize, form, id

    before_each(function()
        host = fake_oauth.install()
        authorize, form = require("oauth.authorize"), require("oauth.form")
        id = fake_oauth.client()
    end)

    --- Opens the page; `changes` are parameters.
    local function show(changes)
        local fields = { { "response_type", "code" }, { "client_id", id }, { "redirect_uri", fake_oauth.REDIRECT },
            { "state", "st\xFFate" }, { "code_challenge", ("c"):rep(43) } }
        local request = fake_oauth.post({})
        request.method, request.query = "GET", form.write(fields) .. (changes or "")
        return authorize.handle(request)
    end

    local function blob() return (select(2, show())):match('name="request" value="([^"]+)"') end

    --- Sends the form; `change(request)` may change the request.
    local function decide(fields, headers, change)
        local all = { request = blob(), password = host.crypto.SECRET, decision = "allow" }
        for name, value in pairs(fields or {}) do all[name] = value or nil end
        local request = fake_oauth.post(all, headers)
        if change then change(request) end
        return authorize.handle(request)
    end

    --- Where an answer sends the browser, and with what.
    local function sent(status, _, headers)
        assert.equal(302, status)
        local address, query = headers.Location:match("^([^?]*)%?(.*)$")
        return address, form.parse(query).values
    end

    it("shows who wants in and changes nothing", function()
        local status, body, headers = show()
        assert.equal(200, status)
        assert.is_truthy(body:find("app.example", 1, true))
        assert.is_nil(headers.Location)
        assert.same({}, host.grants.list())
    end)

    it("turns the right token into a code for this client, address and challenge", function()
        local address, values = sent(decide())
        assert.same({ fake_oauth.REDIRECT, "st\xFFate", fake_oauth.ORIGIN }, { address, values.state, values.iss })
        local artifact = require("oauth.artifact")
        local claims = artifact.read("code", values.code)
        assert.same({ ("c"):rep(43), fake_oauth.REDIRECT, fake_oauth.ORIGIN, "mcp", 1796000060, artifact.fingerprint(id) },
            { claims.q, claims.r, claims.h, claims.s, claims.e, claims.c })
    end)

    it("takes the token with what was pasted around it", function()
        assert.equal(302, (decide({ password = "\t " .. host.crypto.SECRET .. " \r\n" })))
    end)

    it("asks again after a wrong token, with the same form", function()
        for password, said in pairs({ wrong = "That is not the token", [""] = "Enter the server token.",
            [host.crypto.SECRET .. "x"] = "That is not the token" }) do
            local status, body, headers = decide({ password = password })
            assert.equal(401, status, password)
            assert.is_nil(headers.Location)
            assert.is_truthy(body:find('name="request"', 1, true))
            assert.is_truthy(body:find(said, 1, true), body)
        end
    end)

    it("counts wrong tokens of a network, not empty ones, and then waits even with the right one", function()
        for _ = 1, 10 do decide({ password = "" }) end
        for _ = 1, 5 do assert.equal(401, (decide({ password = "wrong" }))) end
        local status, _, headers = decide()
        assert.same({ 429, "60" }, { status, headers["Retry-After"] })
        assert.equal(302, (decide({}, {}, function(request) request.network = "192.0.2.2" end)))
    end)

    it("answers slowly while many networks guess", function()
        for number = 1, 31 do
            decide({ password = "wrong" }, {}, function(request) request.network = "n" .. number end)
        end
        local before = host.now
        assert.equal(302, (decide()))
        assert.equal(1000, host.now - before)
    end)

    it("notes each outcome, in the audit log apart from what only somebody did who knew the token", function()
        table.remove(host.audited) -- the registration of the client
        local bounded, first = {}, #host.lines + 1
        host.audit.write_bounded = function(fields) bounded[#bounded + 1] = fields end
        decide()
        decide({ decision = "deny" })
        for _ = 1, 6 do decide({ password = "wrong" }) end
        show("&scope=a&scope=b")
        show("&redirect_uri=https%3A%2F%2Fevil.example%2F")
        local function told(list, from)
            local lines = {}
            for _, line in ipairs({ table.unpack(list, from or 1) }) do
                local fields = line.fields or line
                lines[#lines + 1] = ("%s (%s, %s)"):format(line.message or line.action, fields.redirect, fields.reason)
            end
            return table.concat(lines, "\n")
        end
        local granted, wrong = "authorization granted (app.example, nil)", "authorization refused (app.example, wrong token)\n"
        local others = "authorization denied (app.example, nil)\n" .. wrong:rep(5)
            .. "authorization refused (app.example, too many wrong tokens)\n"
            .. "authorization refused (app.example, invalid_request)\n"
            .. "authorization refused (nil, The address lacks a redirect_uri, or has more than one.)"
        assert.same({ granted, others }, { told(host.audited), told(bounded) })
        assert.equal(granted .. "\n" .. others, told(host.lines, first))
    end)

    it("tells the client of a no, for which nobody needs the token", function()
        local address, values = sent(decide({ decision = "deny", password = false }))
        assert.same({ fake_oauth.REDIRECT, "access_denied", "st\xFFate" }, { address, values.error, values.state })
        assert.is_nil(values.code)
    end)

    for why, headers in pairs({
        ["another site"] = { ["sec-fetch-site"] = "cross-site" },
        ["another origin"] = { origin = "https://evil.example" },
        ["an origin that only begins like this one"] = { origin = "https://mcp.example.evil.example" },
        ["what is no origin"] = { origin = "https://mcp.example/mcp" },
    }) do
        it("takes no form from " .. why .. ", whatever it holds", function()
            for _, decision in ipairs({ "allow", "deny" }) do
                local status, _, answered = decide({ decision = decision }, headers)
                assert.equal(403, status)
                assert.is_nil(answered.Location)
            end
        end)
    end

    it("takes the form from its own page, and where the browser does not say", function()
        assert.equal(302, (decide({}, { origin = "https://mcp.example", ["sec-fetch-site"] = "same-origin" })))
        assert.equal(302, (decide({}, { origin = "null" })))
    end)

    it("takes no other content, and no form that was changed, has expired or belongs to another server", function()
        assert.equal(400, (decide({}, { ["content-type"] = "application/json" })))
        local good = blob()
        for _, request in ipairs({ false, "", "x", good:sub(1, -2) .. (good:sub(-1) == "A" and "B" or "A") }) do
            assert.equal(400, (decide({ request = request })))
        end
        assert.equal(400, (decide({ request = fake_oauth.code(id) })))
        assert.equal(400, (decide({}, {}, function(request) request.origin = "https://other.example" end)))
        host.now = host.now + 599999
        assert.equal(302, (decide({ request = good })))
        host.now = host.now + 1
        local status, body = decide({ request = good })
        assert.equal(400, status)
        assert.matches("expired", body)
    end)

    it("tells the client what is wrong where it may be told, and otherwise the person", function()
        local address, values = sent(show("&scope=a&scope=b"))
        assert.same({ fake_oauth.REDIRECT, "invalid_request" }, { address, values.error })
        local status, _, headers = show("&redirect_uri=https%3A%2F%2Fevil.example%2F")
        assert.same({ 400 }, { status, headers.Location })
    end)

    it("says when it cannot tell where it was reached", function()
        local request = fake_oauth.post({})
        request.query, request.origin, request.host = "", nil, "<b>"
        for _, method in ipairs({ "GET", "POST" }) do
            request.method = method
            local status, body = authorize.handle(request)
            assert.equal(400, status)
            assert.is_truthy(body:find("&lt;b&gt;", 1, true))
        end
    end)

    it("has a page for what goes wrong in the server, and grants nothing then", function()
        host.crypto.secret_is = function() error("a bug with a detail") end
        local status, body, headers = decide()
        assert.same({ 500, nil }, { status, headers.Location })
        assert.is_nil(body:find("a bug", 1, true))
        assert.matches("a bug with a detail", host.lines[#host.lines].fields.reason)
        local request = fake_oauth.post({})
        authorize.handle(request)
        assert.equal(500, (request.on_stop("stopped: too long")))
    end)

    it("writes no token and no code into the log", function()
        local _, values = sent(decide())
        decide({ password = "a wrong token" })
        for _, secret in ipairs({ host.crypto.SECRET, values.code, "a wrong token" }) do
            assert.is_nil(require("json").encode({ host.lines, host.audited }):find(secret, 1, true))
        end
    end)
end)
