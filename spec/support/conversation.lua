--- What was asked of a server, so that each message that it sends can be checked against the published schema of the
--- revision that the message belongs to. Knows messages, no transport: see spec.support.tap and spec.support.pipe.
local json = require("json")
local mcp_schema = require("spec.support.mcp_schema")

local conversation = {}

local VERSION = "io.modelcontextprotocol/protocolVersion"
local MODERN = "2026-07-28"
local LISTS = "2025-03-26" -- the revision of those who send them, and say nothing else
local HANDSHAKE = { ["2024-11-05"] = true, ["2025-03-26"] = true, ["2025-06-18"] = true, ["2025-11-25"] = true }

local function is_object(value) return type(value) == "table" and not json.is_array(value) end

local function key(id) return json.encode(id) end

-- The messages of a text: a list of one or many; empty for what is none.
local function messages_of(text)
    local message = text and json.decode(text)
    if json.is_array(message) then return message end
    return is_object(message) and { message } or {}
end

---@class spec.Asked what one side asked in one go, or (of a session, of a pipe) so far
---@field revision? string nil: nothing says it
---@field methods table<string, string> by id
---@field modern table<string, boolean> ids of requests that belong to the newest revision by what they say
---@field began? string the revision of a session that has begun with this
---@field complete? boolean nothing else was asked: other answers are wrong
local Asked = {}
Asked.__index = Asked

---@param revision? string
---@return spec.Asked
function conversation.new(revision) return setmetatable({ revision = revision, methods = {}, modern = {} }, Asked) end

local function claims(message)
    local params = message.params
    local meta = is_object(params) and params._meta
    return is_object(meta) and meta[VERSION] ~= nil
end

--- Takes in what was sent to the server.
function Asked:ask(text)
    for _, message in ipairs(messages_of(text)) do
        if is_object(message) and message.method and message.id ~= nil then
            self.methods[key(message.id)] = message.method
            self.modern[key(message.id)] = claims(message) or nil
        end
        if is_object(message) and claims(message) then self.claimed = true end
    end
end

-- A message to nobody in particular is of the newest revision where it says so.
local function is_of_subscription(message)
    local body = is_object(message.params) and message.params or {}
    return is_object(body._meta) and body._meta["io.modelcontextprotocol/subscriptionId"] ~= nil
end

local function revision_of(self, message, method)
    if method == "initialize" and message.result then return message.result.protocolVersion end
    local asked_so = message.id ~= nil and message.method == nil and self.modern[key(message.id)]
    if asked_so or is_of_subscription(message) then return MODERN end
    return self.revision
end

local function check(self, message)
    local is_answer = message.method == nil and message.id ~= nil and message.id ~= json.null
    local method = is_answer and self.methods[key(message.id)] or nil
    if is_answer and self.complete and not method and message.result then
        error(json.encode(message) .. " answers what was not asked", 0)
    end
    mcp_schema.check(message, revision_of(self, message, method), method)
    if method == "initialize" and message.result then self.began = message.result.protocolVersion end
    if self.is_pipe then self.revision = self.began end
end

--- Checks what the server sent; raises for what is no message, or none of its revision.
function Asked:hear(text)
    local decoded, complaint = json.decode(text)
    if decoded == nil then error(("the server sent no JSON: %s: %s"):format(complaint, text:sub(1, 200)), 0) end
    if not json.is_array(decoded) then return check(self, decoded) end
    if self.revision and self.revision ~= LISTS then error("a list of messages in " .. self.revision, 0) end
    for _, message in ipairs(decoded) do check(self, message) end
end

--- What is asked on a pipe, which is a session by itself.
---@return spec.Asked
function conversation.of_pipe()
    local asked = conversation.new()
    asked.is_pipe = true
    return asked
end

--- Checks what was written on a pipe for what was read from it.
function conversation.check_lines(input, output)
    local asked = conversation.of_pipe()
    for line in input:gmatch("[^\n]+") do asked:ask(line) end
    for line in output:gmatch("[^\n]*\n") do asked:hear(line) end
end

local sessions = {} -- by id: the revision, and what was asked in them

--- A session began in that revision.
function conversation.begin(id, revision) sessions[id] = conversation.new(revision) end

--- What one HTTP request asks.
---@param headers table<string, string> by lower-case name
---@param body? string nil: it is not known
---@return spec.Asked
function conversation.of_request(headers, body)
    local version, session = headers["mcp-protocol-version"], sessions[headers["mcp-session-id"]]
    local is_list = body ~= nil and json.is_array((json.decode(body)))
    local named = HANDSHAKE[version] and version or is_list and LISTS or nil
    local asked = conversation.new(session and session.revision or named)
    asked:ask(body)
    if asked.claimed or (version and not HANDSHAKE[version]) then
        asked.revision = MODERN
    elseif session then -- whose streams may be resumed: they bring answers to earlier requests
        session:ask(body)
        asked.methods = session.methods
    end
    asked.complete = body ~= nil and headers["last-event-id"] == nil
    return asked
end

return conversation
