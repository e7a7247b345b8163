---@meta json

--- JSON, strict in both directions (RFC 8259).
---
--- Arrays and objects are both tables. A table with the array mark is an array; one without a mark is an array
--- if its keys are 1..n with n > 0, and an object otherwise, so an empty unmarked table is `{}`. Decoding marks
--- arrays and leaves objects bare, so what was decoded encodes to the same JSON.
--- Only raw content counts; metamethods are not called.
---@class json
local json = {}

---@class (exact) json.encode.Opts
---@field sort? boolean names in the order of their bytes, so that equal values give equal texts (default false)

--- JSON's null in a table, where nil would be no entry. The same value as `cjson.null`.
---@type lightuserdata
json.null = {} --[[@as lightuserdata]]

--- The mark of arrays: the metatable that `json.array` sets.
---@type metatable
json.array_mt = {}

--- The mark of objects: the metatable that `json.object` sets.
---@type metatable
json.object_mt = {}

--- The JSON text of a value.
---
--- Integers are exact, floats keep their point (`1.0` is `1.0`) and read back as the same number. Bytes that are
--- not UTF-8 become U+FFFD. The order of names is arbitrary but for `sort`.
---
--- Raises `json.encode: <what> at <path>` for what JSON cannot hold: NaN and infinities, functions, threads and
--- userdata, tables whose keys are neither all names nor 1..n, a table that contains itself, more than 512 levels,
--- more than 128 MiB. The path is that of Lua: `value.content[1].text`.
--- ```lua
--- json.encode({ items = json.array({}), note = json.null }, { sort = true }) --> {"items":[],"note":null}
--- ```
---@param value any
---@param opts? json.encode.Opts
---@return string text
function json.encode(value, opts) end

--- The value of a JSON text.
---
--- Numbers without fraction and exponent are integers, all others floats. Refused, beside what is no JSON: a name that
--- occurs twice in an object, a name with a NUL character, integers beyond 64 bits, numbers beyond a double, more than
---512 levels, 1,000,000 values or 64 MiB, a byte order mark.
--- Raises if `text` is no string.
---@param text string
---@return any value nil where the text is refused; JSON's null is `json.null`
---@return string? message one line with the position
---@return "EJSON"? code
---@nodiscard
function json.decode(text) end

--- Marks a table as an array, so that it is `[]` even when empty.
--- Raises if the table has a metatable that is no mark.
---@generic T: table
---@param t T
---@return T t the same table
function json.array(t) end

--- Marks a table as an object; encoding it raises then unless all keys are strings.
--- Raises if the table has a metatable that is no mark.
---@generic T: table
---@param t T
---@return T t the same table
function json.object(t) end

--- Whether a value is a table that is meant as an array: marked so, or without a metatable and with an element at 1.
---@param value any
---@return boolean
function json.is_array(value) end

---Whether a value is any other table.
---@param value any
---@return boolean
function json.is_object(value) end

---What a value is in JSON. A table with an element at 1 is an array here, whatever its metatable; nil is null, and what JSON
---has not is named as Lua does.
---@param value any
---@return "null"|"boolean"|"number"|"string"|"array"|"object"|string
function json.kind(value) end

return json
