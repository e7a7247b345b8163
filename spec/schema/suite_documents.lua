--- The documents that cases of spec/fixtures/jsonschema refer to, as their expectations describe them, by address.
local BASE = "http://localhost:1234/draft2020-12/"
local VOCABULARY = "https://json-schema.org/draft/2020-12/vocab/"

local function ref(to) return { ["$ref"] = to } end
local function typed(name) return { type = name } end

local documents = {
    ["integer.json"] = typed "integer",
    ["subSchemas.json"] = { ["$defs"] = { integer = typed "integer", refToInteger = ref "#/$defs/integer" } },
    ["locationIndependentIdentifier.json"] = {
        ["$defs"] = { refToInteger = ref "#foo", A = { ["$anchor"] = "foo", type = "integer" } },
    },
    ["baseUriChange/folderInteger.json"] = typed "integer",
    ["baseUriChangeFolder/folderInteger.json"] = typed "integer",
    ["baseUriChangeFolderInSubschema/folderInteger.json"] = typed "integer",
    ["name-defs.json"] = { type = "string", ["$defs"] = { orNull = { anyOf = { typed "null", ref "#" } } } },
    ["ref-and-defs.json"] = {
        ["$id"] = BASE .. "ref-and-defs.json", ["$ref"] = "#/$defs/inner",
        ["$defs"] = { inner = { properties = { bar = typed "string" } } },
    },
    ["nested/foo-ref-string.json"] = { type = "object", properties = { foo = ref "string.json" } },
    ["nested/string.json"] = typed "string",
    ["different-id-ref-string.json"] = {
        ["$id"] = BASE .. "real-id-ref-string.json", ["$defs"] = { bar = typed "string" }, ["$ref"] = "#/$defs/bar",
    },
    ["urn-ref-string.json"] = {
        ["$id"] = "urn:uuid:feebdaed-ffff-0000-2020-1200deadbeef", ["$defs"] = { bar = typed "string" },
        ["$ref"] = "#/$defs/bar",
    },
    ["nested-absolute-ref-to-string.json"] = {
        ["$defs"] = { bar = { ["$id"] = BASE .. "the-nested-id.json", type = "string" } },
        ["$ref"] = BASE .. "the-nested-id.json",
    },
    ["detached-ref.json"] = {
        ["$id"] = BASE .. "detached-ref.json",
        ["$defs"] = { foo = ref "#detached", detached = { ["$anchor"] = "detached", type = "integer" } },
    },
    ["detached-dynamicref.json"] = {
        ["$id"] = BASE .. "detached-dynamicref.json",
        ["$defs"] = {
            foo = { ["$dynamicRef"] = "#detached" }, detached = { ["$dynamicAnchor"] = "detached", type = "integer" },
        },
    },
    ["tree.json"] = {
        ["$id"] = BASE .. "tree.json", ["$dynamicAnchor"] = "node", type = "object",
        properties = { data = true, children = { type = "array", items = { ["$dynamicRef"] = "#node" } } },
    },
    ["extendible-dynamic-ref.json"] = {
        ["$id"] = BASE .. "extendible-dynamic-ref.json", type = "object", required = { "elements" },
        properties = { elements = { type = "array", items = { ["$dynamicRef"] = "#elements" } } },
        additionalProperties = false, ["$defs"] = { elements = { ["$dynamicAnchor"] = "elements" } },
    },
    ["metaschema-no-validation.json"] = {
        ["$vocabulary"] = { [VOCABULARY .. "applicator"] = true, [VOCABULARY .. "core"] = true },
    },
    ["metaschema-optional-vocabulary.json"] = {
        ["$vocabulary"] = {
            [VOCABULARY .. "validation"] = true, [VOCABULARY .. "core"] = true,
            ["http://localhost:1234/draft/2020-12/vocab/custom"] = false,
        },
    },
}

local by_address = {}
for name, document in pairs(documents) do by_address[BASE .. name] = document end
return by_address
