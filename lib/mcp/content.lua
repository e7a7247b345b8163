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

--- A result for programs, with a text for agents: by default the value as JSON.
---@param value any
---@param text? string|table
function content.structured(value, text) return { structured = value, content = text } end

return content
