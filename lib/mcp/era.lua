--- Which era a message belongs to: the handshake revisions ("legacy") or the stateless ones ("modern").
local jsonrpc = require("mcp.jsonrpc")
local revisions = require("mcp.revisions")

local era = {}

era.VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
era.UNSUPPORTED_VERSION = -32022

--- The answer to a revision that is not served.
function era.unsupported(requested)
    return jsonrpc.failure(era.UNSUPPORTED_VERSION, "Unsupported protocol version",
        { supported = revisions.supported, requested = requested })
end

-- A client of the stateless era says the revision in each message.
local function claimed(message)
    local params = message.params
    local meta = jsonrpc.is_object(params) and params._meta
    if not jsonrpc.is_object(meta) then return nil end
    return meta[era.VERSION_KEY]
end

--- Chooses by what the message claims, then by the header. A message without either is of the handshake era:
--- scripts post tools/call with nothing but a bearer.
---@param header string? MCP-Protocol-Version
---@param message table a message that jsonrpc.classify accepts
---@return "modern"|"legacy"|nil
---@return mcp.Failure?
function era.choose(header, message)
    if claimed(message) ~= nil or revisions.is_modern(header) then return "modern" end
    if header == nil or revisions.is_legacy(header) then return "legacy" end
    return nil, era.unsupported(header)
end

return era
