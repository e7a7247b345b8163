--- All schemas that one compilation can refer to: documents, resources ($id), anchors.
---
--- A resource is a schema with an address of its own; a place is where a (sub)schema table stands. References are
--- looked up here only: what is not in the schema itself, in `documents` or among the published metaschemas does not exist.
---@class schema.Registry
local Registry = {}
Registry.__index = Registry

local dialect = require("schema.dialect")
local expect = require("schema.expect")
local message = require("schema.message")
local pointer = require("schema.pointer")
local positions = require("schema.positions")
local uri = require("schema.uri")
local value = require("schema.value")

---@class schema.Resource
---@field address string without fragment
---@field root table|boolean
---@field anchors table<string, table>
---@field dynamic table<string, table> those made by $dynamicAnchor
---@field vocabularies table<string, true>

---@class schema.Place
---@field resource schema.Resource
---@field at string JSON pointer in its document, for messages

---@param documents table<string, table|boolean> schemas by address that may be referred to
---@param limits { nesting: integer, subschemas: integer }
---@return schema.Registry
function Registry.new(documents, limits)
    return setmetatable({
        documents = documents, limits = limits, count = 0, resources = {}, places = {}, within = {},
    }, Registry)
end

local function resource_of(registry, address, schema, vocabularies)
    local resource = { address = address, root = schema, anchors = {}, dynamic = {}, vocabularies = vocabularies }
    registry.resources[address] = resource
    return resource
end

local function vocabularies_of(registry, schema, at, inherited)
    local address = schema["$schema"]
    if address == nil then return inherited end
    local found, problem = dialect.of(expect.string(address, at .. "/$schema"), function(wanted)
        return registry:document(wanted)
    end)
    if not found then expect.fail(at .. "/$schema", "%s", problem) end
    return found
end

local function enter_resource(registry, schema, resource, at)
    local id = schema["$id"]
    if id == nil then return resource end
    local address, fragment = uri.resolve(resource.address, expect.string(id, at .. "/$id"))
    if fragment ~= "" then expect.fail(at .. "/$id", "expected an address without #fragment, got %s", message.quote(id)) end
    local known = registry.resources[address]
    if known and known.root ~= schema then
        expect.fail(at .. "/$id", "%s is the address of another schema already", message.quote(id))
    end
    return resource_of(registry, address, schema, vocabularies_of(registry, schema, at, resource.vocabularies))
end

local function add_anchor(resource, schema, keyword, at)
    local name = schema[keyword]
    if name == nil then return end
    at = at .. "/" .. keyword
    if not expect.string(name, at):find("^[%a_][%w_.-]*$") then
        expect.fail(at, "expected a letter or _ and then letters, digits, _ . -, got %s", message.quote(name))
    end
    if resource.anchors[name] and resource.anchors[name] ~= schema then
        expect.fail(at, "%s is the name of another schema already", message.quote(name))
    end
    resource.anchors[name] = schema
    if keyword == "$dynamicAnchor" then resource.dynamic[name] = schema end
end

local in_order = value.sorted_keys(positions)

local walk

local walkers = {}

function walkers.schema(registry, part, resource, at, depth)
    walk(registry, part, resource, at, depth)
end

function walkers.list(registry, parts, resource, at, depth)
    for i, part in ipairs(expect.list(parts, at, "a list of schemas")) do
        walk(registry, part, resource, pointer.join(at, i - 1), depth)
    end
end

function walkers.map(registry, parts, resource, at, depth)
    expect.map(parts, at, "a table of schemas by name")
    for _, name in ipairs(value.sorted_keys(parts)) do
        walk(registry, parts[name], resource, pointer.join(at, name), depth)
    end
end

local function check_schema(registry, schema, at, depth)
    if type(schema) ~= "table" or value.kind(schema) == "array" then
        local hint = at:find("/items$") and type(schema) == "table" and "; a list of schemas goes under prefixItems" or ""
        expect.fail(at, "expected a schema (a table, true or false), got %s%s", message.got(schema, false), hint)
    end
    expect.map(schema, at)
    registry.count = registry.count + 1
    if registry.count > registry.limits.subschemas then
        expect.fail(at, "more than %d schemas in one, which is not supported", registry.limits.subschemas)
    end
    if depth > registry.limits.nesting then
        expect.fail(at, "nested deeper than %d levels, which is not supported", registry.limits.nesting)
    end
    if registry.within[schema] then expect.fail(at, "the table contains itself; use $ref for recursion") end
end

--- Records where a schema and everything below it stands. A table used in several places counts as the first.
function walk(registry, schema, resource, at, depth)
    if type(schema) == "boolean" then return end
    if registry.places[schema] and not registry.within[schema] then return end
    check_schema(registry, schema, at, depth)
    registry.within[schema] = true
    resource = enter_resource(registry, schema, resource, at)
    registry.places[schema] = { resource = resource, at = at }
    add_anchor(resource, schema, "$anchor", at)
    add_anchor(resource, schema, "$dynamicAnchor", at)
    for _, keyword in ipairs(in_order) do
        if schema[keyword] ~= nil then
            walkers[positions[keyword]](registry, schema[keyword], resource, pointer.join(at, keyword), depth + 1)
        end
    end
    registry.within[schema] = nil
end

--- Adds a document.
---@param address string "" when it has none
---@param schema table|boolean
function Registry:add(address, schema)
    local vocabularies = dialect.standard
    if type(schema) == "table" and schema["$schema"] ~= nil then
        vocabularies = vocabularies_of(self, schema, "", vocabularies)
    end
    local resource = resource_of(self, address, schema, vocabularies)
    walk(self, schema, resource, "", 0)
end

--- A document by address, from `documents` or the published metaschemas.
---@param address string
---@return table|boolean|nil
function Registry:document(address)
    local found = self.documents[address]
    if found ~= nil then return found end
    return address:find("^https://json%-schema%.org/") and require("schema.metaschema")[address] or nil
end

local function resource_at(registry, address, place, keyword_at)
    local resource = registry.resources[address]
    if resource then return resource end
    local document = registry:document(address)
    if document == nil then
        expect.fail(keyword_at, "nothing here has the address %s, and references are not fetched; put the schema under $defs",
            message.quote(address == "" and place.resource.address or address))
    end
    registry:add(address, document)
    return registry.resources[address]
end

local function step_into(part, token)
    if type(part) ~= "table" then return nil end
    local index = token:find("^%d+$") and math.tointeger(tonumber(token))
    if index and rawlen(part) > 0 then return part[index + 1] end
    return part[token]
end

--- Follows a JSON pointer from a resource's root; what stands at an unusual place is recorded on the way.
local function follow(registry, resource, path, keyword_at, reference)
    local part, holder = resource.root, resource
    for _, token in ipairs(pointer.tokens(path)) do
        part = step_into(part, token)
        if part == nil then
            expect.fail(keyword_at, "%s leads nowhere: there is no %s", message.quote(reference), message.quote(token))
        end
        local place = type(part) == "table" and registry.places[part]
        holder = place and place.resource or holder
    end
    walk(registry, part, holder, path, 0)
    return part
end

--- The schema that a reference names.
---@param place schema.Place of the schema with the reference
---@param reference string
---@param keyword_at string pointer of the keyword, for messages
---@return table|boolean schema
---@return schema.Resource resource the one looked into
---@return string fragment
function Registry:resolve(place, reference, keyword_at)
    local address, fragment = uri.resolve(place.resource.address, reference)
    local resource = resource_at(self, address, place, keyword_at)
    if fragment == "" or fragment:sub(1, 1) == "/" then
        return follow(self, resource, fragment, keyword_at, reference), resource, fragment
    end
    local target = resource.anchors[fragment]
    if not target then
        expect.fail(keyword_at, "no $anchor is called %s%s", fragment,
            resource.address ~= "" and " in " .. resource.address or "")
    end
    return target, resource, fragment
end

return Registry
