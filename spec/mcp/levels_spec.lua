local json = require("json")
local levels = require("mcp.levels")

local REVISIONS = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28" }

local function full_tool()
    return {
        name = "t", title = "T", description = "d", icons = json.array({ { src = "https://x/i" } }), _meta = { ["x/y"] = 1 },
        annotations = { readOnlyHint = true },
        inputSchema = { type = "object", properties = { any = true, none = false, text = { type = "string" } } },
        outputSchema = { type = "object", properties = { any = true } },
    }
end

describe("levels.tool", function()
    -- Field by field, the first revision that shows it.
    local SINCE = {
        name = "2024-11-05", description = "2024-11-05", inputSchema = "2024-11-05", annotations = "2025-03-26",
        title = "2025-06-18", outputSchema = "2025-06-18", _meta = "2025-06-18", icons = "2025-11-25",
    }
    for _, revision in ipairs(REVISIONS) do
        it("shows clients of " .. revision .. " the fields of their revision and no others", function()
            local shown = levels.tool(full_tool(), revision)
            for field, since in pairs(SINCE) do
                assert.equal(revision >= since, shown[field] ~= nil, field)
            end
        end)
    end

    it("gives handshake clients objects where the newest revision allows booleans as schemas", function()
        local properties = levels.tool(full_tool(), "2025-11-25").inputSchema.properties
        assert.same({}, properties.any)
        assert.same({ ["not"] = {} }, properties.none)
        assert.same({ type = "string" }, properties.text)
        assert.is_true(levels.tool(full_tool(), "2026-07-28").inputSchema.properties.any)
    end)

    it("keeps an output schema that is no object from clients that expect one", function()
        local tool = full_tool()
        tool.outputSchema = { type = "array" }
        assert.is_nil(levels.tool(tool, "2025-11-25").outputSchema)
        assert.same({ type = "array" }, levels.tool(tool, "2026-07-28").outputSchema)
    end)

    it("changes nothing in the definition itself", function()
        local tool = full_tool()
        for _, revision in ipairs(REVISIONS) do levels.tool(tool, revision) end
        assert.same(full_tool(), tool)
    end)

    it("J02 keeps an object without properties an object", function()
        local shown = levels.tool({ name = "t", inputSchema = { type = "object", properties = {} } }, "2025-06-18")
        assert.equal('{"properties":{},"type":"object"}', json.encode(shown.inputSchema, { sort = true }))
    end)
end)

describe("levels.result", function()
    local function result(structured)
        return {
            content = json.array({
                { type = "text", text = "a", _meta = { k = 1 } },
                { type = "audio", data = "AAAA", mimeType = "audio/wav" },
                { type = "resource_link", name = "doc", uri = "file:///doc" },
            }),
            structuredContent = structured, isError = false,
        }
    end

    it("leaves the newest revisions everything", function()
        assert.same(result({ a = 1 }), levels.result(result({ a = 1 }), "2026-07-28"))
        assert.same(result({ a = 1 }), levels.result(result({ a = 1 }), "2025-11-25"))
    end)

    it("gives older clients text for content that their revision does not have", function()
        local old = levels.result(result({ a = 1 }), "2024-11-05")
        assert.is_nil(old.structuredContent)
        assert.same({ type = "text", text = "a" }, old.content[1])
        assert.equal("text", old.content[2].type)
        assert.same({ type = "text", text = "doc: file:///doc" }, old.content[3])
        local newer = levels.result(result(), "2025-03-26")
        assert.equal("audio", newer.content[2].type)
        assert.equal("text", newer.content[3].type)
        assert.equal("resource_link", levels.result(result(), "2025-06-18").content[3].type)
    end)

    it("drops structured content that is no object before 2026-07-28", function()
        for _, structured in ipairs({ json.array({}), "text", 5, json.null }) do
            assert.is_nil(levels.result(result(structured), "2025-11-25").structuredContent)
            assert.equal(structured, levels.result(result(structured), "2026-07-28").structuredContent)
        end
    end)

    it("J02 keeps empty content an array", function()
        local empty = levels.result({ content = json.array({}) }, "2024-11-05")
        assert.equal('{"content":[]}', json.encode(empty))
    end)
end)
