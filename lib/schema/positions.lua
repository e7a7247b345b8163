--- Keywords that hold schemas, and how: one, a list of them, a table of them by name.
---@type table<string, "schema"|"list"|"map">
return {
    ["$defs"] = "map", definitions = "map", properties = "map", patternProperties = "map", dependentSchemas = "map",
    allOf = "list", anyOf = "list", oneOf = "list", prefixItems = "list",
    ["not"] = "schema", ["if"] = "schema", ["then"] = "schema", ["else"] = "schema", items = "schema",
    contains = "schema", additionalProperties = "schema", propertyNames = "schema", unevaluatedItems = "schema",
    unevaluatedProperties = "schema", contentSchema = "schema",
}
