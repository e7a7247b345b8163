--- What a server can ask a client: forms, addresses to open, completions of its model, its roots. Makes the requests,
--- knows which capability each needs, and judges answers.
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local revisions = require("mcp.revisions")
local schema = require("schema")
local schema_text = require("mcp.schema_text")

local questions = {}

---@class mcp.Question
---@field method string
---@field params table

--- A form with the properties of a flat schema.
---@return mcp.Question
function questions.form(message, requested)
    schema_text.mark(requested)
    return { method = "elicitation/create", params = { message = message, requestedSchema = requested } }
end

--- An address that the user should open.
---@return mcp.Question
function questions.address(message, url)
    return { method = "elicitation/create", params = { mode = "url", message = message, url = url } }
end

--- A completion by the client's model.
---@param params table of sampling/createMessage
---@return mcp.Question
function questions.sample(params)
    for _, name in ipairs({ "messages", "stopSequences", "tools" }) do
        if type(params[name]) == "table" then json.array(params[name]) end
    end
    return { method = "sampling/createMessage", params = params }
end

--- The folders that the client works in.
---@return mcp.Question
function questions.roots() return { method = "roots/list", params = json.object({}) } end

-- A capability as the table that a client declares.
local function needed(question)
    local params = question.params
    if question.method == "roots/list" then return { roots = {} } end
    if question.method == "sampling/createMessage" then return { sampling = params.tools and { tools = {} } or {} } end
    return { elicitation = params.mode == "url" and { url = {} } or {} }
end

-- An empty elicitation capability means forms; one that names only `url` does not.
local function takes_forms(capability) return next(capability) == nil or capability.form ~= nil end

local function has(capabilities, wanted)
    for name, parts in pairs(wanted) do
        local declared = capabilities[name]
        if not jsonrpc.is_object(declared) then return false end
        for part in pairs(parts) do
            if not jsonrpc.is_object(declared[part]) then return false end
        end
        if name == "elicitation" and next(parts) == nil and not takes_forms(declared) then return false end
    end
    return true
end

--- The capability that the client lacks for a question, or nil.
---@param question mcp.Question
---@param capabilities table
---@param revision mcp.Revision
---@return table?
function questions.missing(question, capabilities, revision)
    local wanted = needed(question)
    if revisions.can_ask(question, revision) and has(capabilities, wanted) then return nil end
    return wanted
end

local ACTIONS = { accept = true, decline = true, cancel = true }

local function judge_form(question, answer)
    if not ACTIONS[answer.action] then return "malformed" end
    if answer.action ~= "accept" or question.params.mode == "url" then return nil end
    if not jsonrpc.is_object(answer.content) then return "incomplete" end
    local check = schema.compile(question.params.requestedSchema)
    return not check(answer.content) and "incomplete" or nil
end

local function judge_roots(_, answer)
    if not json.is_array(answer.roots) then return "malformed" end
    for _, root in ipairs(answer.roots) do
        if not jsonrpc.is_object(root) or type(root.uri) ~= "string" then return "malformed" end
        if root.name ~= nil and type(root.name) ~= "string" then return "malformed" end
    end
end

-- What the parts of a model's answer have beside their type, as far as it must be text.
local PARTS = { text = { "text" }, image = { "data", "mimeType" }, audio = { "data", "mimeType" } }

local function is_part(part)
    if not jsonrpc.is_object(part) or type(part.type) ~= "string" then return false end
    for _, name in ipairs(PARTS[part.type] or {}) do
        if type(part[name]) ~= "string" then return false end
    end
    return true
end

local ROLES = { assistant = true, user = true }

-- The content is one part, or a list of them where the model was given tools.
local function judge_sample(_, answer)
    local content = answer.content
    if not ROLES[answer.role] or type(content) ~= "table" then return "malformed" end
    for _, part in ipairs(json.is_array(content) and content or { content }) do
        if not is_part(part) then return "malformed" end
    end
end

local JUDGES = {
    ["elicitation/create"] = judge_form, ["roots/list"] = judge_roots, ["sampling/createMessage"] = judge_sample,
}

--- What is wrong with an answer: "malformed" for what is no answer at all, "incomplete" for a form that does not fit.
---@param question mcp.Question
---@param answer any
---@return "malformed"|"incomplete"|nil
function questions.judge(question, answer)
    if not jsonrpc.is_object(answer) then return "malformed" end
    return JUDGES[question.method](question, answer)
end

return questions
