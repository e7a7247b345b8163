std = "lua54"
max_line_length = 130
cache = false
files["spec/**/*_spec.lua"].std = "+busted"
files["lib/_meta/*.lua"].unused_args = false
exclude_files = { "build*/", "spec/clients/node_modules/" }
files["tools.lua"].read_globals = { "tool", "json" }
files["lib/_meta/"] = { unused = false, globals = { "tool" } }
