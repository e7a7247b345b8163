---@meta stdio

--- Standard output of a server that was started as `sandstorm-mcp stdio`. All functions raise in any other.
---@class stdio
local stdio = {}

--- Writes one message as a line.
---@param text string without a line end
function stdio.write(text) end

---@class (exact) stdio.Listen
---@field topics string[] see `stream.publish`; at most 64
---@field tag? string goes into what is published to it

--- Writes what is published to the topics, until one of them is ended.
---@param options stdio.Listen
---@return boolean listening false: there are too many streams
function stdio.listen(options) end

return stdio
