local dialect = require("schema.dialect")

local BASE = "https://json-schema.org/draft/2020-12/"

describe("schema.dialect", function()
    local function of(address, vocabularies)
        return dialect.of(address, function(wanted)
            if wanted == "https://x/meta" then return { ["$vocabulary"] = vocabularies } end
        end)
    end

    it("is the standard one under its address, with or without a #", function()
        assert.equal(dialect.standard, of(BASE .. "schema"))
        assert.equal(dialect.standard, of(BASE .. "schema#"))
        assert.is_nil(dialect.standard["format-assertion"])
    end)

    it("is what a metaschema names, and the core in any case", function()
        assert.same({ core = true, validation = true },
            of("https://x/meta", { [BASE .. "vocab/validation"] = true, ["https://x/own"] = false }))
        assert.same({ core = true, ["format-assertion"] = true },
            of("https://x/meta#", { [BASE .. "vocab/format-assertion"] = false }))
        assert.equal(dialect.standard, of("https://x/meta", nil))
    end)

    it("refuses one that requires what is not known, by name, and addresses where nothing is", function()
        local found, why = of("https://x/meta", { ["https://x/own"] = true })
        assert.is_nil(found)
        assert.matches("https://x/own that it requires is not known", why)
        found, why = of("http://json-schema.org/draft-07/schema#")
        assert.is_nil(found)
        assert.matches("got http://json%-schema%.org/draft%-07/schema#$", why)
    end)
end)
