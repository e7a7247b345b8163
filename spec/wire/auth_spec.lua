local server = require("spec.support.server")

local PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
local TOKEN = "spec-token-0123456789abcdef"

describe("bearer authentication of /mcp", function()
    local s

    setup(function() s = server.start({ token = TOKEN }) end)
    teardown(function() s:stop() end)

    --- The answer to a ping with these headers (a list of pairs) and nothing else that could let it in.
    local function ping(headers, path, body)
        local all = { { "Content-Type", "application/json" }, { "Connection", "close" } }
        table.move(headers, 1, #headers, #all + 1, all)
        local connection = s:connect()
        local response = connection:request({
            method = "POST", path = path or "/mcp", headers = all, body = body or PING, host = ("127.0.0.1:%d"):format(s.port),
        })
        connection:close()
        return response
    end

    local function authorization(value) return { { "Authorization", value } } end

    --- `bad`: the bearer was one, or the start of one, and is not valid.
    local function refused(response, origin, bad, slash)
        assert.equal(401, response.status)
        assert.equal('{"error":"Unauthorized"}', response.body)
        assert.equal("application/json", response.headers["content-type"])
        local why = bad and 'error="invalid_token", error_description="The access token is not valid here", ' or ""
        local challenge = 'Bearer %sresource_metadata="%s/.well-known/oauth-protected-resource/mcp%s", scope="mcp"'
        assert.equal(challenge:format(why, origin or ("http://127.0.0.1:%d"):format(s.port), slash or ""),
            response.headers["www-authenticate"])
    end

    for _, value in ipairs({
        "Bearer " .. TOKEN, "bearer " .. TOKEN, "BEARER " .. TOKEN, "Bearer  " .. TOKEN, "Bearer " .. TOKEN .. " ",
        "Bearer\t" .. TOKEN, " Bearer \t" .. TOKEN .. "\t",
    }) do
        it(("A19 lets in %q"):format(value), function() assert.equal(200, ping(authorization(value)).status) end)
    end

    for name, value in pairs({
        ["another token"] = "Bearer wrong-token", ["no token"] = "Bearer ", ["the scheme alone"] = "Bearer",
        ["another scheme"] = "Basic dXNlcjpwYXNz", ["the token alone"] = TOKEN,
        ["a beginning of the token"] = "Bearer " .. TOKEN:sub(1, -2),
        ["more than the token"] = "Bearer " .. TOKEN .. "0", ["two tokens"] = "Bearer " .. TOKEN .. " " .. TOKEN,
        ["another case"] = "Bearer " .. TOKEN:upper(), ["bytes beyond ASCII"] = "Bearer tökén",
        ["bytes that are no UTF-8"] = "Bearer \xFF\xFE",
        ["something like a signed token"] = "Bearer AAAA.eyJ0IjoxLCJjIjoieCIsImsiOiJhY2Nlc3MifQ",
        ["no blank"] = "Bearer" .. TOKEN,
        ["a long one"] = "Bearer " .. ("x"):rep(4000), ["nothing"] = "",
    }) do
        it("A18 A19 refuses " .. name, function() refused(ping(authorization(value)), nil, true) end)
    end

    it("A19 refuses a request without the header, a token in the query, and two headers", function()
        refused(ping({}))
        refused(ping({}, "/mcp?access_token=" .. TOKEN))
        refused(ping({ { "Authorization", "Bearer " .. TOKEN }, { "Authorization", "Bearer " .. TOKEN } }), nil, true)
    end)

    it("A60 asks on /mcp/ as on /mcp, serves both, and redirects neither", function()
        refused(ping({}, "/mcp/"), nil, false, "/")
        assert.equal(200, ping(authorization("Bearer " .. TOKEN), "/mcp/").status)
    end)

    it("A17 A20 a stranger is told nothing more: not of methods, types, paths below, or JSON", function()
        refused(ping({}, "/mcp/x"))
        refused(ping({}, "/%6dcp"))
        refused(ping({}, "/mcp", "no json"))
        refused(s:request({ method = "GET", path = "/mcp", headers = { Authorization = false } }))
        refused(s:request({ method = "PUT", path = "/mcp", headers = { Authorization = false } }))
        local plain = { Authorization = false, ["Content-Type"] = "text/plain" }
        refused(s:request({ method = "POST", path = "/mcp", body = "x", headers = plain }))
    end)

    it("refuses before the body is sent", function()
        local connection = s:connect()
        connection:send("POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{")
        refused(connection:read_response(), "http://x")
        connection:close()
    end)

    it("A09 names the address by Host, and by X-Forwarded-Proto from a trusted peer", function()
        local function challenge(headers)
            headers.Authorization = false
            return s:request({ method = "POST", path = "/mcp", body = PING, headers = headers })
        end
        refused(challenge({ Host = "mcp.example.com", ["X-Forwarded-Proto"] = "https", ["X-Forwarded-For"] = "203.0.113.7" }),
            "https://mcp.example.com")
        refused(challenge({ Host = "inner.example", ["X-Forwarded-Host"] = "outer.example", ["X-Forwarded-Proto"] = "https" }),
            "https://outer.example")
        refused(challenge({ Host = "[::1]:8080", ["X-Forwarded-Proto"] = "HTTPS" }), "https://[::1]:8080")
        assert.equal(400, challenge({ Host = "h", ["X-Forwarded-Proto"] = "javascript" }).status)
    end)

    it("A21 a Host that cannot stand in a URL is a bad request", function()
        local unfit = { 'a"b', "a?", "a#", "a/b?", "[", "x@y", "a b", "a:b", "a:99999", "[::1", "[::g]", "é" }
        for _, host in ipairs(unfit) do
            local response = s:request({ path = "/mcp", headers = { Authorization = false, Host = host } })
            assert.equal(400, response.status, host)
            assert.is_nil(response.headers["www-authenticate"])
        end
    end)
end)

describe("the settings behind it", function()
    it("A09 the public URL names the address, a peer that is not trusted does not", function()
        local s = server.start({ env = { SANDSTORM_PUBLIC_URL = "https://mcp.example.com" } })
        local response = s:request({ path = "/mcp", headers = { Authorization = false } })
        s:stop()
        assert.matches('"https://mcp.example.com/.well%-known', response.headers["www-authenticate"])
        s = server.start({ env = { FORWARDED_ALLOW_IPS = "10.0.0.1, 10.0.0.2" } })
        response = s:request({ path = "/mcp", headers = { Authorization = false, Host = "h", ["X-Forwarded-Proto"] = "https" } })
        s:stop()
        assert.matches('"http://h/.well%-known', response.headers["www-authenticate"])
    end)

    it("the older name of the token counts where the newer is unset or empty", function()
        local function status(env, token)
            local s = server.start({ env = env })
            local bearer = { Authorization = "Bearer " .. token }
            local response = s:request({ method = "POST", path = "/mcp", body = PING, headers = bearer })
            s:stop()
            return response.status
        end
        assert.equal(200, status({ SANDSTORM_MCP_TOKEN = false, MCP_AUTH_TOKEN = "o" }, "o"))
        assert.equal(200, status({ SANDSTORM_MCP_TOKEN = "", MCP_AUTH_TOKEN = "older" }, "older"))
        assert.equal(401, status({ SANDSTORM_MCP_TOKEN = "newer", MCP_AUTH_TOKEN = "older" }, "older"))
        assert.equal(200, status({ SANDSTORM_MCP_TOKEN = "newer", MCP_AUTH_TOKEN = "older" }, "newer"))
    end)
end)
