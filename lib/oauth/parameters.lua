--- What was posted to a JSON endpoint: a form as OAuth has it, or a JSON object, which scripts written for v0.1.0 send.
local answer = require("oauth.answer")
local form = require("oauth.form")
local json = require("json")

local parameters = {}

local function wrong(description) return nil, answer.failure("invalid_request", description) end

local function from_json(request)
    local body, complaint = request:json()
    if body == nil then return wrong("no JSON: " .. complaint) end
    if type(body) ~= "table" or json.is_array(body) or body == json.null then return wrong("expected a JSON object") end
    local values = {}
    for name, value in pairs(body) do
        if value ~= json.null then
            if type(value) ~= "string" then return wrong(name:sub(1, 40) .. ": expected a string") end
            values[name] = value
        end
    end
    return values
end

local function from_form(request)
    local parsed, complaint = form.parse(request:body())
    if not parsed then return wrong(complaint) end
    local name = next(parsed.repeated)
    if name then return wrong(name:gsub("[^%w_]", "?"):sub(1, 40) .. ": given more than once") end
    return parsed.values
end

--- The parameters as texts.
---@return table<string, string>?
---@return oauth.Error?
function parameters.read(request)
    local kind = form.media_type(request:header("content-type"))
    if kind == form.MEDIA_TYPE then return from_form(request) end
    if kind == "application/json" then return from_json(request) end
    return wrong(("Content-Type: expected %s or application/json"):format(form.MEDIA_TYPE))
end

return parameters
