--- Resources and templates of resources as an operator defines them: checked and compiled.
local fields = require("mcp.fields")
local json = require("json")
local uri_template = require("mcp.uri_template")

local resource_definition = {}

local RESOURCE = {
    uri = "string", name = "string", handler = "function", title = "string", description = "string", mime_type = "string",
    size = "number", annotations = "table", icons = "table", meta = "table", enabled = "function", ttl_ms = "number",
}
local TEMPLATE = {
    uri_template = "string", name = "string", handler = "function", title = "string", description = "string",
    mime_type = "string", annotations = "table", icons = "table", meta = "table", enabled = "function", ttl_ms = "number",
}
local ANNOTATIONS = { audience = "table", priority = "number", lastModified = "string" }

local function check(given, known, address)
    if type(given) ~= "table" then return "expected a table, got " .. type(given) end
    local complaint = fields.check(given, known, "field")
        or fields.required(given, { address, "name", "handler" }, known)
        or fields.check(given.annotations or {}, ANNOTATIONS, "annotation")
    if complaint then return complaint end
    if not given[address]:find("^%a[%w+.-]*:") then
        return ("field %s must be an address with a scheme, such as docs://readme"):format(address)
    end
end

local function annotations_of(given)
    if not given then return nil end
    if given.audience then json.array(given.audience) end
    return given
end

local function compiled(given, key)
    return {
        key = key, name = given.name, handler = given.handler, enabled = given.enabled, mime_type = given.mime_type,
        ttl_ms = given.ttl_ms or 0,
        public = {
            name = given.name, title = given.title, description = given.description, mimeType = given.mime_type,
            size = given.size, annotations = annotations_of(given.annotations),
            icons = given.icons and json.array(given.icons), _meta = given.meta,
        },
    }
end

---@class mcp.Resource
---@field key string address, or template of addresses
---@field name string
---@field public table its entry in the list, in the form of the newest revision
---@field handler fun(args: table, ctx: mcp.Context): any, string?
---@field mime_type? string
---@field ttl_ms integer how long clients may keep what they read
---@field enabled? fun(): boolean
---@field match? fun(uri: string): table<string, string>? of a template

---@param given resource.Definition
---@return mcp.Resource?
---@return string? complaint
function resource_definition.compile(given)
    local complaint = check(given, RESOURCE, "uri")
    if complaint then return nil, fields.label("resource", given, "uri", complaint) end
    local resource = compiled(given, given.uri)
    resource.public.uri = given.uri
    return resource
end

---@param given resource.Template
---@return mcp.Resource?
---@return string? complaint
function resource_definition.compile_template(given)
    local complaint = check(given, TEMPLATE, "uri_template")
    if complaint then return nil, fields.label("resource_template", given, "uri_template", complaint) end
    local match, wrong, names = uri_template.compile(given.uri_template)
    if not match then
        return nil, fields.label("resource_template", given, "uri_template", "field uri_template: " .. wrong)
    end
    local template = compiled(given, given.uri_template)
    template.public.uriTemplate, template.match, template.variables = given.uri_template, match, names
    return template
end

return resource_definition
