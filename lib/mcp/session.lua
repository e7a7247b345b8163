--- Sessions of the handshake era. The id says it all and is signed: nothing is kept for a session that does nothing, and
--- an id is good after a restart and at every worker. What a session changes (log level, subscriptions) and that it was
--- ended lives in `shared`, under its nonce.
local clock = require("clock")
local crypto = require("crypto")
local json = require("json")
local seal = require("mcp.seal")
local shared = require("shared")

local session = {}

local PURPOSE = "session"
local LIFE_MS = 30 * 86400000

---@class mcp.Session
---@field nonce string names it within the server
---@field revision mcp.Revision what was negotiated
---@field capabilities table what the client can be asked, as it said in initialize
---@field client mcp.Client

-- Of a client's capabilities those that a server may use; the id is a header and must stay short.
local function useful(capabilities)
    local kept = {}
    for _, name in ipairs({ "elicitation", "sampling", "roots" }) do
        local capability = capabilities[name]
        if type(capability) == "table" then
            kept[name] = {}
            for _, part in ipairs({ "form", "url", "tools", "context" }) do
                if type(capability[part]) == "table" then kept[name][part] = {} end
            end
        end
    end
    return kept
end

--- Begins a session; returns its id for the client.
---@param principal string who may use it
---@param revision mcp.Revision
---@param capabilities table
---@param client mcp.Client
---@return string id
function session.mint(principal, revision, capabilities, client)
    return seal.sign(PURPOSE, {
        n = crypto.random_text(12), p = principal, v = revision, t = clock.now_ms() // 1000,
        c = useful(capabilities), i = { client.name, client.version },
    })
end

-- Each kind under a word of its own: see `shared`.
local function ended_key(nonce) return "ended session " .. nonce end
local function level_key(nonce) return "level session " .. nonce end

-- All requests of a session bring the same id. What is in the last ones that were verified stays at hand, by their digest:
-- looking for that tells nothing about an id.
local VERIFIED_MAX = 256
local verified, count = {}, 0

local function content_of(id)
    local digest = crypto.sha256(id)
    if not verified[digest] then
        local content = seal.verify(PURPOSE, id)
        if not content then return nil end
        if count == VERIFIED_MAX then verified, count = {}, 0 end
        verified[digest], count = content, count + 1
    end
    return verified[digest]
end

--- The session of an id; nil for one that is not ours, belongs to somebody else, is too old or was ended.
---@param id string
---@param principal string
---@return mcp.Session?
function session.read(id, principal)
    local content = content_of(id)
    if not content or content.p ~= principal then return nil end
    if content.t * 1000 + LIFE_MS < clock.now_ms() or shared.get(ended_key(content.n)) then return nil end
    return {
        nonce = content.n, revision = content.v, capabilities = useful(content.c),
        client = { name = content.i[1], version = content.i[2] },
    }
end

--- Ends a session for good.
---@param self mcp.Session
function session.finish(self) shared.put(ended_key(self.nonce), "", LIFE_MS) end

--- The lowest level of log messages that the session wants.
---@return string?
function session.log_level(nonce) return shared.get(level_key(nonce)) end

function session.set_log_level(nonce, level) shared.put(level_key(nonce), level, LIFE_MS) end

local SUBSCRIBERS_MAX = 1000

local function subscribers_key(uri) return "subscribers " .. uri end

--- The nonces of the sessions that subscribed to a resource.
---@param uri string
---@return string[]
function session.subscribers(uri)
    local text = shared.get(subscribers_key(uri))
    return text and json.decode(text) or {}
end

local function put_subscribers(uri, nonces)
    if #nonces == 0 then
        shared.remove(subscribers_key(uri))
    else
        shared.put(subscribers_key(uri), json.encode(json.array(nonces)), LIFE_MS)
    end
end

--- Puts a session on the list of a resource, or takes it off. Most sessions are never ended, so a list that is full loses
--- who came first.
---@param nonce string
---@param uri string
---@param wanted boolean
function session.subscribe(nonce, uri, wanted)
    local kept = {}
    for _, other in ipairs(session.subscribers(uri)) do
        if other ~= nonce then kept[#kept + 1] = other end
    end
    if wanted and #kept >= SUBSCRIBERS_MAX then table.remove(kept, 1) end
    if wanted then kept[#kept + 1] = nonce end
    put_subscribers(uri, kept)
end

return session
