---@meta fetch

--- Documents from the public internet, by https. Redirects are not followed, hosts on private networks are refused unless
--- the setting `fetch_private` names them, and no proxy is used.
---@class fetch
local fetch = {}

---@class (exact) fetch.Options
---@field timeout_ms integer for everything, 1 to 30000
---@field limit integer bytes of the body, 1 to 1048576; more is a failure

---@class fetch.Response
---@field status integer
---@field body string
---@field cache_control string "" without such a header
---@field content_type string the same

--- Any answer is a result, whatever its status. Two at a time: more is EBUSY. Raises for anything but an https address.
---@async
---@param url string
---@param options fetch.Options
---@return fetch.Response?
---@return string? message
---@return "EFETCH"|"EBUSY"? code
---@nodiscard
function fetch.get(url, options) end

--- Is the IP address of the public internet?
---@param address string
---@return boolean
---@nodiscard
function fetch.is_public(address) end

return fetch
