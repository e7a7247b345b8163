--- Content items for scripts: `content.text("…")`, `content.image { data = bytes, mime_type = "image/png" }` and so on.
--- Bytes become base64 here. Every function takes `annotations` (audience, priority, lastModified) and `meta` as well.
local crypto = require("crypto")
local fields = require("mcp.fields")
local json = require("json")

local content = {}

local COMMON = { annotations = "table", meta = "table" }

local function known(own)
    for name, expected in pairs(COMMON) do own[name] = expected end
    return own
end

local TEXT = known({ text = "string" })
local MEDIA = known({ data = "string", mime_type = "string" })
local RESOURCE = known({ uri = "string", mime_type = "string", text = "string", blob = "string" })
local LINK = known({
    uri = "string", name = "string", title = "string", description = "string", mime_type = "string", size = "number",
    icons = "table",
})

local function check(what, given, names, required)
    local complaint = type(given) ~= "table" and "expected a table, got " .. type(given)
        or fields.check(given, names, "field")
        or fields.required(given, required, names)
    if complaint then error(("content.%s: %s"):format(what, complaint), 3) end
end

local function annotations_of(given)
    local annotations = given.annotations
    if annotations and annotations.audience then json.array(annotations.audience) end
    return annotations
end

local function media(kind)
    return function(given)
        check(kind, given, MEDIA, { "data", "mime_type" })
        return {
            type = kind, data = crypto.base64(given.data), mimeType = given.mime_type,
            annotations = annotations_of(given), _meta = given.meta,
        }
    end
end

--- A text; give a table { text = …, annotations = … } for more than the text alone.
---@param given string|table
function content.text(given)
    if type(given) == "string" then return { type = "text", text = given } end
    check("text", given, TEXT, { "text" })
    return { type = "text", text = given.text, annotations = annotations_of(given), _meta = given.meta }
end

--- A picture: { data = bytes, mime_type = }.
content.image = media("image")

--- A sound: { data = bytes, mime_type = }.
content.audio = media("audio")

--- The content of a resource in the result itself: { uri =, mime_type =, text = } or { …, blob = bytes }.
---@param given table
function content.resource(given)
    check("resource", given, RESOURCE, { "uri" })
    if (given.text == nil) == (given.blob == nil) then error("content.resource: give either text or blob", 2) end
    return {
        type = "resource", annotations = annotations_of(given),
        resource = {
            uri = given.uri, mimeType = given.mime_type, text = given.text,
            blob = given.blob and crypto.base64(given.blob), _meta = given.meta,
        },
    }
end

--- A resource that the client can read: { uri =, name =, title =, description =, mime_type =, size =, icons = }.
---@param given table
function content.link(given)
    check("link", given, LINK, { "uri", "name" })
    return {
        type = "resource_link", uri = given.uri, name = given.name, title = given.title, description = given.description,
        mimeType = given.mime_type, size = given.size, icons = given.icons and json.array(given.icons),
        annotations = annotations_of(given), _meta = given.meta,
    }
end

-- Fields of the items as clients get them.
local ITEMS = {
    text = { type = "string", text = "string" },
    image = { type = "string", data = "string", mimeType = "string" },
    audio = { type = "string", data = "string", mimeType = "string" },
    resource = { type = "string", resource = "table" },
    resource_link = {
        type = "string", uri = "string", name = "string", title = "string", description = "string", mimeType = "string",
        size = "number", icons = "table",
    },
}
local NEEDED = {
    text = { "text" }, image = { "data", "mimeType" }, audio = { "data", "mimeType" }, resource = { "resource" },
    resource_link = { "uri", "name" },
}
for _, item in pairs(ITEMS) do item.annotations, item._meta = "table", "table" end

local EMBEDDED = { uri = "string", mimeType = "string", text = "string", blob = "string", _meta = "table" }

local function wrong_resource(resource)
    local complaint = fields.check(resource, EMBEDDED, "field") or fields.required(resource, { "uri" }, EMBEDDED)
    if complaint then return complaint end
    return (resource.text == nil) == (resource.blob == nil) and "a resource has either text or blob" or nil
end

--- What is wrong with an item as a handler made it, in one line, or nil.
---@param item any
---@return string?
function content.complaint(item)
    if type(item) ~= "table" then return "expected a table with a type, got " .. type(item) end
    local own = ITEMS[item.type]
    if not own then
        return ("type %s is none of audio, image, resource, resource_link and text"):format(tostring(item.type))
    end
    return fields.check(item, own, "field")
        or fields.required(item, NEEDED[item.type], own)
        or (item.resource and wrong_resource(item.resource))
        or nil
end

--- A result for programs, with a text for agents: by default the value as JSON.
---@param value any
---@param text? string|table
function content.structured(value, text) return { structured = value, content = text } end

return content
