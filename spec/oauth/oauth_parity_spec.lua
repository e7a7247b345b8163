--- The OAuth exchanges that were recorded with v0.1.0, where what is decided for this server leaves them as they were.
local cjson = require("cjson")
local oauth = require("spec.support.oauth")

-- Why the answer differs from the recorded one: the numbers are those of the requirements.
local OTHERWISE = {
    ["^metadata/.*path%-suffix"] = "A11 A13", ["^metadata/.*slash$"] = "A60", ["^metadata/openid"] = "A14",
    ["^metadata/.*/post$"] = "405 with Allow", ["^register/get$"] = "405 with Allow", ["^token/get$"] = "405 with Allow",
    ["preflight$"] = "A58", ["^authorize/decision"] = "A36", ["^authorize/page/no%-response%-type"] = "A31",
    ["^authorize/page/response%-type"] = "A31", ["^authorize/page/no%-challenge"] = "A31", ["^no%-such%-endpoint"] = "A42 A51",
    ["^token/garbage"] = "A27", ["^token/empty%-code"] = "A27", ["^token/no%-code"] = "A27", ["code%-non%-ascii"] = "A27",
    ["^token/access%-token%-as"] = "A27", ["^token/grant/refresh"] = "A27",
}

-- Where the status is the same, and the kind of error is now the one that the standard has for it.
local NEW_ERRORS = {
    ["^register/no%-addresses$"] = "invalid_redirect_uri", ["^register/empty%-addresses$"] = "invalid_redirect_uri",
    ["^register/null%-addresses$"] = "invalid_redirect_uri", -- RFC 7591 section 3.2.2
    ["^register/broken%-json$"] = "invalid_client_metadata", ["^register/empty%-body$"] = "invalid_client_metadata",
    ["^register/form%-body$"] = "invalid_client_metadata",
    ["^token/empty%-body$"] = "invalid_request", ["^token/broken%-json$"] = "invalid_request", -- RFC 6749 section 5.2
    ["^token/no%-content%-type$"] = "invalid_request", ["^token/origin$"] = "invalid_request",
}

local function lookup(list, id)
    for pattern, value in pairs(list) do
        if id:find(pattern) then return value end
    end
    return nil
end

local KEPT_HEADERS = { "content-type", "location", "www-authenticate", "cache-control", "access-control-allow-origin", "allow" }

-- What of a recorded answer is not in this one: the status, headers that mean something, the kind of error, members.
local function differences(case, response)
    local recorded, list = case.response, {}
    local function expect(what, expected, got)
        if expected ~= got then list[#list + 1] = ("%s: %s, now %s"):format(what, expected, got) end
    end
    expect("status", recorded.status, response.status)
    local is_page = case.id:find("^authorize/page") ~= nil -- a person reads it, and no other page may
    for _, name in ipairs(KEPT_HEADERS) do
        local wanted = recorded.headers[name] and not (is_page and name == "access-control-allow-origin")
        if wanted then expect(name, true, response.headers[name] ~= nil) end
    end
    if is_page then expect("a page", "text/html", (response.headers["content-type"] or ""):match("^[^;]+")) end
    if is_page or type(recorded.json) ~= "table" then return list end
    expect("error", lookup(NEW_ERRORS, case.id) or recorded.json.error, response.json.error)
    for name in pairs(recorded.json) do expect("member " .. name, true, response.json[name] ~= nil) end
    return list
end

local function cases()
    local list = {}
    for line in io.lines("spec/fixtures/parity/oauth.jsonl") do
        local case = cjson.decode(line)
        local asked = cjson.encode(case.request)
        local made = asked:find("<CODE") or asked:find("<MADE") or asked:find("<ACCESS")
        local kept = case.response and case.verdict ~= "defect" and not lookup(OTHERWISE, case.id)
        if kept and not made then list[#list + 1] = case end
    end
    return list
end

describe("OAuth as v0.1.0 answered", function()
    local s, app

    setup(function()
        s = oauth.start({
            token = "parity-test-token-0123456789abcdef", env = { SANDSTORM_PUBLIC_URL = "https://mcp.example.com" },
        })
        app = oauth.new(s)
    end)
    teardown(function() s:stop() end)

    local list = cases()

    it("still has many recorded exchanges", function() assert.is_true(#list >= 40, #list) end)

    for _, case in ipairs(list) do
        it("answers as before to " .. case.id, function()
            local request = case.request
            local headers = {}
            for name, value in pairs(request.headers or {}) do headers[name] = value:gsub("<PORT>", tostring(s.port)) end
            local body = request.body or request.json and cjson.encode(request.json)
            local response = app:request(request.method, (request.path:gsub(" ", "%%20")), body, headers)
            assert.same({}, differences(case, response), response.body:sub(1, 300))
        end)
    end

    for line in io.lines("spec/fixtures/parity/oauth.jsonl") do
        local case = cjson.decode(line)
        if case.id:find("^register/address/") and case.verdict == "right-only" then
            it("A24 " .. case.id .. ": " .. case.right, function()
                local response = app:request("POST", "/oauth/register", cjson.encode(case.request.json),
                    { ["Content-Type"] = "application/json" })
                assert.same({ 400, "invalid_redirect_uri" }, { response.status, response.json.error })
            end)
        end
    end
end)
