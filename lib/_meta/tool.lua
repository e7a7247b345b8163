---@meta _
--- The words of a script: what `tools.lua` and every file in its place may use beside the standard library, `require` and
--- `json`.
---
--- Calls share nothing: all of that, and every module of the server, is read-only once scripts are loaded. Not prevented:
--- a handler that changes a local variable or a table of its own file changes it for later calls, until the scripts are
--- read again. Keep constants there, and what has to last in files or, for a while, in `shared`.

---@class tool.Annotations hints for clients; give all four
---@field title? string
---@field readOnlyHint? boolean the tool changes nothing (default false)
---@field destructiveHint? boolean it may overwrite or delete (default true)
---@field idempotentHint? boolean calling it again with the same arguments changes nothing more (default false)
---@field openWorldHint? boolean it reaches beyond this host (default true)

--- What a handler may return: a text; a list of content items (texts or tables with `type`); or this table.
---@class (exact) tool.Result
---@field content? string|table a text or a list of content items; by default the structured part as JSON
---@field structured? any for programs; must satisfy `output`. A property `result` of `output` is filled with the text
---@field isError? boolean the call failed; its result need not be structured then
---@field _meta? table<string, any>

---@class (exact) tool.Definition
---@field name string 1 to 128 letters, digits, `_`, `-`, `.`; unique
---@field description string what an agent needs to know to choose and use the tool
---@field input table JSON Schema 2020-12 with `type = "object"`, as clients will see it. Arguments are read laxly ("5" is 5
---where a number is meant) and checked against it before the handler runs; null for an optional argument is "not given"
---@field handler fun(args: table, ctx: ctx.Context): (string|table|nil), string?
---nil and a message: the agent gets the message as an error. A raised error is an internal one: it is logged, and the
---agent only learns the id under which it is
---@field title? string
---@field annotations? tool.Annotations
---@field output? table JSON Schema that the structured part of every result satisfies
---@field icons? table[] of { src =, mimeType =, sizes = }
---@field meta? table<string, any> `_meta` of the tool
---@field enabled? fun(): boolean whether the tool is offered now; see `changed`
---@field task? "forbidden"|"optional"|"required"|tool.Task whether it may, or must, go on beyond its request, for clients that
---follow tasks (default "forbidden"). All others wait for it, unless it is required
---@field single_use? boolean what was answered to its questions counts once, even if the client calls again with it

---@class (exact) tool.Task
---@field support "forbidden"|"optional"|"required"
---@field start? "auto"|"slow"|"manual" at once (default); when it takes longer than two seconds; when the handler says so with
---`ctx:go_async`
---@field ttl_ms? integer how long the task is kept, and may run (default one hour)

---@class tool.Word
---@overload fun(definition: tool.Definition)
---@field fail fun(message: string) ends the call from anywhere below a handler with a message for the agent
---@field refuse fun(code: integer, message: string, data?: any) ends it with an error of the protocol, for programs

--- Defines a tool. Tools are listed in the order of their definitions. Raises, naming file and line, for a definition
--- that is not right.
---@type tool.Word
tool = {}

---@class content.Annotations
---@field audience? ("user"|"assistant")[]
---@field priority? number 0 to 1
---@field lastModified? string ISO 8601

---@class (exact) resource.Definition
---@field uri string its address, such as docs://readme
---@field name string
---@field handler fun(args: table<string, string>, ctx: ctx.Context): (string|table|nil), string?
---a text; { text = } or { blob = bytes }, with uri and mimeType where they differ; a list of these; nil and a message for
---what is not there
---@field title? string
---@field description? string
---@field mime_type? string
---@field size? integer bytes
---@field annotations? content.Annotations
---@field icons? table[] of { src =, mimeType =, sizes = }
---@field meta? table<string, any>
---@field enabled? fun(): boolean whether it is offered now
---@field ttl_ms? integer how long clients may keep what they read (default 0)

---@class (exact) resource.Template
---@field uri_template string such as docs://page/{id}; {+path} takes slashes too. The handler gets the parts as `args`
---@field name string
---@field handler fun(args: table<string, string>, ctx: ctx.Context): (string|table|nil), string?
---@field title? string
---@field description? string
---@field mime_type? string
---@field annotations? content.Annotations
---@field icons? table[]
---@field meta? table<string, any>
---@field enabled? fun(): boolean
---@field ttl_ms? integer

---@class (exact) prompt.Argument
---@field name string
---@field title? string
---@field description? string
---@field required? boolean

---@class (exact) prompt.Definition
---@field name string
---@field description string
---@field handler fun(args: table<string, string>, ctx: ctx.Context): (string|table|nil), string?
---a text, a content item, a message { role =, content = }, a list of these, or { description =, messages = }
---@field title? string
---@field arguments? prompt.Argument[]
---@field icons? table[]
---@field meta? table<string, any>
---@field enabled? fun(): boolean

---@class (exact) completion.Definition suggestions for one argument
---@field prompt? string name of the prompt that has the argument
---@field resource? string template of addresses that has it; give either
---@field argument string
---@field handler fun(value: string, ctx: ctx.Context): string[] values that fit what was typed; the first 100 are sent

--- Defines a resource.
---@param definition resource.Definition
function resource(definition) end

--- Defines addresses of one form as resources.
---@param definition resource.Template
function resource_template(definition) end

--- Defines a prompt.
---@param definition prompt.Definition
function prompt(definition) end

--- Defines suggestions for an argument.
---@param definition completion.Definition
function completion(definition) end

--- Tells clients that a list has changed, because `enabled` of something in it now says otherwise. What changes by an edit
--- of the scripts is told by itself.
---@param kind "tools"|"prompts"|"resources"
function changed(kind) end

--- Tells clients that follow a resource that it was updated.
---@param uri string
function updated(uri) end

--- Makes content items. All take `annotations` and `meta` as well.
---@class content.Word
---@field text fun(text: string|{ text: string }): table
---@field image fun(item: { data: string, mime_type: string }): table `data` are the bytes
---@field audio fun(item: { data: string, mime_type: string }): table
---@field resource fun(item: { uri: string, mime_type?: string, text?: string, blob?: string }): table `blob` are bytes
---@field link fun(item: { uri: string, name: string, title?: string, description?: string, mime_type?: string, size?: integer, icons?: table[] }): table
---@field structured fun(value: any, text?: string|table): table a result for programs, with a text for agents

---@type content.Word
content = {}
