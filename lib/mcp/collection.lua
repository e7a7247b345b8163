--- One of the lists that clients read page by page: tools, prompts, resources, templates. Entries keep their order. A
--- page is encoded once per revision of the protocol, and again only when what is enabled has changed.
local crypto = require("crypto")
local json = require("json")

---@class mcp.Entry
---@field key string unique in its list
---@field public table its form for clients of the newest revision
---@field enabled? fun(): boolean whether it is offered now

---@class mcp.Page
---@field items string JSON text of the array
---@field next? string cursor of the page after it

---@class mcp.Collection
---@field private entries mcp.Entry[]
---@field private by_key table<string, mcp.Entry>
---@field private level fun(public: table, revision: mcp.Revision): table
---@field private pages table<mcp.Revision, { offered: string, list: mcp.Page[], starts: table<string, integer> }>
---@field private varies boolean
local Collection = {}
Collection.__index = Collection

local collection = {}

collection.PAGE_SIZE = 100 -- entries; clients that read one page only see what most servers offer

--- `level` gives an entry the form that a revision knows.
---@return mcp.Collection
function collection.new(level)
    return setmetatable({ entries = {}, by_key = {}, pages = {}, level = level, varies = false }, Collection)
end

--- Adds an entry; false when its key is taken.
---@param entry mcp.Entry
---@return boolean
function Collection:add(entry)
    if self.by_key[entry.key] then return false end
    self.by_key[entry.key] = entry
    self.entries[#self.entries + 1] = entry
    self.varies = self.varies or entry.enabled ~= nil
    return true
end

--- The entry, if it is offered now.
---@return mcp.Entry?
function Collection:find(key)
    local entry = self.by_key[key]
    if entry and entry.enabled and not entry.enabled() then return nil end
    return entry
end

--- All entries in order.
---@return mcp.Entry[]
function Collection:all() return self.entries end

function Collection:is_empty() return #self.entries == 0 end

---@return string[]
function Collection:keys()
    local keys = {}
    for position, entry in ipairs(self.entries) do keys[position] = entry.key end
    return keys
end

-- What is offered now, and a text that tells one such choice from another.
local function offered(self)
    if not self.varies then return self.entries, "" end
    local list, marks = {}, {}
    for position, entry in ipairs(self.entries) do
        local on = not entry.enabled or entry.enabled()
        if on then list[#list + 1] = entry end
        marks[position] = on and "1" or "0"
    end
    return list, table.concat(marks)
end

local function cursor_after(entry) return crypto.base64url(entry.key) end

local function encode_page(self, list, first, revision)
    local items, last = json.array({}), math.min(first + collection.PAGE_SIZE - 1, #list)
    for position = first, last do items[#items + 1] = self.level(list[position].public, revision) end
    return { items = json.encode(items, { sort = true }), next = last < #list and cursor_after(list[last]) or nil }
end

local function encode(self, list, choice, revision)
    local made = { offered = choice, list = {}, starts = {} }
    for first = 1, math.max(#list, 1), collection.PAGE_SIZE do
        local page = encode_page(self, list, first, revision)
        made.list[#made.list + 1] = page
        if page.next then made.starts[page.next] = #made.list + 1 end
    end
    return made
end

--- The page that begins after the cursor; nil when there is no such cursor. Cursors name an entry: they stay valid while
--- that entry ends a page.
---@param revision mcp.Revision
---@param cursor? string
---@return mcp.Page?
function Collection:page(revision, cursor)
    local list, choice = offered(self)
    local made = self.pages[revision]
    if not made or made.offered ~= choice then
        made = encode(self, list, choice, revision)
        self.pages[revision] = made
    end
    if cursor == nil then return made.list[1] end
    return made.list[made.starts[cursor]]
end

--- Raises for what JSON cannot hold; call it once, when all entries are there. Pages are encoded when they are asked for.
function Collection:seal()
    for _, entry in ipairs(self.entries) do json.encode(entry.public) end
end

--- A text that is the same as long as what clients see is the same.
---@param revision mcp.Revision
---@return string
function Collection:fingerprint(revision)
    local _, choice = offered(self)
    local parts = { choice }
    for _, entry in ipairs(self.entries) do
        parts[#parts + 1] = json.encode(self.level(entry.public, revision), { sort = true })
    end
    return crypto.base64url(crypto.sha256(table.concat(parts, "\n")))
end

return collection
