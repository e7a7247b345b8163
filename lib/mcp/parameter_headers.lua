--- Arguments that clients of the stateless era repeat as `Mcp-Param-<Name>` headers, so that a proxy may route by
--- them: a property says `["x-mcp-header"] = "Name"`. Header and body must agree.
local json = require("json")
local positions = require("schema.positions")
local sentinel = require("mcp.sentinel")

local parameter_headers = {}

---@class mcp.HeaderArgument
---@field header string in lower case
---@field path string[] names of the properties from the root to the argument

local TYPES = { string = true, integer = true, boolean = true }

local function check(schema, path, taken)
    local name = schema["x-mcp-header"]
    if type(name) ~= "string" or not name:find("^[%w!#$%%&'*+.^_`|~-]+$") then
        return "must be a part of a header name, such as Region"
    end
    if not path or #path == 0 then return "must stand in a property that is reached through properties only" end
    if not TYPES[schema.type] then return "needs a property of type string, integer or boolean" end
    if taken[name:lower()] then return "is used twice" end
    taken[name:lower()] = path
end

local function below(path, name)
    if not path then return nil end
    local longer = table.move(path, 1, #path, 1, {})
    longer[#longer + 1] = name
    return longer
end

-- `path` is nil where no argument has a fixed place: in a composition, in the items of an array.
local function visit(schema, path, taken)
    if type(schema) ~= "table" then return end
    local complaint = schema["x-mcp-header"] ~= nil and check(schema, path, taken)
    if complaint then error({ complaint = ("x-mcp-header %q %s"):format(tostring(schema["x-mcp-header"]), complaint) }) end
    for keyword, parts in pairs(schema) do
        local position = positions[keyword]
        if position == "schema" then parts = { parts } end
        for name, part in pairs(position and type(parts) == "table" and parts or {}) do
            visit(part, keyword == "properties" and below(path, name) or nil, taken)
        end
    end
end

--- The arguments of an input schema that are repeated as headers.
---@param schema table
---@return mcp.HeaderArgument[]?
---@return string? complaint
function parameter_headers.of(schema)
    local taken, found = {}, {}
    local ok, raised = pcall(visit, schema, {}, taken)
    if not ok then return nil, type(raised) == "table" and raised.complaint or tostring(raised) end
    for name, path in pairs(taken) do found[#found + 1] = { header = "mcp-param-" .. name, path = path } end
    return found
end

local function argument_at(arguments, path)
    local value = arguments
    for _, name in ipairs(path) do
        if type(value) ~= "table" then return nil end
        value = value[name]
    end
    if value == json.null then return nil end
    return value
end

local function agree(given, value)
    local text = sentinel.decode(given)
    if not text then return false end
    if type(value) == "number" then return text:find("^-?%d[%d.eE+-]*$") ~= nil and tonumber(text) == value end
    return text == tostring(value)
end

-- What is wrong between a header and its argument: whoever routes by one must not be told another thing than the tool.
local function disagree(value, given, count)
    if value == nil then return given and "has no argument" or nil end
    if not given then return "is missing" end
    if count and count > 1 then return "is given twice" end
    return not agree(given, value) and "does not match its argument" or nil
end

--- What is wrong between headers and arguments, or nil.
---@param declared mcp.HeaderArgument[]
---@param arguments table
---@param header fun(name: string): string?, integer?
---@return string?
function parameter_headers.disagreement(declared, arguments, header)
    for _, argument in ipairs(declared) do
        local wrong = disagree(argument_at(arguments, argument.path), header(argument.header))
        if wrong then return argument.header .. " " .. wrong end
    end
end

return parameter_headers
