---@meta _
--- What a handler gets as its second argument. A handler is written once, as code that waits: whether the client waits on
--- a stream, calls again with its answers, or follows a task, is none of its business.

---@class ctx.Client who calls, by its own word: for logs, never for decisions
---@field name string "unknown" when the client does not say
---@field version? string

---@class ctx.Answer what a user answered
---@field action "accept"|"decline"|"cancel" handle all three
---@field content? table<string, any> of an accepted form; it fits the schema

---@class ctx.Question made by `ctx.question`; for `ctx:inputs` and `ctx:can`

---@class ctx.QuestionWords
---@field form fun(message: string, schema: table): ctx.Question a form: a flat JSON Schema of texts, numbers, booleans, choices
---@field address fun(message: string, url: string): ctx.Question an address that the user should open
---@field sample fun(params: table): ctx.Question a completion by the client's model: { messages =, maxTokens = } and more
---@field roots fun(): ctx.Question the folders that the client works in

--- A call that is cancelled ends where it stands, as one does whose time is over: what waits does not come back, what
--- computes is interrupted, and no `pcall` goes on. So there is nothing to ask whether the call was cancelled. What has to
--- be put right belongs into a to-be-closed variable, which is closed however the call ends:
---
---     local lock <close> = setmetatable({}, { __close = function() shared.remove("lock") end })
---
--- Code in `__close` gets the end of the call's time to do that, and cannot wait.
---@class ctx.Context
---@field tool string name of the tool, prompt or resource
---@field uri? string of a resource that is read
---@field arguments? table<string, string> of a completion: what was chosen for other arguments
---@field client ctx.Client
---@field meta table<string, any> `_meta` of the request as it came; empty without one
---@field question ctx.QuestionWords
local Context = {}

--- The absolute path of a path argument: relative to the workspace or absolute inside it, folded as text; a name that is
--- not UTF-8 may be given as listed, `$'a\xff'`. Ends the call with a message for the agent when it lies outside.
---
---     local run = process.run { argv = { "wc", "-l", ctx:path(args.path) } }
---@param path string
---@return string
function Context:path(path) end

--- Writes a line to the server's log, with the tool's name, and sends it to a client that wants messages of that level.
--- Raises for an unknown level.
---@param level "trace"|"debug"|"info"|"notice"|"warning"|"error"|"critical"|"alert"|"emergency" `trace` never leaves the server
---@param message string
---@param fields? table<string, any> further fields of the line
function Context:log(level, message, fields) end

--- Tells how far the call is, to a client that asked for it. It must grow; what does not, or comes within 10 ms of the one
--- before, is left out.
---@param progress number
---@param total? number
---@param message? string
function Context:progress(progress, total, message) end

--- Whether somebody may be told how far the call is: the client asked for it, or the call is a task or may become one.
--- What is only done for `ctx:progress` can be left out otherwise.
---@return boolean
---@nodiscard
function Context:is_followed() end

--- Asks the user with a form, and waits for the answer. `key` names the question within the call.
---
--- The handler may run again from the top to get here: what must not happen twice before a question belongs into
--- `ctx:once`. Ends the call with a message for the agent when the client cannot be asked.
---
---     local answer = ctx:elicit("sure", "Delete it?", { type = "object", properties = { ok = { type = "boolean" } } })
---     if answer.action ~= "accept" or not answer.content.ok then return "Nothing was deleted" end
---@async
---@param key string
---@param message string
---@param schema table flat JSON Schema with `type = "object"`
---@return ctx.Answer
function Context:elicit(key, message, schema) end

--- Asks the user to open an address, and waits until that was accepted, declined or cancelled.
---@async
---@param key string
---@param message string
---@param url string without anything secret in it
---@return ctx.Answer
function Context:open(key, message, url) end

--- Asks the client's model, and waits for what it says.
---@async
---@param key string
---@param params table of sampling/createMessage: { messages =, maxTokens = } and more
---@return table result { role =, content =, model =, … }
function Context:sample(key, params) end

--- Asks for the folders that the client works in.
---@async
---@param key? string (default "roots")
---@return table[] of { uri =, name = }
function Context:roots(key) end

--- Asks several questions at once and waits until all are answered.
---@async
---@param questions table<string, ctx.Question> by key
---@return table<string, table> answers by the same keys
function Context:inputs(questions) end

--- Whether the client can be asked that.
---@param question ctx.Question
---@return boolean
---@nodiscard
function Context:can(question) end

--- Runs `make` once in the call, however often the handler runs to get its answers, and returns what it returned.
---@generic T
---@param key string names it within the call
---@param make fun(): T must return what JSON can hold
---@return T
function Context:once(key, make) end

--- From here on it takes long: the client need not hold the line. What that means depends on the client: it gets a task
--- that it can follow, it comes back for the answer, or it waits on as before.
---@async
function Context:go_async() end

--- What is left of the call's time.
---@return integer? ms nil: there is no limit
---@nodiscard
function Context:deadline() end
