local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("content", function()
    local content

    setup(function()
        fake_host.install()
        content = require("mcp.content")
    end)

    it("makes each kind of item, bytes in base64", function()
        assert.same({ type = "text", text = "a" }, content.text("a"))
        local image = content.image({ data = "PNG", mime_type = "image/png", meta = { ["x/y"] = 1 } })
        assert.same({ type = "image", data = "UE5H", mimeType = "image/png", _meta = { ["x/y"] = 1 } }, image)
        assert.equal("audio", content.audio({ data = "", mime_type = "audio/wav" }).type)
        local resource = content.resource({ uri = "a:b", blob = "PNG", mime_type = "x/y" })
        assert.same({ uri = "a:b", blob = "UE5H", mimeType = "x/y" }, resource.resource)
        local link = content.link({ uri = "a:b", name = "n", icons = {}, annotations = { audience = {} } })
        assert.equal("[]", json.encode(link.icons))
        assert.equal("[]", json.encode(link.annotations.audience))
    end)

    it("says at once what is wrong with what it is given", function()
        for complaint, make in pairs({
            ["content.text: expected a table, got number"] = function() content.text(5) end,
            ["content.image: field mime_type is missing; it is a string"] = function() content.image({ data = "x" }) end,
            ['content.link: field "url" is unknown'] = function() content.link({ url = "a:b" }) end,
            ["content.resource: give either text or blob"] = function() content.resource({ uri = "a:b" }) end,
        }) do
            local ok, raised = pcall(make)
            assert.is_false(ok)
            assert.matches(complaint, raised, 1, true)
        end
    end)

    it("makes nothing that it would complain about", function()
        for _, item in ipairs({
            content.text({ text = "a", annotations = { priority = 1 } }), content.image({ data = "x", mime_type = "a/b" }),
            content.audio({ data = "x", mime_type = "a/b" }), content.resource({ uri = "a:b", text = "" }),
            content.link({ uri = "a:b", name = "n", size = 1, title = "t" }),
        }) do
            assert.is_nil(content.complaint(item))
        end
    end)

    it("complains of items that are none, and says what would be right", function()
        for complaint, item in pairs({
            ["expected a table with a type, got string"] = "text",
            ["type txt is none of audio, image, resource, resource_link and text"] = { type = "txt", text = "a" },
            ["field text is missing; it is a string"] = { type = "text" },
            ["field data must be a string, got table"] = { type = "image", data = {}, mimeType = "a/b" },
            ["field mimeType is missing; it is a string"] = { type = "audio", data = "x" },
            ['field "mime_type" is unknown'] = { type = "image", data = "x", mime_type = "a/b" },
            ["field resource is missing; it is a table"] = { type = "resource" },
            ["field uri is missing; it is a string"] = { type = "resource", resource = { text = "x" } },
            ["a resource has either text or blob"] = { type = "resource", resource = { uri = "a:b" } },
            ["field name is missing; it is a string"] = { type = "resource_link", uri = "a:b" },
            ["field _meta must be a table, got number"] = { type = "text", text = "a", _meta = 5 },
        }) do
            assert.matches(complaint, content.complaint(item), 1, true)
        end
    end)
end)
