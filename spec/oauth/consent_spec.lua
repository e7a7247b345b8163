local fake_oauth = require("spec.support.fake_oauth")

describe("oauth.consent", function()
    local consent

    setup(function()
        fake_oauth.install()
        consent = require("oauth.consent")
    end)

    local function page(changes, problem)
        local asked = { client = "id", kind = "registered", name = "App", redirect = "https://app.example/cb", trust = "claimed" }
        for name, value in pairs(changes or {}) do asked[name] = value end
        return consent.page(fake_oauth.ORIGIN, asked, "the.blob", problem)
    end

    local function says(body, ...)
        for _, words in ipairs({ ... }) do assert.is_truthy(body:find(words, 1, true), words .. " is not in " .. body) end
    end

    it("asks for the token of the server, and brings the request back", function()
        local status, body, headers = page()
        assert.equal(200, status)
        says(body, 'method="post" action="/oauth/authorize"', 'name="request" value="the.blob"', 'type="password"',
            'value="allow"', 'value="deny" formnovalidate')
        assert.equal("text/html; charset=utf-8", headers["Content-Type"])
    end)

    for kind, case in pairs({
        ["a website"] = { "https://app.example:8443/cb", "app.example:8443", "The website that receives the code" },
        ["a program on this computer"] =
            { "http://127.0.0.1:7/cb", "127.0.0.1:7", "A program on the computer", "Any program here" },
        ["an app of a device"] = { "cursor://x/cb", "cursor://x/cb", "Whichever app on this device", "Any app here" },
    }) do
        it("says that the code goes to " .. kind, function()
            local _, body = page({ redirect = case[1] })
            says(body, ">" .. case[2] .. "<", table.unpack(case, 3))
        end)
    end

    it("warns of names that nobody vouches for, of old registrations first", function()
        says(select(2, page()), "claim", "The name is not verified.")
        says(select(2, page({ kind = "old", redirect = "http://127.0.0.1/" })), "Its name is not known.", "An old registration.")
        local _, body = page({ kind = "document", client = "https://app.example/x.json", trust = "described", verified = true })
        says(body, "app.example")
        assert.is_nil(body:find('class="note"', 1, true))
    end)

    it("says who vouches for the name", function()
        local document = { kind = "document", client = "https://app.example/x.json" }
        for trust, words in pairs({ known = "Known to this server, and described by app.example.",
            described = "The name is what app.example says of itself." }) do
            document.trust = trust
            says(select(2, page(document)), words)
        end
        document.trust = "claimed"
        says(select(2, page(document)), "The name is not verified.")
    end)

    it("leaves what strangers wrote text", function()
        for _, redirect in ipairs({ fake_oauth.REDIRECT, "app:/cb" }) do
            local _, body = page({ name = '"><script>', redirect = redirect })
            assert.is_nil(body:find("<script>", 1, true))
            says(body, "&quot;&gt;&lt;script&gt;")
        end
    end)

    it("says what is wrong at the field that is wrong", function()
        local status, body = page({}, { status = 401, text = "That is <not> it." })
        assert.equal(401, status)
        says(body, 'role="alert">That is &lt;not&gt; it.', 'aria-invalid="true"', "<title>Wrong token")
        assert.is_nil(select(2, page()):find('aria-invalid="true"', 1, true))
    end)

    it("sends back with a page for who is not sent", function()
        local status, body, headers = consent.back(fake_oauth.ORIGIN, 'app:/cb?a=1&b="', "Done", "You <can> go.")
        assert.same({ 302, 'app:/cb?a=1&b="' }, { status, headers.Location })
        says(body, 'href="app:/cb?a=1&amp;b=&quot;"', "<h1>Done</h1>", "You &lt;can&gt; go.")
    end)
end)
