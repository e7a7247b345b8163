local json = require("json")
local redact = require("redact")

describe("redact.copy", function()
    it("keeps what is short and plain", function()
        local arguments = { path = "a/b", timeout = 5, recursive = true, list = json.array({ 1, "x" }), none = json.null }
        assert.same(arguments, redact.copy(arguments))
    end)

    it("hides values under names of secrets, at any depth", function()
        assert.same({ password = "[redacted]", env = { API_TOKEN = "[redacted]", HOME = "/h" } },
            redact.copy({ password = "p", env = { API_TOKEN = { "x" }, HOME = "/h" } }))
    end)

    for given, kept in pairs({
        ["API_TOKEN=abc make"] = "API_TOKEN=[redacted] make",
        ["curl -H 'Authorization: Bearer abc.d-e'"] = "curl -H 'Authorization: [redacted]'",
        ["curl https://user:pw@example.com/x"] = "curl https://[redacted]@example.com/x",
        ["mysql --password hunter2 -u me"] = "mysql --password [redacted] -u me",
        ["mysql --password=hunter2"] = "mysql --password=[redacted]",
        ["git push https://x ghp_0123456789abcdef"] = "git push https://x [redacted]",
        ["echo a=b; ls --color never"] = "echo a=b; ls --color never",
    }) do
        it("takes what looks like a secret out of a text: " .. given, function()
            assert.equal(kept, redact.copy({ command = given }).command)
        end)
    end

    it("cuts long texts between characters and says how long they were", function()
        local kept = redact.copy({ content = ("ü"):rep(5000) }).content
        assert.is_true(#kept < 300)
        assert.matches("… %(10000 bytes%)$", kept)
        assert.is_truthy(utf8.len(kept))
    end)

    it("makes bytes that are no UTF-8 fit, and bounds lists, objects and depth", function()
        assert.is_truthy(utf8.len(redact.copy({ a = "\xFF" }).a))
        local list, object, deep = json.array({}), {}, {}
        for i = 1, 100 do
            list[i] = i
            object["k" .. i] = i
            deep = { deep }
        end
        local kept = redact.copy({ list = list, object = object, deep = deep })
        assert.equal("… (100 items)", kept.list[21])
        local members = 0
        for _ in pairs(kept.object) do members = members + 1 end
        assert.equal(20, members)
        assert.is_true(#json.encode(kept.deep) < 200)
    end)

    it("makes something that JSON can hold of any number", function()
        assert.is_string(json.encode(redact.copy({ a = 1 / 0, b = -1 / 0, c = 0 / 0 })))
    end)
end)
