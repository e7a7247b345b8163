local fake_host = require("spec.support.fake_host")

describe("Names of strangers", function()
    local visible

    setup(function()
        fake_host.install()
        visible = require("oauth.visible")
    end)

    it("A37 stay what they say in any script", function()
        for _, name in ipairs({ "Claude Code (x)", "日本語", "אבג", "ümläut", "नमस्ते\u{200D}", "👩\u{200D}💻", "a b" }) do
            assert.equal(name, visible.text(name))
            assert.equal(name, visible.name(name, 100))
        end
    end)

    it("A37 lose what would act: on terminals, on the direction of text, on what is seen", function()
        for _, acting in ipairs({
            "\0", "\27", "\127", "\u{85}", "\u{9B}", "\u{AD}", "\u{202E}", "\u{2066}", "\u{200F}", "\u{061C}",
            "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{3164}", "\u{2028}", "\u{E0041}", "\u{FFF9}",
        }) do
            assert.equal("a?b", visible.text("a" .. acting .. "b"))
        end
        assert.equal("a  b", visible.text("a\r\nb"))
        assert.equal("a\u{FFFD}b", visible.text("a\xFFb"))
    end)

    it("A25 are cut on a character, without blanks around, and nil where nothing is left", function()
        assert.equal("日本", visible.name(" \t日本語", 8))
        assert.equal("a", visible.name("a" .. (" "):rep(50) .. "b", 20))
        for _, name in ipairs({ "", "  \n", (" "):rep(200) }) do assert.is_nil(visible.name(name, 100)) end
    end)
end)
