--- Headers in which clients of the stateless era repeat what is in the message, so that proxies may route by it. Where
--- the transport has no headers there is nothing to compare.
local era = require("mcp.era")
local jsonrpc = require("mcp.jsonrpc")
local parameter_headers = require("mcp.parameter_headers")
local revisions = require("mcp.revisions")
local sentinel = require("mcp.sentinel")

local modern_headers = {}

local HEADER_MISMATCH = -32020

-- Methods whose Mcp-Name header repeats a parameter.
local NAMED = {
    ["tools/call"] = "name", ["prompts/get"] = "name", ["resources/read"] = "uri",
    ["tasks/get"] = "taskId", ["tasks/update"] = "taskId", ["tasks/cancel"] = "taskId",
}

local function mismatch(text) return jsonrpc.failure(HEADER_MISMATCH, "Header mismatch: " .. text) end

-- Whoever routes by a header may look at another one of two than this server would.
local function said_by(transport, name, key)
    local said, count = transport:header(key)
    if not said then return nil, mismatch(name .. " is missing") end
    if count and count > 1 then return nil, mismatch(name .. " is given twice") end
    return said
end

local function wrong_version(asked, transport)
    local said, failure = said_by(transport, "MCP-Protocol-Version", "mcp-protocol-version")
    if not said then return failure end
    if said ~= asked then return mismatch("MCP-Protocol-Version does not match _meta") end
end

local function wrong_names(message, transport)
    local said, failure = said_by(transport, "Mcp-Method", "mcp-method")
    if not said then return failure end
    if said ~= message.method then return mismatch("Mcp-Method does not match the method") end
    local name = message.params[NAMED[message.method]]
    if type(name) ~= "string" then return nil end
    said, failure = said_by(transport, "Mcp-Name", "mcp-name")
    if not said then return failure end
    if sentinel.decode(said) ~= name then return mismatch("Mcp-Name does not match the name") end
end

--- What is wrong with revision and headers of a request whose `_meta` is right, or nil.
---@param message table
---@param transport mcp.Transport
---@return mcp.Failure?
function modern_headers.wrong(message, transport)
    local asked = message.params._meta[era.VERSION_KEY]
    local failure = transport.header and wrong_version(asked, transport)
    if failure then return failure end
    if not revisions.is_modern(asked) then return era.unsupported(asked) end
    return transport.header and wrong_names(message, transport) or nil
end

--- What is wrong between the arguments of a tool and the headers that repeat them, or nil.
---@param tool mcp.Tool
---@param arguments any
---@param transport mcp.Transport
---@return mcp.Failure?
function modern_headers.wrong_parameters(tool, arguments, transport)
    if not transport.header or #tool.headers == 0 then return nil end
    local given = jsonrpc.is_object(arguments) and arguments or {}
    local wrong = parameter_headers.disagreement(tool.headers, given, function(name) return transport:header(name) end)
    return wrong and mismatch(wrong) or nil
end

return modern_headers
