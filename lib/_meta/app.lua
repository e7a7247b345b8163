---@meta app
--- What the host takes from `require("app").load(root_path)`, once for each generation of the scripts.

---@class app.Route the host answers what does not fit (404, 405, 401, 403, 413, 415, OPTIONS) before a body is read
---@field path string a segment `{name}` stands for any one segment: `/session/{id}/exec`; see request.parameters
---@field methods string[] HEAD falls to GET
---@field auth "none"|"bearer"|"session"|"metrics" whose token it asks for: nobody's, that of /mcp, that of the session API,
---that of /mcp unless the setting metrics_open lets programs on this machine in (session_open does so for "session")
---@field origin "checked"|"any" whether a foreign Origin is refused
---@field cors? boolean whether pages of any origin may read the answer (default true; where the origin is checked, allowed ones)
---@field body_limit? integer bytes
---@field media_type? string that a body must have; a body without Content-Type has it
---@field metadata? string path of the document that a refused bearer is led to (RFC 9728)
---@field scope? string that it is asked for
---@field forbidden? string JSON text for pages of a foreign origin
---@field handle fun(request: request.Request): integer, string?, table<string, string>? status, body, headers; a body
---without a Content-Type header is application/json

---@class app.Pages what pages of other origins are told, wherever they may call at all
---@field exposed_headers? string names of the response headers that they may read
---@field allowed_headers? string names of the request headers that they may send when a preflight does not ask for any

---@class app.Tick run in a fiber of its own as soon as the generation serves, and again `every_ms` after it ended; never
---twice at a time, and not by a generation that no longer serves. What it raises is logged
---@field every_ms integer 100 to 86400000
---@field run fun()

---@class app.App
---@field routes app.Route[]
---@field pages? app.Pages
---@field ticks? app.Tick[]
---@field call fun(name: string, arguments: table): boolean, string runs one tool; for the command line
---@field describe fun(): string the tool table, for the command line
---@field line? fun(text: string) handles a line of standard input, which is empty when it was too long
---@field started? fun() called once, when the server listens
---@field changed? fun() called when this generation of the scripts has begun to serve
---@field stopping? fun() called when the server begins to stop, and when the last calls have ended
---@field token fun(words: string[]): boolean, string grants, for the command line

local app = {}

--- Reads the script at `root_path`. Nothing may wait meanwhile. Raises `file:line: what is wrong`.
---@param root_path string absolute
---@return app.App
function app.load(root_path) end

return app
