--- The methods that both eras have: lists, and what they list. Each gets the server, the parameters and the exchange,
--- and gives the text of a result, or an error and, where it matters, its HTTP status.
local call = require("mcp.call")
local complete = require("mcp.complete")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local prompts = require("mcp.prompts")
local read = require("mcp.read")

local offer = {}

---@alias mcp.Method fun(server: mcp.Server, params: table, exchange: mcp.Exchange): string?, mcp.Failure?, integer?

-- The items are text already; what stands around them is small.
local function list(kind, member)
    return function(server, params, exchange)
        local cursor = params.cursor
        if cursor == json.null then cursor = nil end
        local page = server.registry[kind]:page(exchange.revision, cursor)
        if not page then return nil, jsonrpc.failure(jsonrpc.INVALID_PARAMS, "Invalid params: there is no such cursor") end
        local around = exchange:encode(exchange:cacheable({ nextCursor = page.next }, 0))
        return ('{"%s":%s%s%s'):format(member, page.items, around == "{}" and "" or ",", around:sub(2))
    end
end

---@type table<string, mcp.Method>
offer.methods = {
    ["tools/list"] = list("tools", "tools"),
    ["resources/list"] = list("resources", "resources"),
    ["resources/templates/list"] = list("templates", "resourceTemplates"),
    ["prompts/list"] = list("prompts", "prompts"),
    ["tools/call"] = function(server, params, exchange) return call.run(server.registry, params, exchange) end,
    ["resources/read"] = function(server, params, exchange) return read.run(server.registry, params, exchange) end,
    ["prompts/get"] = function(server, params, exchange) return prompts.run(server.registry, params, exchange) end,
    ["completion/complete"] = function(server, params, exchange) return complete.run(server.registry, params, exchange) end,
}

-- Methods of what the scripts may leave out, and whether they do.
local NEEDS = {
    ["resources/list"] = "resources", ["resources/templates/list"] = "resources", ["resources/read"] = "resources",
    ["resources/subscribe"] = "resources", ["resources/unsubscribe"] = "resources",
    ["prompts/list"] = "prompts", ["prompts/get"] = "prompts", ["completion/complete"] = "completions",
}

--- What the server can do, in the form of the newest revision.
---@param registry mcp.Registry
---@return table
function offer.capabilities(registry)
    local has_resources = not (registry.resources:is_empty() and registry.templates:is_empty())
    return {
        tools = { listChanged = true },
        resources = has_resources and { listChanged = true, subscribe = true } or nil,
        prompts = not registry.prompts:is_empty() and { listChanged = true } or nil,
        completions = registry:completes() and json.object({}) or nil,
        logging = json.object({}),
    }
end

--- Whether the scripts offer what a method is about.
---@param method string
---@param registry mcp.Registry
function offer.has(method, registry)
    local needed = NEEDS[method]
    return not needed or offer.capabilities(registry)[needed] ~= nil
end

return offer
