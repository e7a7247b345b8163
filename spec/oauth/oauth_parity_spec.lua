--- The OAuth exchanges that were recorded with v0.1.0, where what is decided for this server leaves them as they were.
local cjson = require("cjson")
local oauth = require("spec.support.oauth")

-- Why the answer differs from the recorded one: the numbers are those of the requirements.
local OTHERWISE = {
    ["^metadata/.*path%-suffix"] = "D11 D13", ["^metadata/.*slash$"] = "D60", ["^metadata/openid"] = "D14",
    ["^metadata/.*/post$"] = "405 with Allow", ["^register/get$"] = "405 with Allow", ["^token/get$"] = "405 with Allow",
    ["preflight$"] = "D58", ["^authorize/decision"] = "D36", ["^authorize/page/no%-response%-type"] = "D31",
    ["^authorize/page/response%-type"] = "D31", ["^authorize/page/no%-challenge"] = "D31", ["^no%-such%-endpoint"] = "D42 D51",
    ["^token/garbage"] = "D27", ["^token/empty%-code"] = "D27", ["^token/no%-code"] = "D27", ["code%-non%-ascii"] = "D27",
    ["^token/access%-token%-as"] = "D27", ["^token/grant/refresh"] = "D27",
}

local function differs(id)
    for pattern, why in pairs(OTHERWISE) do
        if id:find(pattern) then return why end
    end
    return nil
end

local function cases()
    local list = {}
    for line in io.lines("spec/fixtures/parity/oauth.jsonl") do
        local case = cjson.decode(line)
        local asked = cjson.encode(case.request)
        local made = asked:find("<CODE") or asked:find("<MADE") or asked:find("<ACCESS")
        if case.response and case.verdict ~= "defect" and not differs(case.id) and not made then list[#list + 1] = case end
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
        it("keeps the status of " .. case.id, function()
            local request = case.request
            local headers = {}
            for name, value in pairs(request.headers or {}) do headers[name] = value:gsub("<PORT>", tostring(s.port)) end
            local body = request.body or request.json and cjson.encode(request.json)
            local response = app:request(request.method, (request.path:gsub(" ", "%%20")), body, headers)
            assert.equal(case.response.status, response.status, response.body:sub(1, 300))
        end)
    end

    for line in io.lines("spec/fixtures/parity/oauth.jsonl") do
        local case = cjson.decode(line)
        if case.id:find("^register/address/") and case.verdict == "right-only" then
            it("D24 " .. case.id .. ": " .. case.right, function()
                local response = app:request("POST", "/oauth/register", cjson.encode(case.request.json),
                    { ["Content-Type"] = "application/json" })
                assert.same({ 400, "invalid_redirect_uri" }, { response.status, response.json.error })
            end)
        end
    end
end)
