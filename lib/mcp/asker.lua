--- How a handler's questions reach the client. There are three ways, one module each: the client waits on the stream of
--- its request (mcp.ask_session), it gets the questions as the result and calls again with the answers (mcp.ask_replay),
--- or it follows a task (mcp.ask_task). This is what they share.
local fail = require("fail")
local json = require("json")
local questions = require("mcp.questions")
local revisions = require("mcp.revisions")

local asker = {}

---@class mcp.Asker
---@field inputs fun(self: mcp.Asker, asked: table<string, mcp.Question>): table<string, table> answers by the same keys
---@field once fun(self: mcp.Asker, key: string, make: fun(): any): any
---@field go_async fun(self: mcp.Asker)
---@field can fun(self: mcp.Asker, question: mcp.Question): boolean

--- The keys in a fixed order.
function asker.keys(asked)
    local keys = {}
    for key in pairs(asked) do keys[#keys + 1] = key end
    table.sort(keys)
    return keys
end

--- The first capability that the client lacks for any of the questions, or nil.
function asker.missing(asked, capabilities, revision)
    for _, key in ipairs(asker.keys(asked)) do
        local lacking = questions.missing(asked[key], capabilities, revision)
        if lacking then return lacking end
    end
end

--- Ends the call: the client cannot be asked that.
---@param lacking table
function asker.refuse(lacking)
    fail.raise(("This needs a client that can be asked for %s"):format((next(lacking))))
end

--- Runs `make` once per memo and remembers what it returned.
function asker.memoize(memos, key, make)
    local known = memos[key]
    if known == nil then
        known = make()
        if known == nil then known = json.null end
        memos[key] = known
    end
    if known == json.null then return nil end
    return known
end

--- Where nobody can be asked: the command line, requests without a session.
local Nobody = {}
local metatable = { __index = Nobody } -- apart, so that no object leads to it

function Nobody.can() return false end
function Nobody.inputs(_, asked) asker.refuse(asker.missing(asked, {}, revisions.modern)) end
function Nobody:once(key, make) return asker.memoize(self.memos, key, make) end
function Nobody.go_async() end

---@return mcp.Asker
function asker.nobody() return setmetatable({ memos = {} }, metatable) end

return asker
