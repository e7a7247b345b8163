---@meta _
--- The words of a script: what `tools.lua` and every file in its place may use beside the standard library, `require` and
--- `json`.

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

---@class tool.Word
---@overload fun(definition: tool.Definition)
---@field fail fun(message: string) ends the call from anywhere below a handler with a message for the agent

--- Defines a tool. Tools are listed in the order of their definitions. Raises, naming file and line, for a definition
--- that is not right.
---@type tool.Word
tool = {}
