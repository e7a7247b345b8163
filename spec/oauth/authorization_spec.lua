local fake_oauth = require("spec.support.fake_oauth")

describe("oauth.authorization", function()
    local authorization, form, id

    setup(function()
        fake_oauth.install()
        authorization, form = require("oauth.authorization"), require("oauth.form")
        id = fake_oauth.client()
    end)

    --- Reads a good request with changes; false takes a parameter away. `more` stands behind it.
    local function read(changes, more)
        local fields = {
            response_type = "code", client_id = id, redirect_uri = fake_oauth.REDIRECT, state = "s",
            code_challenge = ("c"):rep(43), code_challenge_method = "S256",
        }
        for name, value in pairs(changes or {}) do fields[name] = value end
        local list = {}
        for name, value in pairs(fields) do list[#list + 1] = { name, value or nil } end
        return authorization.read(fake_oauth.ORIGIN, form.write(list) .. (more or ""))
    end

    it("gives what is asked, by whom, and where the answer goes", function()
        local asked = assert(read())
        assert.same({ id, fake_oauth.REDIRECT, "s", ("c"):rep(43), "mcp", fake_oauth.ORIGIN },
            { asked.client.id, asked.redirect, asked.state, asked.challenge, asked.scope, asked.origin })
        assert.is_nil(read({ state = false }).state)
        assert.is_truthy(read({ code_challenge_method = false, response_mode = "query", resource = fake_oauth.ORIGIN .. "/mcp" }))
    end)

    for why, case in pairs({
        ["no client_id"] = { { client_id = false } },
        ["an empty client_id"] = { { client_id = "" } },
        ["two client_ids"] = { {}, "&client_id=x" },
        ["no redirect_uri"] = { { redirect_uri = false } },
        ["two redirect_uris"] = { {}, "&redirect_uri=https%3A%2F%2Fevil.example%2F" },
        ["an address that was not registered"] = { { redirect_uri = "https://evil.example/cb" } },
        ["an address that only begins like the registered one"] = { { redirect_uri = "https://app.example/cb/x" } },
        ["a scheme that runs something"] = { { redirect_uri = "javascript:alert(1)" } },
        ["an unknown client"] = { { client_id = "nobody" } },
        ["a percent sign that stands alone"] = { {}, "&x=%" },
    }) do
        it("sends nobody anywhere for " .. why, function()
            local asked, complaint = read(case[1], case[2])
            assert.is_nil(asked)
            assert.is_nil(complaint.redirect)
            assert.is_truthy(complaint.why)
        end)
    end

    for why, case in pairs({
        ["no response_type"] = { "invalid_request", { response_type = false } },
        ["another response_type"] = { "unsupported_response_type", { response_type = "token" } },
        ["another response_mode"] = { "invalid_request", { response_mode = "fragment" } },
        ["a foreign resource"] = { "invalid_target", { resource = "https://other.example/mcp" } },
        ["a scope without end"] = { "invalid_scope", { scope = ("x"):rep(2049) } },
        ["the plain challenge method"] = { "invalid_request", { code_challenge_method = "plain" } },
        ["no challenge"] = { "invalid_request", { code_challenge = false } },
        ["a challenge of another length"] = { "invalid_request", { code_challenge = ("c"):rep(44) } },
        ["a challenge that is no base64url"] = { "invalid_request", { code_challenge = ("c"):rep(42) .. "=" } },
        ["a parameter that is given twice"] = { "invalid_request", {}, "&scope=a&scope=b" },
    }) do
        it("tells the client of " .. why, function()
            local asked, complaint = read(case[2], case[3])
            assert.is_nil(asked)
            assert.same({ case[1], fake_oauth.REDIRECT, "s" }, { complaint.error, complaint.redirect, complaint.state })
        end)
    end

    it("does not send a state back that is too long", function()
        assert.is_truthy(read({ state = ("s"):rep(4096) }))
        local _, complaint = read({ state = ("s"):rep(4097) })
        assert.same({ "invalid_request", fake_oauth.REDIRECT }, { complaint.error, complaint.redirect })
        assert.is_nil(complaint.state)
    end)

    it("grants one scope, and what keeps a client signed in where it asks for it", function()
        assert.equal("mcp", read({ scope = "admin read" }).scope)
        assert.equal("mcp offline_access", read({ scope = "x offline_access" }).scope)
        assert.equal("mcp", read({ scope = "xoffline_access" }).scope)
    end)

    it("sends back what it is told with state and issuer, encoded, and keeps the query of the client", function()
        local told = { { "error", "a b" } }
        assert.equal("app:/cb?x=1&error=a%20b&state=%26&iss=https%3A%2F%2Fmcp.example",
            authorization.back(fake_oauth.ORIGIN, "app:/cb?x=1", "&", told))
        assert.equal("app:/cb?error=a%20b&iss=https%3A%2F%2Fmcp.example",
            authorization.back(fake_oauth.ORIGIN, "app:/cb", nil, told))
    end)
end)
