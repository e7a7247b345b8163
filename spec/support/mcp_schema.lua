--- Checks messages of the server against the published schema of their revision, with the validator of this project.
local json = require("json")
local schema = require("schema")
local tmp = require("spec.support.tmp")

local mcp_schema = {}

local MODERN = "2026-07-28"

local RESULTS = {
    initialize = "InitializeResult", ping = "EmptyResult", ["tools/list"] = "ListToolsResult",
    ["tools/call"] = "CallToolResult", ["resources/list"] = "ListResourcesResult",
    ["resources/templates/list"] = "ListResourceTemplatesResult", ["resources/read"] = "ReadResourceResult",
    ["prompts/list"] = "ListPromptsResult", ["prompts/get"] = "GetPromptResult", ["completion/complete"] = "CompleteResult",
    ["logging/setLevel"] = "EmptyResult", ["resources/subscribe"] = "EmptyResult", ["resources/unsubscribe"] = "EmptyResult",
    ["server/discover"] = "DiscoverResult", ["subscriptions/listen"] = "SubscriptionsListenResult",
    -- of the tasks extension, for which nothing is published: what every result has
    ["tasks/get"] = "Result", ["tasks/update"] = "Result", ["tasks/cancel"] = "Result",
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
    ["notifications/tasks"] = "JSONRPCNotification",
    ["sampling/createMessage"] = "CreateMessageRequest", ["elicitation/create"] = "ElicitRequest",
    ["roots/list"] = "ListRootsRequest",
}

local ERRORS = {
    [-32020] = "HeaderMismatchError", [-32021] = "MissingRequiredClientCapabilityError",
    [-32022] = "UnsupportedProtocolVersionError",
}

-- What only the newest revision has around a result; the schemas of the others would let it pass.
local MODERN_MEMBERS = { "resultType", "ttlMs", "cacheScope", "inputRequests", "requestState" }

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

local function complain(message, text) error(("%s %s"):format(json.encode(message, { sort = true }), text), 0) end

local function expect(revision, name, value, message)
    local ok, errors = check_of(revision, name)(value)
    if ok then return end
    complain(message, ("is no %s of %s: %s"):format(name, revision, schema.explain(errors)))
end

-- JSON-RPC wants an id of null where none could be read. The schemas before 2025-11-25 know neither that nor an error
-- without id; those since then want the id left out.
local function with_id(message, revision)
    local is_older = revision == nil or revision < "2025-11-25"
    if not message.error or message.id ~= json.null or not is_older then return message end
    return { jsonrpc = message.jsonrpc, id = 0, error = message.error }
end

local function check_message(message, revision)
    local name = MESSAGES[message.method]
    if not name then complain(message, "has a method that servers do not send") end
    if revision == MODERN and message.id ~= nil then complain(message, "is a request, which " .. revision .. " forbids") end
    expect(revision, name, message, message)
end

local function check_result(message, revision, method)
    local result = message.result
    if revision ~= MODERN then
        for _, name in ipairs(MODERN_MEMBERS) do
            if result[name] ~= nil then complain(message, ("has %s, which %s does not know"):format(name, revision)) end
        end
    end
    if not method then return end
    local name = SPECIAL[result.resultType] or RESULTS[method]
    if not name then complain(message, "is a result of " .. method .. ", which has none") end
    expect(revision, name, result, message)
    if name == "EmptyResult" and next(result) ~= nil then complain(message, "is no empty result") end
    if method == "tasks/get" and result.result then expect(revision, "CallToolResult", result.result, message) end
end

--- Raises unless the message is one of the revision.
---@param message table decoded with the module json
---@param revision? string nil: the server cannot know it, and answers in the newest that begins with initialize
---@param method? string of the request that a result answers, if it is known
function mcp_schema.check(message, revision, method)
    message = with_id(message, revision)
    revision = revision or "2025-11-25"
    expect(revision, "JSONRPCMessage", message, message)
    if message.method then
        check_message(message, revision)
    elseif message.result then
        check_result(message, revision, method)
    else
        local name = revision == MODERN and ERRORS[message.error.code]
        if name then expect(revision, name, message, message) end
    end
end

return mcp_schema
