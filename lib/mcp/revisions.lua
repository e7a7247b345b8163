--- The revisions of the protocol, and the one place that knows what an older one must not see.
---
--- Everything is written in the form of the newest revision; `tool` and `result` take away what the asked
--- revision does not have. What only the newest has around a result (resultType, ttlMs, cacheScope, serverInfo)
--- is added by mcp.modern and never has to be taken away.
local json = require("json")

local revisions = {}

---@alias mcp.Revision "2024-11-05"|"2025-03-26"|"2025-06-18"|"2025-11-25"|"2026-07-28"

revisions.modern = "2026-07-28"
revisions.handshake = "2025-11-25" -- the newest that begins with initialize
revisions.supported = { "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" } -- newest first

-- First revision that has the field. Revisions are dates: they compare as text.
local TOOL_FIELDS = {
    annotations = "2025-03-26",
    title = "2025-06-18",
    outputSchema = "2025-06-18",
    _meta = "2025-06-18",
    icons = "2025-11-25",
}
local ENTRY_FIELDS = { title = "2025-06-18", _meta = "2025-06-18", icons = "2025-11-25" } -- of resources and prompts
local RESULT_FIELDS = { structuredContent = "2025-06-18" }
local ANNOTATION_FIELDS = { lastModified = "2025-06-18" } -- of content and resources
local CONTENT_FIELDS = { _meta = "2025-06-18", title = "2025-06-18", icons = "2025-11-25" }
local CAPABILITIES = { completions = "2025-03-26", extensions = "2026-07-28" }
local PROGRESS_FIELDS = { message = "2025-03-26" }
local SERVER_FIELDS = { title = "2025-06-18", description = "2025-11-25", websiteUrl = "2025-11-25", icons = "2025-11-25" }

-- First revision in which a client can be asked this.
local QUESTIONS = {
    ["sampling/createMessage"] = "2024-11-05", ["roots/list"] = "2024-11-05", ["elicitation/create"] = "2025-06-18",
}

-- Since this revision forms have titled choices and choices of several.
local RICH_FORMS = "2025-11-25"

-- First revision that has the kind of content, and what older ones get instead.
local CONTENT_TYPES = {
    audio = {
        since = "2025-03-26",
        older = function(item) return ("[audio, %s: this client's protocol revision has none]"):format(item.mimeType) end,
    },
    resource_link = {
        since = "2025-06-18",
        older = function(item) return ("%s: %s"):format(item.name, item.uri) end,
    },
}

-- Since this revision results have all that ours have, but for structured content that is no object.
local COMPLETE = "2025-11-25"

local known = {}
for _, revision in ipairs(revisions.supported) do known[revision] = true end

--- A revision that is served.
function revisions.is_known(revision) return known[revision] == true end

--- A revision of the stateless era that is served.
function revisions.is_modern(revision) return revision == revisions.modern end

--- A revision of the handshake era that is served.
function revisions.is_legacy(revision) return known[revision] == true and revision ~= revisions.modern end

local function without(object, fields, revision)
    local copy = {}
    for name, value in pairs(object) do
        local since = fields[name]
        if not since or revision >= since then copy[name] = value end
    end
    return copy
end

-- Up to the last revision of the handshake era a property's schema is an object, never a boolean.
local function with_object_properties(schema)
    local copy, properties = {}, {}
    for keyword, value in pairs(schema) do copy[keyword] = value end
    for name, property in pairs(schema.properties or {}) do
        if property == true then property = {} end
        if property == false then property = { ["not"] = {} } end
        properties[name] = property
    end
    copy.properties = schema.properties and properties
    return copy
end

--- A tool of tools/list as the revision knows it.
---@param definition table in the form of the newest revision; not changed
---@param revision mcp.Revision
---@return table
function revisions.tool(definition, revision)
    if revisions.is_modern(revision) then return definition end
    local copy = without(definition, TOOL_FIELDS, revision)
    copy.inputSchema = with_object_properties(definition.inputSchema)
    local output = copy.outputSchema
    if output then copy.outputSchema = output.type == "object" and with_object_properties(output) or nil end
    return copy
end

-- The same with the annotations that the revision knows.
local function annotated(copy, revision)
    if copy.annotations then copy.annotations = without(copy.annotations, ANNOTATION_FIELDS, revision) end
    return copy
end

--- A resource of resources/list as the revision knows it.
function revisions.resource(public, revision) return annotated(without(public, ENTRY_FIELDS, revision), revision) end

--- A template of resources/templates/list as the revision knows it.
revisions.template = revisions.resource

--- A prompt of prompts/list as the revision knows it.
function revisions.prompt(public, revision)
    local copy = without(public, ENTRY_FIELDS, revision)
    if not copy.arguments or revision >= ENTRY_FIELDS.title then return copy end
    copy.arguments = json.array({})
    for position, argument in ipairs(public.arguments) do
        copy.arguments[position] = without(argument, ENTRY_FIELDS, revision)
    end
    return copy
end

--- What the server can do as the revision knows it.
function revisions.capabilities(capabilities, revision) return without(capabilities, CAPABILITIES, revision) end

--- Who the server is as the revision knows it.
function revisions.server(info, revision) return without(info, SERVER_FIELDS, revision) end

--- The parameters of notifications/progress as the revision knows them.
function revisions.progress(params, revision) return without(params, PROGRESS_FIELDS, revision) end

local function chooses_several(question)
    local form = question.params and question.params.requestedSchema
    for _, property in pairs(form and form.properties or {}) do
        if type(property) == "table" and property.type == "array" then return true end
    end
    return false
end

--- Whether a client of the revision can be asked this.
---@param question mcp.Question
function revisions.can_ask(question, revision)
    if revision < QUESTIONS[question.method] then return false end
    return revision >= RICH_FORMS or not chooses_several(question)
end

-- A choice with titles, as it was written before.
local function choice(property)
    local copy = { enum = json.array({}), enumNames = json.array({}) }
    for name, value in pairs(property) do copy[name] = value end
    for position, option in ipairs(property.oneOf) do
        copy.enum[position], copy.enumNames[position] = option.const, option.title
    end
    copy.oneOf, copy.default = nil, nil
    return copy
end

--- The schema of a form as the revision knows it.
---@param form table not changed
function revisions.form(form, revision)
    if revision >= RICH_FORMS then return form end
    local copy, properties = {}, {}
    for name, value in pairs(form) do copy[name] = value end
    for name, property in pairs(form.properties or {}) do
        properties[name] = type(property) == "table" and property.oneOf and choice(property) or property
    end
    copy.properties = json.object(properties)
    return copy
end

--- What a revision calls a resource that is not there.
---@return integer code
function revisions.resource_not_found(revision) return revisions.is_modern(revision) and -32602 or -32002 end

--- Whether results say how long they may be kept.
function revisions.has_cache_hints(revision) return revisions.is_modern(revision) end

-- Since this revision streams begin with an event from which the client can resume, and may be left early.
local RESUMES_FROM_START = "2025-11-25"

--- Whether a client understands an event without data, and comes back when its stream ends before the answer.
function revisions.resumes_from_start(revision) return revision >= RESUMES_FROM_START end

-- Before this revision errors have an id, and it is null where none could be read.
local LEAVES_OUT_IDS = "2025-11-25"

--- The id of an error that answers what has none: json.null, or nil to leave it out.
---@param revision? mcp.Revision nil: the client has not said it
function revisions.no_id(revision)
    local is_older = revision == nil or (known[revision] and revision < LEAVES_OUT_IDS)
    return is_older and json.null or nil
end

--- The only revision in which a body may be a list of messages. Who sends one and names no revision speaks it: only later
--- ones have a header for that.
revisions.BATCHES = "2025-03-26"

local function content_item(item, revision)
    local kind = CONTENT_TYPES[item.type]
    if kind and revision < kind.since then return { type = "text", text = kind.older(item) } end
    local copy = annotated(without(item, CONTENT_FIELDS, revision), revision)
    if copy.resource then copy.resource = without(copy.resource, CONTENT_FIELDS, revision) end
    return copy
end

local function content(items, revision)
    if revision >= COMPLETE then return items end
    local copy = json.array({})
    for position, item in ipairs(items) do copy[position] = content_item(item, revision) end
    return copy
end

--- The messages of prompts/get as the revision knows them.
function revisions.messages(messages, revision)
    if revision >= COMPLETE then return messages end
    local copy = json.array({})
    for position, message in ipairs(messages) do
        copy[position] = { role = message.role, content = content_item(message.content, revision) }
    end
    return copy
end

--- The contents of resources/read as the revision knows them.
function revisions.contents(contents, revision)
    if revision >= CONTENT_FIELDS._meta then return contents end
    local copy = json.array({})
    for position, item in ipairs(contents) do copy[position] = without(item, CONTENT_FIELDS, revision) end
    return copy
end

--- The result of tools/call as the revision knows it.
---@param result table in the form of the newest revision; not changed
---@param revision mcp.Revision
---@return table
function revisions.result(result, revision)
    local structured = result.structuredContent
    local fits = structured == nil or json.is_object(structured)
    if revisions.is_modern(revision) or (fits and revision >= COMPLETE) then return result end
    local copy = without(result, RESULT_FIELDS, revision)
    if not fits then copy.structuredContent = nil end
    copy.content = content(result.content, revision)
    return copy
end

return revisions
