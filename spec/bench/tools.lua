-- One trivial tool, to measure what a call costs apart from what it does.
-- luacheck: globals tool
tool {
  name = "echo",
  title = "Echo",
  description = "Gives the text back",
  annotations = { readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false },
  input = {
    type = "object",
    properties = { text = { type = "string", description = "What to give back" } },
    required = { "text" },
  },
  output = { type = "object", properties = { result = { type = "string" } }, required = { "result" } },
  handler = function(args) return args.text end,
}
