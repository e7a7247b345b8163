---@meta grants

--- Who was given access: one grant for each consent, kept in the file `grants` of the state folder. Where that cannot be
--- written changes hold until the server ends, and functions that change return nil and why.
---@class grants
local grants = {}

---@class grants.Grant
---@field id string at most 39 bytes
---@field name string of the client
---@field where string where its code went
---@field start_ms integer milliseconds since 1970
---@field finish integer when it ends, seconds since 1970; 0 if not known
---@field used integer last use, seconds since 1970; 0 for never
---@field revoked boolean

--- Writes a grant down; over one of the same id.
---@param grant {id: string, name: string, where: string, start_ms: integer, finish: integer}
---@return boolean? written
---@return string? message
function grants.add(grant) end

--- Notes a use, now.
---@param id string
function grants.use(id) end

--- Ends a grant, known or not. Its tokens are refused from now on.
---@param id string
---@param finish? integer when its tokens would have ended
---@return boolean? written
---@return string? message
function grants.revoke(id, finish) end

--- Ends everything that began up to a time.
---@param now_ms integer milliseconds since 1970
---@return boolean? written
---@return string? message
function grants.revoke_all(now_ms) end

--- What began up to this time, milliseconds since 1970, is refused; 0 where nothing ever was.
---@return integer
---@nodiscard
function grants.not_before() end

--- Is the grant revoked, by its id or by when it began?
---@param id string
---@param start_ms integer
---@return boolean
---@nodiscard
function grants.is_revoked(id, start_ms) end

--- nil and why where the file is there and cannot be read.
---@return grants.Grant[]?
---@return string? message
---@nodiscard
function grants.list() end

return grants
