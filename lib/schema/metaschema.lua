--- The metaschema of draft 2020-12 and its vocabularies, by address, so that a `$ref` to them needs no network.
--- What they accept and refuse is the published text; titles, defaults and comments are left out.
local base = "https://json-schema.org/draft/2020-12/"

local function types(...) return { type = { ... } } end
local function defs(name) return { ["$ref"] = "#/$defs/" .. name } end

local function meta() return { ["$dynamicRef"] = "#meta" } end
local function meta_map() return { type = "object", additionalProperties = meta() } end
local text, flag = types "string", types "boolean"
local names = { type = "array", items = text, uniqueItems = true }
local count = { type = "integer", minimum = 0 }

local function document(name, vocabulary, content)
    content["$schema"] = base .. "schema"
    content["$id"] = base .. name
    content["$vocabulary"] = { [base .. "vocab/" .. vocabulary] = true }
    content["$dynamicAnchor"] = "meta"
    content.type = { "object", "boolean" }
    return content
end

local core = document("meta/core", "core", {
    properties = {
        ["$id"] = { ["$ref"] = "#/$defs/uriReferenceString", pattern = "^[^#]*#?$" },
        ["$schema"] = defs "uriString", ["$ref"] = defs "uriReferenceString", ["$anchor"] = defs "anchorString",
        ["$dynamicRef"] = defs "uriReferenceString", ["$dynamicAnchor"] = defs "anchorString",
        ["$vocabulary"] = { type = "object", propertyNames = defs "uriString", additionalProperties = flag },
        ["$comment"] = text, ["$defs"] = meta_map(),
    },
    ["$defs"] = {
        anchorString = { type = "string", pattern = "^[A-Za-z_][-A-Za-z0-9._]*$" },
        uriString = { type = "string", format = "uri" },
        uriReferenceString = { type = "string", format = "uri-reference" },
    },
})

local applicator = document("meta/applicator", "applicator", {
    properties = {
        prefixItems = defs "schemaArray", items = meta(), contains = meta(), additionalProperties = meta(),
        properties = meta_map(),
        patternProperties = { type = "object", additionalProperties = meta(), propertyNames = { format = "regex" } },
        dependentSchemas = meta_map(), propertyNames = meta(), ["if"] = meta(), ["then"] = meta(), ["else"] = meta(),
        allOf = defs "schemaArray", anyOf = defs "schemaArray", oneOf = defs "schemaArray", ["not"] = meta(),
    },
    ["$defs"] = { schemaArray = { type = "array", minItems = 1, items = meta() } },
})

local unevaluated = document("meta/unevaluated", "unevaluated", {
    properties = { unevaluatedItems = meta(), unevaluatedProperties = meta() },
})

local simple = { "array", "boolean", "integer", "null", "number", "object", "string" }

local validation = document("meta/validation", "validation", {
    properties = {
        type = { anyOf = { { enum = simple }, { type = "array", items = { enum = simple }, minItems = 1, uniqueItems = true } } },
        const = true, enum = { type = "array", items = true },
        multipleOf = { type = "number", exclusiveMinimum = 0 },
        maximum = types "number", exclusiveMaximum = types "number", minimum = types "number", exclusiveMinimum = types "number",
        maxLength = count, minLength = count, pattern = { type = "string", format = "regex" },
        maxItems = count, minItems = count, uniqueItems = flag, maxContains = count, minContains = count,
        maxProperties = count, minProperties = count, required = names,
        dependentRequired = { type = "object", additionalProperties = names },
    },
})

local meta_data = document("meta/meta-data", "meta-data", {
    properties = {
        title = text, description = text, default = true, deprecated = flag, readOnly = flag, writeOnly = flag,
        examples = { type = "array", items = true },
    },
})

local content = document("meta/content", "content", {
    properties = { contentEncoding = text, contentMediaType = text, contentSchema = meta() },
})

local function format(kind) return document("meta/" .. kind, kind, { properties = { format = text } }) end

local function part(name) return { ["$ref"] = "meta/" .. name } end

local whole = document("schema", "core", {
    allOf = {
        part "core", part "applicator", part "unevaluated", part "validation", part "meta-data", part "format-annotation",
        part "content",
    },
    properties = {
        definitions = meta_map(),
        dependencies = { type = "object", additionalProperties = { anyOf = { meta(), names } } },
        ["$recursiveAnchor"] = { type = "string" }, ["$recursiveRef"] = { type = "string" },
    },
})
for _, vocabulary in ipairs { "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content" } do
    whole["$vocabulary"][base .. "vocab/" .. vocabulary] = true
end

---@type table<string, table>
return {
    [base .. "schema"] = whole,
    [base .. "meta/core"] = core,
    [base .. "meta/applicator"] = applicator,
    [base .. "meta/unevaluated"] = unevaluated,
    [base .. "meta/validation"] = validation,
    [base .. "meta/meta-data"] = meta_data,
    [base .. "meta/content"] = content,
    [base .. "meta/format-annotation"] = format "format-annotation",
    [base .. "meta/format-assertion"] = format "format-assertion",
}
