--- MCP over standard input and output: each line is a message, of either era; answers and everything else are lines too.
--- The pipe is one session by itself: what its client said in initialize holds for the messages of the handshake era.
local batch = require("mcp.batch")
local cancel = require("mcp.cancel")
local crypto = require("crypto")
local era = require("mcp.era")
local fiber = require("fiber")
local host = require("host")
local incident = require("mcp.incident")
local invoke = require("mcp.invoke")
local json = require("json")
local jsonrpc = require("mcp.jsonrpc")
local legacy = require("mcp.legacy")
local modern = require("mcp.modern")
local notify = require("mcp.notify")
local shared = require("shared")
local stdio = require("stdio")

local pipe = {}

local ENGINES = { legacy = legacy, modern = modern }
local NONCE = "pipe"
local KEY = "pipe session"
local FOREVER_MS = 34560000000

local function write(text)
    if text then stdio.write(text) end
end

-- What the client of a pipe owns (tasks) is nobody's after it.
local function principal()
    local name = shared.get("pipe principal")
    if not name then
        name = "pipe " .. crypto.random_text(9)
        shared.put("pipe principal", name, FOREVER_MS)
    end
    return name
end

local function read_session()
    local text = shared.get(KEY)
    return text and json.decode(text) or nil
end

-- The client said hello: it hears of what it may hear of.
local function begin(_, began)
    began.nonce = NONCE
    shared.put(KEY, json.encode(began), FOREVER_MS)
    stdio.listen({ topics = notify.session_topics(NONCE) })
end

local function send(_, message)
    stdio.write(message)
    return true
end

local Listener = {}
Listener.__index = Listener
function Listener.send(_, text) stdio.write(text) end

local function transport_of(text, run)
    return {
        bytes = #text, principal = principal(), scope = NONCE, session = read_session(), begin = begin, send = send,
        listen = function(_, options) return stdio.listen(options) and setmetatable({}, Listener) or nil end,
        on_long = function(_, stopped, id, compose) run.stopped, run.id, run.compose = stopped, id, compose end,
    }
end

local function refusal(message, failure, transport) return jsonrpc.error(legacy.id_of(message, transport), failure) end

local function handle(server, message, transport)
    local kind, failure = jsonrpc.classify(message)
    if not kind and jsonrpc.is_notification(message) then return 202 end -- it gets no answer, whatever it is
    if not kind then return 400, refusal(message, failure, transport) end
    return ENGINES[era.choose(nil, message)].handle(server, kind, message, transport)
end

-- What is written for a handler that was stopped; nothing when the client does not want to hear of it any more.
local function stopped_answer(run, reason)
    local stopped = run.stopped or invoke.stopped("The request", {})
    local result, failure = stopped(reason)
    if cancel.is_reason(reason) then return write(run.compose and run.compose()) end
    if run.id == nil and not run.compose then return end
    local body = failure and jsonrpc.error(run.id, failure) or result and jsonrpc.result(run.id, result)
    write(body and run.compose and run.compose(body) or body)
end

local function answer(server, message, text, run)
    local transport = transport_of(text, run)
    local is_list = json.is_array(message) and batch.is_taken(transport)
    return (is_list and batch.handle or handle)(server, message, transport)
end

local function decoded(text)
    if text ~= "" then return json.decode(text) end
    return nil, ("the line is longer than %d bytes"):format(host.setting("body_limit"))
end

--- Handles a line. It returns at once; the message has a fiber of its own.
---@param server mcp.Server
---@param text string "" for a line that was too long
function pipe.line(server, text)
    local message, complaint = decoded(text)
    if message == nil then
        local failure = jsonrpc.failure(jsonrpc.PARSE_ERROR, "Parse error: " .. complaint)
        return write(refusal(nil, failure, { session = read_session() }))
    end
    local run = { id = jsonrpc.request_id(message) }
    fiber.spawn(function()
        if run.id ~= nil then cancel.name(NONCE, run.id) end -- at once: the next line may cancel it
        local _, body = incident.guard(message, answer, server, message, text, run)
        write(body)
    end, { on_stop = function(reason) stopped_answer(run, reason) end })
end

return pipe
