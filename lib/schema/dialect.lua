--- Which vocabularies a schema's dialect ($schema) turns on.
---@class schema.dialect
local dialect = {}

local STANDARD = "https://json-schema.org/draft/2020-12/schema"
local PREFIX = "https://json-schema.org/draft/2020-12/vocab/"

local known = {
    core = true, applicator = true, unevaluated = true, validation = true, content = true,
    ["meta-data"] = true, ["format-annotation"] = true, ["format-assertion"] = true,
}

--- The dialect of a schema that names none.
---@type table<string, true>
dialect.standard = {
    core = true, applicator = true, unevaluated = true, validation = true, content = true,
    ["meta-data"] = true, ["format-annotation"] = true,
}

local function of_metaschema(metaschema)
    if type(metaschema["$vocabulary"]) ~= "table" then return dialect.standard end
    local vocabularies = {}
    for address, required in pairs(metaschema["$vocabulary"]) do
        local name = address:sub(1, #PREFIX) == PREFIX and address:sub(#PREFIX + 1)
        if known[name] then
            vocabularies[name] = true
        elseif required then
            return nil, ("the vocabulary %s that it requires is not known here"):format(address)
        end
    end
    vocabularies.core = true
    return vocabularies
end

--- Vocabularies of the dialect at an address.
---@param address string value of $schema
---@param find fun(address: string): table? finds a document
---@return table<string, true>? vocabularies
---@return string? problem
function dialect.of(address, find)
    local bare = address:gsub("#$", "")
    if bare == STANDARD then return dialect.standard end
    local metaschema = find(bare)
    if type(metaschema) == "table" then return of_metaschema(metaschema) end
    return nil, ("expected %s (or nothing), got %s"):format(STANDARD, address)
end

return dialect
