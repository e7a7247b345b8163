local fake_host = require("spec.support.fake_host")
local fake_oauth = require("spec.support.fake_oauth")
local json = require("json")

describe("oauth.register", function()
    local register, clients

    setup(function()
        fake_oauth.install()
        register, clients = require("oauth.register"), require("oauth.clients")
    end)

    local function post(body)
        local status, text = register.handle(fake_host.request({}, body))
        return status, json.decode(text)
    end

    --- Registers with changes to a good request; false takes a member away.
    local function try(changes)
        local body = { client_name = "App", redirect_uris = { "https://app.example/cb" } }
        for name, value in pairs(changes or {}) do body[name] = value or nil end
        return post(body)
    end

    it("answers what was registered", function()
        local status, made = try({ scope = "mcp" })
        assert.equal(201, status)
        assert.same({ "App", { "https://app.example/cb" }, { "authorization_code", "refresh_token" }, { "code" }, "none", "mcp",
            1796000000 }, { made.client_name, made.redirect_uris, made.grant_types, made.response_types,
            made.token_endpoint_auth_method, made.scope, made.client_id_issued_at })
        assert.same({}, { made.client_secret, made.client_secret_expires_at })
    end)

    it("gives an id that says it all, at most as long as others take", function()
        local addresses = {}
        for number = 1, 10 do addresses[number] = ("https://app.example/%d/%s"):format(number, ("x"):rep(1900)) end
        local _, made = try({ redirect_uris = addresses, client_name = ("n"):rep(5000) })
        assert.is_true(#made.client_id < 512)
        local client = assert(clients.find(made.client_id))
        for _, address in ipairs(addresses) do assert.is_true(client.allows(address)) end
    end)

    it("gives a secret to who asks for one", function()
        for _, method in ipairs({ "client_secret_post", "client_secret_basic" }) do
            local _, made = try({ token_endpoint_auth_method = method })
            assert.same({ method, 0 }, { made.token_endpoint_auth_method, made.client_secret_expires_at })
            assert.is_true(#made.client_secret >= 43)
        end
        for _, method in ipairs({ "private_key_jwt", 5, json.null }) do
            local _, made = try({ token_endpoint_auth_method = method })
            assert.equal("none", made.token_endpoint_auth_method)
        end
    end)

    it("grants of what is asked that which is there, and else everything", function()
        local _, made = try({ grant_types = { "password", "authorization_code" }, response_types = { "token" } })
        assert.same({ { "authorization_code" }, { "code" } }, { made.grant_types, made.response_types })
        _, made = try({ grant_types = json.array({}), response_types = json.null })
        assert.same({ { "authorization_code", "refresh_token" }, { "code" } }, { made.grant_types, made.response_types })
    end)

    it("names who has no name, and cleans names", function()
        for _, name in ipairs({ false, json.null, "" }) do
            assert.equal("unknown", select(2, try({ client_name = name })).client_name)
        end
        local _, made = post('{"client_name":"' .. ("ü"):rep(60) .. '","redirect_uris":["app:/cb"]}')
        assert.equal(("ü"):rep(50), made.client_name)
    end)

    for why, list in pairs({
        ["no list"] = "https://app.example/cb", ["an empty list"] = json.array({}), ["null"] = json.null,
        ["something else than texts"] = { 5 }, ["http to another computer"] = { "http://app.example/cb" },
        ["a scheme that runs something"] = { "javascript:alert(1)" }, ["a fragment"] = { "https://app.example/#x" },
        ["one wrong behind a good one"] = { "https://app.example/cb", "https://*.example/" },
    }) do
        it("refuses addresses: " .. why, function()
            local status, body = try({ redirect_uris = list })
            assert.same({ 400, "invalid_redirect_uri" }, { status, body.error })
            assert.matches("^redirect_uris", body.error_description)
        end)
    end

    it("says which address is wrong, and takes ten", function()
        local list = {}
        for number = 1, 10 do list[number] = "https://app.example/" .. number end
        assert.equal(201, (try({ redirect_uris = list })))
        list[11] = "https://app.example/11"
        assert.equal("invalid_redirect_uri", select(2, try({ redirect_uris = list })).error)
        local _, body = try({ redirect_uris = { "https://app.example/cb", "http://evil.example/" } })
        assert.matches("^redirect_uris%[1%]: ", body.error_description)
    end)

    for why, changes in pairs({
        ["a name that is no text"] = { client_name = 5 }, ["a scope that is no text"] = { scope = { "mcp" } },
        ["grant types that are no list"] = { grant_types = "authorization_code" },
        ["response types that are no texts"] = { response_types = { 5 } },
    }) do
        it("refuses " .. why, function()
            local status, body = try(changes)
            assert.same({ 400, "invalid_client_metadata" }, { status, body.error })
            assert.matches("^" .. next(changes) .. ": expected", body.error_description)
        end)
    end

    it("refuses what is no JSON object", function()
        for _, body in ipairs({ "", "{", "[]", "null", "5" }) do
            local status, answer = post(body)
            assert.same({ 400, "invalid_client_metadata" }, { status, answer.error }, body)
        end
        assert.matches("^no JSON: ", select(2, post("{")).error_description)
    end)
end)
