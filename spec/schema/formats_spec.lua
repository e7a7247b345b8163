local formats = require("schema.formats")
local schema = require("schema")

local cases = {
    date = {
        good = { "2024-02-29", "2000-02-29", "2023-01-31", "2023-12-31" },
        bad = { "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-1-1", "2024-02-29 " },
    },
    time = {
        good = { "23:59:60Z", "08:30:06.283185+05:30", "01:29:60+01:30", "00:29:60-23:30", "12:00:00-23:59", "00:00:00z" },
        bad = {
            "24:00:00Z", "23:60:00Z", "23:59:61Z", "08:30:06", "22:59:60Z", "01:29:60-01:30", "12:00:00.Z", "12:00:001Z",
            "12:00:00+24:00", "12:00:00+01:60", "12:00:00+0100",
        },
    },
    ["date-time"] = {
        good = { "1985-04-12T23:20:50.52Z", "1998-12-31t23:59:60z" },
        bad = { "1985-04-12", "1985-04-12 23:20:50Z", "1985-04-31T23:20:50Z", "1985-04-12T24:20:50Z" },
    },
    duration = { good = { "P4DT12H30M5S", "P3W", "PT1M" }, bad = { "P", "P1YT", "PT1D", "P2Y1W", "4D", "P1Y2D" } },
    uuid = { good = { "2EB8AA08-AA98-11EA-B4AA-73B441D16380" }, bad = { "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "" } },
    ipv4 = {
        good = { "192.168.0.1", "0.0.0.0", "255.255.255.255" },
        bad = { "256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "1.2.3.0000" },
    },
    ipv6 = {
        good = {
            "::1", "::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7::",
            "0000:0000:0000:0000:0000:ffff:255.255.255.255",
        },
        bad = {
            "1::2::3", "12345::", "::12345", ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "::1%eth0",
            "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4",
            ("1:"):rep(30),
        },
    },
    hostname = {
        good = { "a.example", "xn--4gbwdl.xn--wgbh1c", "XN--a", ("a"):rep(63), ("a."):rep(126) .. "a" },
        bad = { "-a", "a-", "a_b", "a..b", "a.", "", "ab--c", "xn--", ("a"):rep(64), ("a."):rep(126) .. "aa" },
    },
    email = {
        good = {
            "joe.bloggs@example.com", '"joe bloggs"@example.com', '"a\\"b"@c', "a@[127.0.0.1]", "a@[IPv6:::1]",
            ("a"):rep(64) .. "@b",
        },
        bad = {
            "2962", ".a@b.c", "a.@b.c", "a..b@c.d", "a@b@c", "a b@c", '"a"b"@c', '"a\1"@c', "a@-b", "a@[::1]",
            '"""@c', ("a"):rep(65) .. "@b",
        },
    },
    uri = {
        good = { "http://a/b?c#d", "urn:x:y", "ldap://[2001:db8::7]/c", "http://u:p@h:80/", "http://[::1]:80/", "a:%4f" },
        bad = {
            "/abc", "http:// x", "http://[1", "http://[1]/", "http://[::1]x/", "http://u@v@h/", "http://u@@h/",
            "http://h:x/", "urn:[x]", "1a:b", "a:%zz", "a:%4", "a:%4g", "a:%", "a:#b#c",
        },
    },
    ["uri-reference"] = {
        good = { "/abc", "#x", "", "../a", "./a:b", "a:b", "//[::1]/a" }, bad = { "\\a", "1:b", ":a", "#a#b", "//[1]/a", "[a" },
    },
    ["json-pointer"] = { good = { "", "/a~1b", "/", "/~0" }, bad = { "a", "/~", "/~2" } },
    regex = { good = { "^a$" }, bad = { "(a" } },
}

for month, days in ipairs({ 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 }) do
    table.insert(cases.date.good, ("2024-%02d-%02d"):format(month, days))
    table.insert(cases.date.bad, ("2024-%02d-%02d"):format(month, days + 1))
end

describe("formats", function()
    for name, texts in pairs(cases) do
        it(name, function()
            for _, text in ipairs(texts.good) do assert.is_truthy(formats[name](text), text) end
            for _, text in ipairs(texts.bad) do assert.is_falsy(formats[name](text), text) end
        end)
    end

    it("are all covered here", function()
        for name in pairs(formats) do assert.is_table(cases[name], name) end
    end)

    it("are annotations unless asserted", function()
        assert.is_true(schema.compile { format = "date" } ("soon"))
        local check = schema.compile({ format = "date" }, { assert_format = true })
        assert.equal('expected a string in the format date, got "soon"', schema.explain(select(2, check("soon"))))
        assert.is_true(check("2024-01-01"))
        assert.is_true(check(5))
        assert.is_true(schema.compile({ format = "unheard-of" }, { assert_format = true })("x"))
    end)
end)
