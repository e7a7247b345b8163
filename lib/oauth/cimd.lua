--- Clients whose id is the address of a document about them (Client ID Metadata Documents): from the table of well-known
--- ones, from memory, or fetched.
local crypto = require("crypto")
local fetch = require("fetch")
local form = require("oauth.form")
local host = require("host")
local json = require("json")
local known_clients = require("oauth.known_clients")
local log = require("oauth.journal")
local register = require("oauth.register")
local shared = require("shared")
local uri = require("oauth.uri")
local visible = require("oauth.visible")

local cimd = {}

local FAILURE_MS, LEAST_MS, MOST_MS = 30000, 300000, 86400000
local FETCH = { timeout_ms = 5000, limit = 65536 }
local NAME_MAX = 100

--- Is a client id of this kind: https with a path, without query tricks, fragment, user info and dot segments?
---@param id string
function cimd.is_id(id)
    local parsed = id:sub(1, 8) == "https://" and uri.parse(id)
    if not parsed or not parsed.host or parsed.path == "" or parsed.path == "/" then return false end
    return not (parsed.path .. "/"):find("/%.%.?/") and not parsed.path:lower():find("%%2e")
end

-- What a fetched document says; nil and why it cannot be used.
local function read(id, body)
    local document = json.decode(body)
    if type(document) ~= "table" or json.is_array(document) then return nil, "it is no JSON object" end
    if document.client_id ~= id then return nil, "its client_id is another one" end
    local comparable, failure = register.addresses(document.redirect_uris)
    if not comparable then return nil, failure.description end
    local name = type(document.client_name) == "string" and visible.name(document.client_name, NAME_MAX)
    return { name = name or uri.shown(id), redirects = comparable }
end

local function lifetime(cache_control)
    local seconds = tonumber(cache_control:lower():match("max%-age=(%d+)")) or 0
    return math.tointeger(math.max(LEAST_MS, math.min(seconds * 1000, MOST_MS))) or LEAST_MS
end

-- A host that serves files of its users serves few of them as JSON: those are not its own word.
local function is_json(content_type)
    local kind = form.media_type(content_type)
    return kind == "application/json" or kind:find("^application/[%w.+-]+%+json$") ~= nil
end

-- The document, or nil and why; last, for how long that holds: nil where it says nothing about the document.
local function fetch_document(id)
    local response, why, code = fetch.get(id, FETCH)
    if not response then return nil, why, code ~= "EBUSY" and FAILURE_MS or nil end
    if response.status ~= 200 then return nil, "the answer has status " .. response.status, FAILURE_MS end
    if not is_json(response.content_type) then return nil, "it is not served as application/json", FAILURE_MS end
    local document
    document, why = read(id, response.body)
    return document, why, document and lifetime(response.cache_control) or FAILURE_MS
end

-- Strangers choose ids: there are places for few documents, and a new one takes the place of another.
local function place_of(id) return "oauth/cimd/" .. crypto.sha256(id):byte() end

local function remembered(id)
    local kept = shared.get(place_of(id))
    local entry = kept and json.decode(kept)
    if not entry or entry.id ~= id then return nil end
    return entry.document or nil, entry.why, true
end

--- The document of a client id; nil and why there is none.
---@param id string
---@return oauth.Document?
---@return string? why
function cimd.find(id)
    local mode = host.setting("cimd")
    if mode == "off" then return nil, "this server does not read client documents" end
    local document = known_clients.find(id)
    if document then return document end
    if mode == "table" then return nil, "this server knows only the documents of a fixed table" end
    local entry, why, known = remembered(id)
    if known then return entry, why end
    local ttl
    document, why, ttl = fetch_document(id)
    log.attempt("client document fetched", { client = uri.shown(id), outcome = document and "read" or "refused", reason = why })
    if ttl then shared.put(place_of(id), json.encode({ id = id, document = document, why = why }), ttl) end
    return document, why
end

return cimd
