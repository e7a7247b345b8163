local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("health", function()
    local host, health

    before_each(function()
        host = fake_host.install()
        health = require("health")
        host.info = { cores = 2, generation = 4, memory_available = 3 * 1024 * 1024 + 5, disk_available = 7 * 1024 * 1024,
            uptime = 99 }
        host.host.info = function() return host.info end
        host.host.which = function() return { "git", "curl" } end
    end)

    it("has the fields that monitoring knows, in their order", function()
        local status, body = health.handle()
        assert.equal(200, status)
        assert.equal('{"server":"sandstorm","version":"2.0.0","ok":true,"cores_available":2,"memory_mb_available":3,'
            .. '"disk_mb_available":7,"active_instances":0,"max_instances":5,"tools":["git","curl"],"uptime_seconds":99,'
            .. '"generation":4,"degraded":false}', body)
    end)

    it("J02 has no tools as []", function()
        host.host.which = function() return {} end
        assert.equal("[]", json.encode(json.decode(select(2, health.handle())).tools))
    end)

    it("says why the scripts on disk do not serve", function()
        host.info.script_error = 'tools.lua:5: tool "a": field input is missing'
        local fields = json.decode(select(2, health.handle()))
        assert.equal(host.info.script_error, fields.script_error)
        assert.is_true(fields.degraded)
    end)

    it("counts sessions without asking the database, takes their processors off, and says what is wrong with it", function()
        host.shared.put("session/census", json.encode({
            counts = { ready = 1, active = 1, creating = 1, expired = 5, cleaned = 7 }, error = "sessions.db: disk full",
        }), 60000)
        local fields = json.decode(select(2, health.handle()))
        assert.same({ 3, 0, "sessions.db: disk full", true },
            { fields.active_instances, fields.cores_available, fields.session_error, fields.degraded })
    end)

    it("says why the audit log cannot be written", function()
        host.audit.error = function() return "/a: No space left on device" end
        local fields = json.decode(select(2, health.handle()))
        assert.same({ "/a: No space left on device", true }, { fields.audit_error, fields.degraded })
    end)

    it("is open to anybody, for reading", function()
        local route = health.routes()[1]
        assert.same({ "/health", "none", "any" }, { route.path, route.auth, route.origin })
        assert.same({ "GET" }, route.methods)
    end)
end)
