--- Answers of the JSON endpoints, in the form that OAuth gives them (RFC 6749, 5.2).
local json = require("json")

local answer = {}

local NO_STORE = { ["Cache-Control"] = "no-store", Pragma = "no-cache" }

local function with(headers)
    local all = {}
    for name, value in pairs(NO_STORE) do all[name] = value end
    for name, value in pairs(headers or {}) do all[name] = value end
    return all
end

---@param status integer
---@param value table
---@param headers? table<string, string>
function answer.json(status, value, headers) return status, json.encode(value, { sort = true }), with(headers) end

---@class oauth.Error
---@field error string a code of the RFCs
---@field description string what is wrong, for the developer of the client
---@field status? integer 400 unless said
---@field headers? table<string, string>

--- Makes an error; `return nil, answer.failure(...)` hands it up to whoever answers.
---@return oauth.Error
function answer.failure(code, description, status, headers)
    return { error = code, description = description, status = status or 400, headers = headers }
end

---@param failure oauth.Error
function answer.refuse(failure)
    local body = { error = failure.error, error_description = failure.description }
    return answer.json(failure.status, body, failure.headers)
end

return answer
