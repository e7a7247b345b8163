local fake_oauth = require("spec.support.fake_oauth")
local json = require("json")

local ID = "https://app.example/client.json"

describe("oauth.cimd", function()
    local host, cimd, fetched, answer

    before_each(function()
        host = fake_oauth.install()
        cimd = require("oauth.cimd")
        fetched = 0
        host.fetch.get = function(url, options)
            fetched = fetched + 1
            host.asked = { url, options }
            return table.unpack(answer)
        end
    end)

    --- The host of the client answers with this document.
    local function serves(document, more)
        local response = { status = 200, cache_control = "", content_type = "application/json",
            body = type(document) == "string" and document or json.encode(document) }
        for name, value in pairs(more or {}) do response[name] = value end
        answer = { response }
    end

    local function document(changes)
        local all = { client_id = ID, client_name = "App", redirect_uris = { "http://localhost:9/cb" } }
        for name, value in pairs(changes or {}) do all[name] = value end
        return all
    end

    it("knows its ids: https with a path, and nothing that could mean another document", function()
        for _, id in ipairs({ ID, "https://a.example/x", "https://a.example:8443/x/y", "https://a.example/x?y=1" }) do
            assert.is_true(cimd.is_id(id), id)
        end
        for _, id in ipairs({ "http://a.example/x", "https://a.example", "https://a.example/", "https://a.example/../x",
            "https://a.example/x/.", "https://a.example/%2E%2e/x", "https://u@a.example/x", "https://a.example/x#y", "https:x",
            "HTTPS://a.example/x" }) do
            assert.is_falsy(cimd.is_id(id), id)
        end
    end)

    it("gives name and comparable addresses of a document, fetched within bounds", function()
        serves(document())
        local read = assert(cimd.find(ID))
        assert.same({ "App", { "http://localhost/cb" } }, { read.name, read.redirects })
        assert.equal(ID, host.asked[1])
        assert.is_true(host.asked[2].timeout_ms <= 5000 and host.asked[2].limit <= 65536)
    end)

    it("notes whom it asked, and why nothing came of it", function()
        serves(document())
        cimd.find(ID)
        answer = { nil, "no such host" }
        cimd.find("https://b.example/client.json")
        local noted = {}
        for position, line in ipairs(host.lines) do
            assert.equal("client document fetched", line.message)
            noted[position] = ("%s %s %s"):format(line.fields.client, line.fields.outcome, line.fields.reason)
        end
        assert.same({ "app.example read nil", "b.example refused no such host" }, noted)
    end)

    it("names a client without a name by its host", function()
        serves(document({ client_name = 5 }))
        assert.equal("app.example", cimd.find(ID).name)
    end)

    for why, given in pairs({
        ["is no JSON"] = "<html>",
        ["is a list"] = "[]",
        ["speaks of another client"] = document({ client_id = "https://app.example/other.json" }),
        ["names no address"] = document({ redirect_uris = json.array({}) }),
        ["names an address where nobody may be sent"] = document({ redirect_uris = { "http://evil.example/" } }),
    }) do
        it("refuses a document that " .. why, function()
            serves(given)
            local read, complaint = cimd.find(ID)
            assert.is_nil(read)
            assert.is_string(complaint)
        end)
    end

    it("refuses answers other than 200, and says what the fetch had against it", function()
        serves(document(), { status = 404 })
        assert.matches("404", select(2, cimd.find(ID)))
        answer = { nil, "no such host", "EFETCH" }
        assert.matches("no such host", select(2, cimd.find(ID .. "2")))
    end)

    it("remembers a document for as long as its server says, between five minutes and a day", function()
        for cache_control, kept_ms in pairs({
            [""] = 300000, ["max-age=1"] = 300000, ["public, max-age=7200"] = 7200000,
            ["max-age=99999999999999999999"] = 86400000,
        }) do
            serves(document(), { cache_control = cache_control })
            local at, before = host.now, fetched
            cimd.find(ID)
            host.now = at + kept_ms - 1
            assert(cimd.find(ID))
            assert.equal(before + 1, fetched, cache_control)
            host.now = at + kept_ms
            cimd.find(ID)
            assert.equal(before + 2, fetched, cache_control)
            host.now = host.now + 2 * 86400000
        end
    end)

    it("takes a document for its host's own word only where it is served as JSON", function()
        for kind, taken in pairs({ ["Application/JSON; charset=utf-8"] = true, ["application/x.y+json"] = true, [""] = false,
            ["text/plain"] = false, ["application/jsonp"] = false, ["text/html; a=application/json"] = false }) do
            serves(document(), { content_type = kind })
            assert.equal(taken, cimd.find(ID) ~= nil, kind)
            host.now = host.now + 86400000
        end
    end)

    it("does not remember that it was busy", function()
        answer = { nil, "too many at a time", "EBUSY" }
        assert.is_nil(cimd.find(ID))
        serves(document())
        assert.is_truthy(cimd.find(ID))
    end)

    it("keeps at most 256 documents, and never gives one for another", function()
        host.crypto.sha256 = function() return "always the same place" end
        serves(document())
        assert(cimd.find(ID))
        local other = "https://other.example/client.json"
        serves(document({ client_id = other, client_name = "Other" }))
        assert.equal("Other", cimd.find(other).name)
        serves(document())
        assert.equal("App", cimd.find(ID).name)
        assert.equal(3, fetched)
    end)

    it("remembers what went wrong for half a minute, with the reason", function()
        answer = { nil, "no such host", "EFETCH" }
        cimd.find(ID)
        assert.matches("no such host", select(2, cimd.find(ID)))
        assert.equal(1, fetched)
        host.now = host.now + 30000
        serves("<html>", { cache_control = "max-age=7200" })
        cimd.find(ID)
        host.now = host.now + 30000
        serves(document())
        assert.is_truthy(cimd.find(ID))
    end)

    it("can be restricted to the table, or switched off", function()
        serves(document())
        local known = "https://claude.ai/oauth/claude-code-client-metadata"
        assert.is_truthy(cimd.find(known))
        assert.equal(0, fetched)
        host.settings.cimd = "table"
        assert.is_truthy(cimd.find(known))
        assert.is_nil(cimd.find(ID))
        host.settings.cimd = "off"
        assert.is_nil(cimd.find(known))
        assert.equal(0, fetched)
    end)
end)
