std = "lua54"
max_line_length = 130
cache = false
files["spec/**/*_spec.lua"].std = "+busted"
files["lib/_meta/*.lua"].unused_args = false
exclude_files = { "build*/", "spec/clients/node_modules/", "spec/conformance/node_modules/" }
local words = { "changed", "completion", "content", "json", "prompt", "resource", "resource_template", "tool", "updated" }
files["tools.lua"].read_globals = words
files["spec/conformance/tools.lua"].read_globals = words
files["spec/fixtures/tools/"] = { read_globals = words }
files["lib/_meta/"] = { unused = false, globals = words, max_line_length = 170 }
