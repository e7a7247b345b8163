local json = require("json")
local revisions = require("mcp.revisions")

local REVISIONS = { "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28" }

local function full_tool()
    return {
        name = "t", title = "T", description = "d", icons = json.array({ { src = "https://x/i" } }), _meta = { ["x/y"] = 1 },
        annotations = { readOnlyHint = true },
        inputSchema = { type = "object", properties = { any = true, none = false, text = { type = "string" } } },
        outputSchema = { type = "object", properties = { any = true } },
    }
end

describe("revisions.tool", function()
    -- Field by field, the first revision that shows it.
    local SINCE = {
        name = "2024-11-05", description = "2024-11-05", inputSchema = "2024-11-05", annotations = "2025-03-26",
        title = "2025-06-18", outputSchema = "2025-06-18", _meta = "2025-06-18", icons = "2025-11-25",
    }
    for _, revision in ipairs(REVISIONS) do
        it("shows clients of " .. revision .. " the fields of their revision and no others", function()
            local shown = revisions.tool(full_tool(), revision)
            for field, since in pairs(SINCE) do
                assert.equal(revision >= since, shown[field] ~= nil, field)
            end
        end)
    end

    it("gives handshake clients objects where the newest revision allows booleans as schemas", function()
        local properties = revisions.tool(full_tool(), "2025-11-25").inputSchema.properties
        assert.same({}, properties.any)
        assert.same({ ["not"] = {} }, properties.none)
        assert.same({ type = "string" }, properties.text)
        assert.is_true(revisions.tool(full_tool(), "2026-07-28").inputSchema.properties.any)
    end)

    it("keeps an output schema that is no object from clients that expect one", function()
        local tool = full_tool()
        tool.outputSchema = { type = "array" }
        assert.is_nil(revisions.tool(tool, "2025-11-25").outputSchema)
        assert.same({ type = "array" }, revisions.tool(tool, "2026-07-28").outputSchema)
    end)

    it("changes nothing in the definition itself", function()
        local tool = full_tool()
        for _, revision in ipairs(REVISIONS) do revisions.tool(tool, revision) end
        assert.same(full_tool(), tool)
    end)

    it("J02 keeps an object without properties an object", function()
        local shown = revisions.tool({ name = "t", inputSchema = { type = "object", properties = {} } }, "2025-06-18")
        assert.equal('{"properties":{},"type":"object"}', json.encode(shown.inputSchema, { sort = true }))
    end)
end)

describe("revisions.result", function()
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
        assert.same(result({ a = 1 }), revisions.result(result({ a = 1 }), "2026-07-28"))
        assert.same(result({ a = 1 }), revisions.result(result({ a = 1 }), "2025-11-25"))
    end)

    it("gives older clients text for content that their revision does not have", function()
        local old = revisions.result(result({ a = 1 }), "2024-11-05")
        assert.is_nil(old.structuredContent)
        assert.same({ type = "text", text = "a" }, old.content[1])
        assert.equal("text", old.content[2].type)
        assert.same({ type = "text", text = "doc: file:///doc" }, old.content[3])
        local newer = revisions.result(result(), "2025-03-26")
        assert.equal("audio", newer.content[2].type)
        assert.equal("text", newer.content[3].type)
        assert.equal("resource_link", revisions.result(result(), "2025-06-18").content[3].type)
    end)

    it("drops structured content that is no object before 2026-07-28", function()
        for _, structured in ipairs({ json.array({}), "text", 5, json.null }) do
            assert.is_nil(revisions.result(result(structured), "2025-11-25").structuredContent)
            assert.equal(structured, revisions.result(result(structured), "2026-07-28").structuredContent)
        end
    end)

    it("J02 keeps empty content an array", function()
        local empty = revisions.result({ content = json.array({}) }, "2024-11-05")
        assert.equal('{"content":[]}', json.encode(empty))
    end)
end)

describe("revisions of entries and content", function()
    it("show annotations and meta data as the revision knows them", function()
        local public = { uri = "a:b", name = "n", annotations = { priority = 1, lastModified = "2026-01-01" } }
        assert.is_nil(revisions.resource(public, "2025-03-26").annotations.lastModified)
        assert.equal(1, revisions.resource(public, "2025-03-26").annotations.priority)
        assert.equal("2026-01-01", revisions.template(public, "2025-06-18").annotations.lastModified)
        assert.equal("2026-01-01", public.annotations.lastModified)
        local item = { type = "resource", resource = { uri = "a:b", text = "x", _meta = {} }, annotations = public.annotations }
        local result = { content = json.array({ item }) }
        local older = revisions.result(result, "2025-03-26").content[1]
        assert.same({ uri = "a:b", text = "x" }, older.resource)
        assert.same({ priority = 1 }, older.annotations)
        assert.equal(item, revisions.result(result, "2025-11-25").content[1])
    end)
end)

describe("revisions of questions", function()
    local CHOICE = { type = "string", title = "C", oneOf = { { const = "r", title = "Red" } }, default = "r" }
    local FORM = { type = "object", properties = { c = CHOICE, n = { type = "number" } }, required = { "c" } }

    it("write a choice with titles as each revision does, and leave the script's own alone", function()
        local older = revisions.form(FORM, "2025-06-18")
        assert.same({ type = "string", title = "C", enum = { "r" }, enumNames = { "Red" } }, older.properties.c)
        assert.same({ type = "number" }, older.properties.n)
        assert.same({ "c" }, older.required)
        assert.equal(FORM, revisions.form(FORM, "2025-11-25"))
        assert.is_table(CHOICE.oneOf)
    end)

    it("ask nobody what his revision does not have", function()
        local function can(method, revision, form)
            return revisions.can_ask({ method = method, params = { requestedSchema = form } }, revision)
        end
        assert.is_true(can("roots/list", "2024-11-05"))
        assert.is_false(can("elicitation/create", "2025-03-26", FORM))
        assert.is_true(can("elicitation/create", "2025-06-18", FORM))
        local several = { type = "object", properties = { c = { type = "array" } } }
        assert.is_false(can("elicitation/create", "2025-06-18", several))
        assert.is_true(can("elicitation/create", "2025-11-25", several))
    end)
end)

describe("revisions of errors", function()
    it("have the id that the revision wants where none could be read", function()
        for revision, id in pairs({ ["2024-11-05"] = json.null, ["2025-06-18"] = json.null }) do
            assert.equal(id, revisions.no_id(revision))
        end
        assert.equal(json.null, revisions.no_id(nil))
        for _, revision in ipairs({ "2025-11-25", "2026-07-28", "v999.0.0", "1999-01-01" }) do
            assert.is_nil(revisions.no_id(revision))
        end
    end)

    it("call a resource that is not there what the revision calls it", function()
        assert.equal(-32002, revisions.resource_not_found("2025-11-25"))
        assert.equal(-32602, revisions.resource_not_found("2026-07-28"))
    end)
end)
