local sentinel = require("mcp.sentinel")

describe("sentinel.decode", function()
    it("takes a value without the marks as it is", function()
        for _, value in ipairs({ "", "Hello", "SGVsbG8=", "=?base64?SGVsbG8=", "SGVsbG8=?=", "=?utf8?x?=" }) do
            assert.equal(value, sentinel.decode(value))
        end
    end)

    it("decodes what stands between the marks", function()
        assert.equal("Hello", sentinel.decode("=?base64?SGVsbG8=?="))
        assert.equal("", sentinel.decode("=?base64??="))
        assert.equal("grüße", sentinel.decode("=?base64?Z3LDvMOfZQ==?="))
        assert.equal("\xfb\xff\xfe", sentinel.decode("=?base64?+//+?="))
    end)

    it("refuses what had to be encoded and is not", function()
        for _, value in ipairs({ "grüße", "a\0b", "a\127", "\xff" }) do assert.is_nil(sentinel.decode(value)) end
        assert.equal("a b\t~", sentinel.decode("a b\t~"))
    end)

    it("refuses wrong padding, foreign letters and left-over bits", function()
        for _, data in ipairs({ "SGVsbG8", "SGVsbG8==", "SGVs=G8=", "SGVs bG8", "SGVsbG-_", "SGVsbG9=", "====", "A===" }) do
            assert.is_nil(sentinel.decode("=?base64?" .. data .. "?="), data)
        end
    end)
end)
