local fake_host = require("spec.support.fake_host")

describe("Forms", function()
    local form

    setup(function()
        fake_host.install()
        form = require("oauth.form")
    end)

    it("A34 are read strictly, and what is repeated is known", function()
        local parsed = form.parse("a=1&b=x+y%2B%C3%BC&a=2&c&=e&&d==")
        assert.same({ a = "1", b = "x y+ü", c = "", [""] = "e", d = "=" }, parsed.values)
        assert.same({ a = true }, parsed.repeated)
        for _, text in ipairs({ "a=%", "a=%4", "%zz=1", "a=1&b=%x1" }) do
            assert.is_nil((form.parse(text)), text)
        end
        assert.is_table(form.parse(("a=1&"):rep(100)))
        assert.is_nil((form.parse(("a=1&"):rep(101))))
    end)

    it("A42 the type of a body is told from its header", function()
        assert.equal("", form.media_type(nil))
        assert.equal("application/json", form.media_type(" Application/JSON ; charset=utf-8"))
        assert.equal(form.MEDIA_TYPE, form.media_type("APPLICATION/x-www-form-urlencoded;x"))
        assert.equal("", form.media_type(";"))
    end)

    it("A34 bytes go out and come back as they were", function()
        local all = {}
        for byte = 0, 255 do all[#all + 1] = string.char(byte) end
        local text = table.concat(all)
        assert.equal(text, form.decode(form.encode(text)))
        assert.equal("a=%26%3D&b=", form.write({ { "a", "&=" }, { "none" }, { "b", "" } }))
    end)
end)
