--- Replays recorded HTTP exchanges (spec/fixtures/parity/*.jsonl with `request` and `response`) against a server: names of
--- things that were made meanwhile stand in angle brackets and are learned when they are first answered.
local json = require("json")
local pretty = require("session.pretty")
local program = require("spec.support.program")
local tmp = require("spec.support.tmp")

local exchange = {}

--- The exchanges of a file, in order.
function exchange.read(name)
    local list = {}
    local text = assert(tmp.read(program.root .. "/spec/fixtures/parity/" .. name))
    for line in text:gmatch("[^\n]+") do
        local case = assert(json.decode(line))
        if case.request and case.request.json then -- members in their order
            case.request.body = pretty.member(pretty.member(line, "request"), "json")
        end
        list[#list + 1] = case
    end
    return list
end

---@class spec.Book what stands for which name
---@field values table<string, string> by name without brackets
local Book = {}
Book.__index = Book

---@param values table<string, string>
---@return spec.Book
function exchange.book(values) return setmetatable({ values = values }, Book) end

--- The text with every known name replaced by what it stands for.
function Book:fill(text)
    return (text:gsub("<([%u%d-]+)>", function(name) return self.values[name] end))
end

local SECONDS, MICROSECONDS = "^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%dZ$", "^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d%.%d%d%d%d%d%dZ$"

local function is_time(expected, got)
    if expected == "<TIME>" then return got:find(SECONDS) ~= nil end
    -- Without a fraction where that is nothing, as v0.1.0 wrote it.
    return expected == "<TIME-MICROS>" and (got:find(MICROSECONDS) or got:find(SECONDS)) ~= nil
end

-- Learns the first name in `expected` that is not known, when everything else of the text is the same.
function Book:learn(expected, got)
    local before, name, after = expected:match("^(.-)<([%u%d-]+)>(.*)$")
    if not name or name:find("^TIME") or self.values[name] then return false end
    local ends = #got - #after
    if got:sub(1, #before) ~= before or got:sub(ends + 1) ~= after then return false end
    self.values[name] = got:sub(#before + 1, ends)
    return true
end

--- What differs between a recorded value and what came, as a list of texts.
function Book:differences(expected, got, where, list)
    where, list = where or "", list or {}
    if type(expected) == "table" and type(got) == "table" then
        for key, value in pairs(expected) do self:differences(value, got[key], where .. "/" .. key, list) end
        for key in pairs(got) do
            if expected[key] == nil then list[#list + 1] = where .. "/" .. key .. ": not expected" end
        end
        return list
    end
    if expected == "<N>" and math.type(got) == "integer" then return list end
    local text = type(expected) == "string" and self:fill(expected) or expected
    if text == got then return list end
    local is_text = type(text) == "string" and type(got) == "string"
    if is_text and (is_time(text, got) or self:learn(text, got)) then return list end
    list[#list + 1] = ("%s: expected %s, got %s"):format(where, tostring(text), tostring(got))
    return list
end

--- Sends a recorded request; headers are as recorded.
function exchange.send(s, book, request)
    local headers = { Connection = "close" }
    for name, value in pairs(request.headers or {}) do headers[name] = book:fill(value) end
    local body = request.body and book:fill(request.body)
    local connection = s:connect()
    local response = assert(connection:request({
        method = request.method, path = book:fill(request.path), headers = headers, body = body,
    }))
    connection:close()
    return response
end

return exchange
