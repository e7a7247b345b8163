local era = require("mcp.era")
local json = require("json")

local function message(version) return { params = { _meta = { [era.VERSION_KEY] = version } } } end

describe("era.choose", function()
    it("takes a message that claims a revision for modern, whatever it claims", function()
        assert.equal("modern", era.choose(nil, message("2026-07-28")))
        assert.equal("modern", era.choose("2025-06-18", message("v999.0.0")))
        assert.equal("modern", era.choose(nil, message(json.null)))
        assert.equal("modern", era.choose(nil, message(false)))
    end)

    it("takes a modern header for modern, even without a claim", function()
        assert.equal("modern", era.choose("2026-07-28", {}))
    end)

    it("takes everything else for legacy: no header, or one of the handshake revisions", function()
        assert.equal("legacy", era.choose(nil, {}))
        assert.equal("legacy", era.choose("2024-11-05", { params = json.null }))
        assert.equal("legacy", era.choose("2025-11-25", { params = { _meta = {} } }))
    end)

    it("refuses a header that no revision has, and says which there are", function()
        for _, header in ipairs({ "1999-01-01", "", "draft" }) do
            local choice, failure = era.choose(header, {})
            assert.is_nil(choice)
            assert.equal(-32022, failure.code)
            assert.equal(header, failure.data.requested)
            assert.same({ "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" }, failure.data.supported)
        end
    end)
end)
