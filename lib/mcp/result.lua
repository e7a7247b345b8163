--- What a handler gave back becomes a CallToolResult in the form of the newest revision.
---
--- A handler returns a string, a list of content items, a table with `content` and/or `structured` (and `isError`),
--- or nil and a message for the agent. Where the tool's output schema has a property `result`, the text of the
--- answer is put there unless the handler did it itself.
local content = require("mcp.content")
local json = require("json")

local result = {}

local function text_item(value) return { type = "text", text = value } end

--- The result that tells the agent what went wrong.
---@param message string
---@return table
function result.failure(message)
    return { content = json.array({ text_item(message) }), isError = true }
end

local function malformed(what)
    return nil, what .. "; return a string, a content list, {content=, structured=} or nil and a message"
end

local function content_of(value)
    if type(value) == "string" then return json.array({ text_item(value) }) end
    if type(value) ~= "table" then return malformed("content is a " .. type(value)) end
    if value.type then value = { value } end
    local items = json.array({})
    for position, item in ipairs(value) do
        if type(item) == "string" then item = text_item(item) end
        local complaint = content.complaint(item)
        if complaint then return malformed(("content item %d: %s"):format(position, complaint)) end
        items[position] = item
    end
    return items
end

local function first_text(items)
    local item = items[1]
    return item and item.type == "text" and item.text or nil
end

-- Whether the text of the answer belongs into the structured content.
local function wants_text(tool)
    local properties = tool.output and tool.output.properties
    return properties ~= nil and properties.result ~= nil
end

-- The structured content, with the text in it where the tool's output schema has a place for that.
local function structured_of(tool, given, items)
    if not wants_text(tool) then return given end
    local complete = { result = first_text(items) }
    for name, value in pairs(given or {}) do complete[name] = value end
    return complete
end

-- Programs get the data as text too: not every client looks at structured content.
local function text_of(structured)
    return structured ~= nil and json.encode(structured, { sort = true }) or nil
end

local TABLE_FIELDS = { content = true, structured = true, isError = true, _meta = true }

local function is_envelope(value)
    if type(value) ~= "table" then return false end
    return value.content ~= nil or value.structured ~= nil or value.isError ~= nil
end

local function from_envelope(tool, value)
    for name in pairs(value) do
        if not TABLE_FIELDS[name] then return malformed(("the result has an unknown field %s"):format(tostring(name))) end
    end
    if value.isError ~= nil and type(value.isError) ~= "boolean" then
        return malformed("isError must be true or false, got a " .. type(value.isError))
    end
    if value._meta ~= nil and type(value._meta) ~= "table" then return malformed("_meta is a " .. type(value._meta)) end
    local items, complaint = content_of(value.content or text_of(value.structured) or "")
    if not items then return nil, complaint end
    local failed = value.isError == true
    local structured = value.structured
    if not failed then structured = structured_of(tool, structured, items) end
    return { content = items, structuredContent = structured, isError = failed, _meta = value._meta }
end

-- The common case, and the one to be quick about.
local function from_text(tool, value)
    return {
        content = json.array({ text_item(value) }), isError = false,
        structuredContent = wants_text(tool) and { result = value } or nil,
    }
end

--- Builds the result from what the handler returned.
---@param tool mcp.Tool
---@param value any first return value
---@param message any second return value
---@return table? result
---@return string? complaint what is wrong with the handler, for the log
function result.from(tool, value, message)
    if type(value) == "string" then return from_text(tool, value) end
    if value == nil and type(message) == "string" then return result.failure(message) end
    if value == nil then return malformed("the handler returned nothing") end
    return from_envelope(tool, is_envelope(value) and value or { content = value })
end

return result
