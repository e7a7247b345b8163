--- What the session API takes: JSON Schemas, checked after numbers were read as v0.1.0 read them ("60" is 60, 1.9 is 1,
--- true is 1). Fields that no schema names are ignored.
local json = require("json")
local schema = require("schema")

local schemas = {}

local SOURCES = {
    create = {
        type = "object",
        properties = {
            type = { type = "string", minLength = 1 },
            ttl_minutes = { type = "integer", minimum = 1, maximum = 120, default = 30 },
            requirements = {
                type = { "object", "null" },
                properties = {
                    repo = { type = { "string", "null" }, pattern = "^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$" },
                    branch = { type = { "string", "null" }, minLength = 1, maxLength = 255 },
                },
            },
        },
        required = { "type" },
    },
    exec = {
        type = "object",
        properties = {
            command = { type = "string", minLength = 1 },
            timeout_ms = { type = "integer", default = 30000 },
            cwd = { type = { "string", "null" }, maxLength = 4096 },
        },
        required = { "command" },
    },
    extend = {
        type = "object",
        properties = { additional_minutes = { type = "integer", minimum = 0, default = 15 } },
    },
}

local FIXED = {
    ["/type"] = "type: field required",
    ["/command"] = "command: field required",
    ["/ttl_minutes"] = "ttl_minutes: must be between 1 and 120",
    ["/requirements/repo"] = "requirements.repo: expected owner/name of a repository on GitHub",
}

-- Numbers beyond this are as good as it.
local HUGE = 2 ^ 53

local function whole(value)
    if type(value) == "boolean" then return value and 1 or 0 end
    local number = value
    if type(value) == "string" then
        local digits = value:match("^%s*([+-]?%d[%d_]*)%s*$")
        number = digits and tonumber((digits:gsub("_", "")))
    end
    if type(number) ~= "number" or number ~= number then return value end
    if number > HUGE or number < -HUGE then number = number > 0 and HUGE or -HUGE end
    return math.tointeger(number < 0 and math.ceil(number) or math.floor(number))
end

local function read_numbers(source, body)
    local read = {}
    for name, value in pairs(body) do
        local property = source.properties[name]
        read[name] = property and property.type == "integer" and whole(value) or value
    end
    return read
end

-- In words that callers of v0.1.0 know, where it had some.
local function message_of(errors, body)
    local fixed = FIXED[errors[1].path]
    local about_range = errors[1].path ~= "/ttl_minutes" or math.type(body.ttl_minutes) == "integer"
    if fixed and about_range then return fixed end
    return schema.explain({ errors[1] })
end

-- What was not given gets its default; null is nothing where the schema takes it.
local function complete(source, body)
    for name, property in pairs(source.properties) do
        if body[name] == nil then body[name] = property.default end
        if body[name] == json.null then body[name] = nil end
    end
    return body
end

local CHECKS = {}
for name, source in pairs(SOURCES) do CHECKS[name] = schema.compile(source, { strict = true, noun = "field" }) end

--- Checks a decoded body.
---@param name "create"|"exec"|"extend"
---@param body any
---@return table? fields
---@return string? complaint that names the field
function schemas.read(name, body)
    if type(body) ~= "table" or body == json.null or json.is_array(body) then
        return nil, "body: expected a JSON object"
    end
    local source = SOURCES[name]
    local read = read_numbers(source, body)
    local ok, errors = CHECKS[name](read)
    if not ok then return nil, message_of(errors, read) end
    return complete(source, read)
end

return schemas
