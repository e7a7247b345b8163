--- resources/read: from the parameters of the request to the text of its result.
local context = require("mcp.context")
local crypto = require("crypto")
local fields = require("mcp.fields")
local invoke = require("mcp.invoke")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local revisions = require("mcp.revisions")

local read = {}

local function not_found(uri, exchange, why)
    return jsonrpc.failure(revisions.resource_not_found(exchange.revision), why or "Resource not found", { uri = uri })
end

local ITEM = { uri = "string", mimeType = "string", text = "string", blob = "string", _meta = "table" }

-- One of `contents`; bytes become base64.
local function item_of(resource, uri, given)
    if type(given) == "string" then given = { text = given } end
    if type(given) ~= "table" then return nil, "a content is a " .. type(given) end
    local complaint = fields.check(given, ITEM, "a content: field")
    if complaint then return nil, complaint end
    if (given.text == nil) == (given.blob == nil) then return nil, "a content needs either text or blob" end
    return {
        uri = given.uri or uri, mimeType = given.mimeType or resource.mime_type, text = given.text,
        blob = given.blob and crypto.base64(given.blob), _meta = given._meta,
    }
end

local function contents_of(resource, uri, value)
    local list, contents = value, json.array({})
    if type(value) ~= "table" or value.text or value.blob then list = { value } end
    for position, given in ipairs(list) do
        local item, complaint = item_of(resource, uri, given)
        if not item then return nil, complaint end
        contents[position] = item
    end
    if #contents == 0 then return nil, "there is no content; return nil and a message for what is not there" end
    return contents
end

--- Reads the resource that `params` name.
---@param registry mcp.Registry
---@param params table
---@param exchange mcp.Exchange
---@return string? result JSON text
---@return mcp.Failure?
function read.run(registry, params, exchange)
    local uri = params.uri
    if type(uri) ~= "string" then
        return nil, jsonrpc.failure(jsonrpc.INVALID_PARAMS, "Invalid params: uri must be a string")
    end
    local resource, variables = registry:resource(uri)
    if not resource then return nil, not_found(uri, exchange) end
    exchange:may_take_long(invoke.stopped(resource.name, exchange))
    local ctx = context.new(resource.name, exchange, jsonrpc.is_object(params._meta) and params._meta or {})
    ctx.uri = uri
    local value, message, trouble = invoke.run(resource.handler, variables, ctx)
    if trouble and trouble.refusal then return nil, trouble.refusal end
    if trouble then return invoke.internal(resource.name, trouble.trace) end
    if value == nil then return nil, not_found(uri, exchange, message) end
    local contents, complaint = contents_of(resource, uri, value)
    if not contents then return invoke.internal(resource.name, complaint) end
    local made = exchange:cacheable({ contents = revisions.contents(contents, exchange.revision) }, resource.ttl_ms)
    return invoke.encode(resource.name, made, exchange)
end

return read
