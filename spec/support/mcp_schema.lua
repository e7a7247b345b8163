--- Checks messages of the server against the published schema of their revision, with the validator of this project.
local json = require("json")
local schema = require("schema")
local tmp = require("spec.support.tmp")

local mcp_schema = {}

local RESULTS = {
    initialize = "InitializeResult", ping = "EmptyResult", ["tools/list"] = "ListToolsResult",
    ["tools/call"] = "CallToolResult", ["resources/list"] = "ListResourcesResult",
    ["resources/templates/list"] = "ListResourceTemplatesResult", ["resources/read"] = "ReadResourceResult",
    ["prompts/list"] = "ListPromptsResult", ["prompts/get"] = "GetPromptResult", ["completion/complete"] = "CompleteResult",
    ["logging/setLevel"] = "EmptyResult", ["resources/subscribe"] = "EmptyResult", ["resources/unsubscribe"] = "EmptyResult",
    ["server/discover"] = "DiscoverResult", ["subscriptions/listen"] = "SubscriptionsListenResult",
}
-- Results that are none of the method's own.
local SPECIAL = { input_required = "InputRequiredResult", task = "Result" }

local MESSAGES = {
    ["notifications/progress"] = "ProgressNotification", ["notifications/message"] = "LoggingMessageNotification",
    ["notifications/cancelled"] = "CancelledNotification",
    ["notifications/tools/list_changed"] = "ToolListChangedNotification",
    ["notifications/prompts/list_changed"] = "PromptListChangedNotification",
    ["notifications/resources/list_changed"] = "ResourceListChangedNotification",
    ["notifications/resources/updated"] = "ResourceUpdatedNotification",
    ["notifications/subscriptions/acknowledged"] = "SubscriptionsAcknowledgedNotification",
    ["sampling/createMessage"] = "CreateMessageRequest", ["elicitation/create"] = "ElicitRequest",
    ["roots/list"] = "ListRootsRequest",
}

local documents, checks = {}, {}

local function document(revision)
    if not documents[revision] then
        documents[revision] = json.decode(tmp.read("spec/fixtures/schema/" .. revision .. ".json"))
        documents[revision]["$schema"] = nil -- draft 7 where it differs from 2020-12 is not used in them
    end
    return documents[revision]
end

local function check_of(revision, name)
    local key = revision .. name
    if not checks[key] then
        local types = document(revision)
        local reference = { ["$ref"] = ("urn:mcp#/%s/%s"):format(types.definitions and "definitions" or "$defs", name) }
        checks[key] = schema.compile(reference, { documents = { ["urn:mcp"] = types }, max_schemas = 100000 })
    end
    return checks[key]
end

local function expect(revision, name, value, message)
    local ok, errors = check_of(revision, name)(value)
    if ok then return end
    error(("%s is no %s of %s: %s"):format(json.encode(message, { sort = true }), name, revision, schema.explain(errors)), 0)
end

--- Raises unless the message is one of the revision. `method` is that of the request that a result answers, if it is
--- known; methods of extensions have no schema.
---@param message table decoded with the module json
---@param revision string
---@param method? string
function mcp_schema.check(message, revision, method)
    if message.error and message.id == json.null then -- JSON-RPC wants it so where no id could be read
        message = { jsonrpc = message.jsonrpc, id = 0, error = message.error }
    end
    expect(revision, "JSONRPCMessage", message, message)
    if message.method then
        local name = MESSAGES[message.method]
        if name then expect(revision, name, message, message) end
    elseif message.result and method then
        local name = SPECIAL[message.result.resultType] or RESULTS[method]
        if name then expect(revision, name, message.result, message) end
    end
end

return mcp_schema
