local fake_oauth = require("spec.support.fake_oauth")

describe("oauth.routes", function()
    local routes

    setup(function()
        fake_oauth.install()
        routes = {}
        for _, route in ipairs(require("oauth.routes").all()) do
            assert.is_nil(routes[route.path], "twice: " .. route.path)
            routes[route.path] = route
        end
    end)

    it("serves every endpoint with and without its folder, with and without a slash", function()
        for _, name in ipairs({ "authorize", "token", "register", "revoke" }) do
            local route = routes["/oauth/" .. name]
            for _, path in ipairs({ "/oauth/" .. name .. "/", "/" .. name, "/" .. name .. "/" }) do
                assert.equal(route.handle, routes[path].handle)
                assert.same(route.methods, routes[path].methods)
            end
        end
    end)

    it("lets nobody change anything with GET, and bounds every body", function()
        for path, route in pairs(routes) do
            assert.equal("none", route.auth)
            assert.is_true(route.body_limit <= 65536, path)
            if route.body_limit == 0 then assert.same({ "GET" }, route.methods) end
        end
        for _, name in ipairs({ "token", "register", "revoke" }) do assert.same({ "POST" }, routes["/oauth/" .. name].methods) end
    end)

    it("opens to the scripts of every site what holds no page", function()
        for path, route in pairs(routes) do assert.equal(not path:find("authorize/?$"), route.cors, path) end
    end)
end)
