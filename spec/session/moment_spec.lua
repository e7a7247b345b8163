local fake_host = require("spec.support.fake_host")

describe("session.moment", function()
    local moment

    setup(function()
        fake_host.install()
        moment = require("session.moment")
    end)

    for text, point in pairs({
        ["1970-01-01T00:00:00Z"] = 0,
        ["2026-11-30T12:00:00Z"] = 1796040000000000,
        ["2024-02-29T23:59:59.999999Z"] = 1709251199999999,
        ["2000-03-01T00:00:00.000001Z"] = 951868800000001,
        ["2099-01-01T00:00:00Z"] = 4070908800000000,
    }) do
        it("reads and writes " .. text, function()
            assert.equal(point, moment.read(text))
            assert.equal(text, moment.text(point))
        end)
    end

    it("reads what the system says of every day of four centuries", function()
        for day = 0, 146097, 97 do
            local text = os.date("!%Y-%m-%dT%H:%M:%SZ", day * 86400)
            assert.equal(day * 86400 * 1000000, moment.read(text), text)
        end
    end)

    it("reads fewer and more decimals", function()
        assert.equal(500000, moment.read("1970-01-01T00:00:00.5Z"))
        assert.equal(123456, moment.read("1970-01-01T00:00:00.1234567Z"))
    end)

    it("reads nothing else", function()
        for _, text in ipairs({ "", "2026-11-30", "2026-11-30 12:00:00Z", "2026-11-30T12:00:00+00:00",
            "x2026-11-30T12:00:00Z" }) do
            assert.is_nil(moment.read(text), text)
        end
    end)

    it("has bounds that compare as the points do", function()
        assert.equal("1970-01-01T00:00:01.000000Z", moment.bound(1000000))
        assert.is_true(moment.bound(1000000) < moment.bound(1000001))
    end)
end)
