local json = require("json")
local schema_text = require("mcp.schema_text")

local function text_of(schema)
    schema_text.mark(schema)
    return json.encode(schema, { sort = true })
end

describe("schema_text.mark", function()
    it("J02 makes empty lists [] and empty objects {} wherever a schema has them", function()
        assert.equal('{"properties":{},"required":[],"type":"object"}',
            text_of({ type = "object", properties = {}, required = {} }))
        assert.equal('{"allOf":[],"enum":[],"examples":[],"prefixItems":[]}',
            text_of({ enum = {}, examples = {}, allOf = {}, prefixItems = {} }))
        assert.equal('{"dependentRequired":{"a":[]}}', text_of({ dependentRequired = { a = {} } }))
    end)

    it("J02 reaches schemas in schemas", function()
        local empty = function() return { required = {} } end
        assert.equal('{"properties":{"a":{"items":{"required":[]}}}}', text_of({ properties = { a = { items = empty() } } }))
        assert.equal('{"anyOf":[{"required":[]}]}', text_of({ anyOf = { empty() } }))
        assert.equal('{"$defs":{"x":{"not":{"required":[]}}}}', text_of({ ["$defs"] = { x = { ["not"] = empty() } } }))
    end)

    it("leaves defaults alone: they are data", function()
        assert.equal('{"default":{"required":{}}}', text_of({ default = { required = {} } }))
    end)

    it("leaves booleans and single types alone", function()
        assert.equal('{"additionalProperties":false,"items":true,"type":"array"}',
            text_of({ type = "array", items = true, additionalProperties = false }))
    end)
end)
